"""A service that sells completions, on a real runtime of Solana, and Ann who buys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.deside.completions.node import Node, node
from tests.deside.completions.upstream import Upstream, upstream
from tests.deside.served import Service, body_of, served
from tests.deside.wallets import wallet

from accord.deside.completions import PaidBudget
from accord.deside.times import ms_of

__all__ = ["ANN", "HI", "Shop", "open_shop", "paid_at"]

Json: TypeAlias = Any

ANN = wallet(1)
HI = [{"role": "user", "content": "What is two and two?"}]


def paid_at(url: str) -> dict[str, str]:
    return {
        f"DESIDE_LLM_{tier}_{what}": value
        for tier in ("CHEAP", "BALANCED", "STRONG")
        for what, value in (("BASE_URL", url), ("MODEL", f"model-of-{tier.lower()}"))
    }


@dataclass
class Shop:
    """A service that sells, the chain that it sells on, the model that answers, and Ann who buys."""

    service: Service
    node: Node
    model: Upstream

    async def ask(self, who: str = ANN, **arguments: Json) -> Json:
        """Ask, and return what came, which may be an error's body."""
        client = await self.service.signed_in(who, "llm:invoke")  # type: ignore[arg-type] # a wallet's text
        answer = await client.call("llm_complete", {"messages": HI, **arguments}, mcp_session_id=await client.greet())
        return body_of(answer)

    async def payment(self, **arguments: Json) -> str:
        """Ask for a quote, and sign it."""
        required = await self.ask(**arguments)
        assert required["error"] == "PAYMENT_REQUIRED", required
        return await self.node.buyer.pay(required["data"])

    async def spend(self, atoms: int) -> None:
        """Let Ann have spent so much today."""
        now_ms = ms_of(self.service.clock)
        await self.service.app.store.write(lambda connection: PaidBudget().count(connection, ANN, atoms, now_ms))


@asynccontextmanager
async def open_shop(database_url: str) -> AsyncIterator[Shop]:
    async with (
        node() as chain,
        upstream() as model,
        served(database_url, env=paid_at(model.url) | chain.settings) as service,
    ):
        yield Shop(service, chain, model)
