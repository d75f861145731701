"""A node of Solana over HTTP in front of a chain in this process, at which a test can stop whoever asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import web

from accord.deside.chain import ChainSandbox
from accord.deside.client.wallet import LocalWallet
from accord.deside.payments.buyer import Buyer, Caps
from accord.deside.payments.rpc import Rpc
from accord.deside.payments.solana import Solana
from accord.deside.usdc import NETWORKS

__all__ = ["Node", "node"]

Json: TypeAlias = Any


@dataclass
class Node:
    """A chain with a treasury, a fee payer and a funded wallet; `url` is where its JSON-RPC is.

    A request of the method `stop_before` or `stop_after` is never answered; `stopped` says that it came.
    """

    sandbox: ChainSandbox = field(default_factory=ChainSandbox)
    url: str = ""
    stop_before: str | None = None
    stop_after: str | None = None
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a server that takes money here."""
        return {
            "DESIDE_PAY_TO": self.sandbox.treasury,
            "DESIDE_SOLANA_RPC_URL": self.url,
            "DESIDE_FEE_PAYER_KEY": str(self.sandbox.fee_payer),
        }

    @property
    def earned(self) -> int:
        """What the treasury has, in atomic units."""
        return self.sandbox.balance(self.sandbox.treasury)

    @property
    def buyer(self) -> Buyer:
        """Somebody who pays from the funded wallet."""
        return Buyer(
            LocalWallet(self.sandbox.payer),
            Solana(Rpc(self.sandbox.post)),
            NETWORKS["mainnet"],
            Caps(per_payment=10**9, per_run=10**9),
        )

    def go_on(self) -> None:
        """Stop nobody any more."""
        self.stop_before = self.stop_after = None
        self.stopped.clear()

    async def serve(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if asked["method"] == self.stop_before:
            await self._stop()
        answer = await self.sandbox.post(asked)
        if asked["method"] == self.stop_after:
            await self._stop()
        return web.json_response(answer)

    async def _stop(self) -> None:
        self.stopped.set()
        await asyncio.Event().wait()


@asynccontextmanager
async def node() -> AsyncIterator[Node]:
    """Run a node for as long as the context."""
    running = Node()
    app = web.Application()
    app.router.add_post("/", running.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    running.url = f"http://{host}:{port}"
    try:
        yield running
    finally:
        await runner.cleanup()
