"""Sources of agents are asked together, each for a bounded time; one that fails hides only its own agents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from accord.deside.identity.agents import SOURCES, AgentRecord
from accord.deside.wallets import Wallet
from accord.engine import logger

__all__ = ["RESOLVER_SECONDS", "Found", "Resolver", "resolved"]

_log = logger("accord.deside.identity")

RESOLVER_SECONDS = 3.0
"""How long a resolver may take: whoever asks for an identity waits for the slowest."""

MOST_AGENTS = 100
"""How many agents of one wallet another's resolver may bring; more are not heeded."""


class Resolver(Protocol):
    """A place where agents are registered. `name` is what an owner hears where it does not answer."""

    @property
    def name(self) -> str:
        """What it is called."""

    async def resolve(self, wallet: Wallet) -> list[AgentRecord]:
        """Return the agents that this wallet owns. Whatever it raises counts as no answer."""


@dataclass(frozen=True, slots=True)
class Found:
    """A wallet's agents, the preferred source first, then the oldest; and the resolvers that did not answer."""

    agents: tuple[AgentRecord, ...]
    silent: tuple[str, ...]


async def resolved(
    own: Resolver, others: Sequence[Resolver], wallet: Wallet, *, seconds: float = RESOLVER_SECONDS
) -> Found:
    """Ask all resolvers for a wallet's agents. What two of them know is told by the one that is listed first.

    The service's own is asked like the rest of its database: without it there is no answer at all.
    """
    ours, *answers = await asyncio.gather(own.resolve(wallet), *(_asked(each, wallet, seconds) for each in others))
    agents: dict[str, AgentRecord] = {}
    for answer in (ours, *answers):
        for agent in answer or ():
            agents.setdefault(agent.catalog_id, agent)
    silent = tuple(each.name for each, answer in zip(others, answers, strict=True) if answer is None)
    return Found(tuple(sorted(agents.values(), key=_rank)), silent)


async def _asked(resolver: Resolver, wallet: Wallet, seconds: float) -> list[AgentRecord] | None:
    """Return one resolver's agents of this owner, None where it did not answer."""
    try:
        async with asyncio.timeout(seconds):
            answer = await resolver.resolve(wallet)
        return [agent for agent in answer if agent.owner_wallet == wallet and agent.source in SOURCES][:MOST_AGENTS]
    except Exception as error:  # noqa: BLE001 - another's code: none of its failures may fail a call
        _log.warning("resolver did not answer", resolver=resolver.name, error=type(error).__name__)
        return None


def _rank(agent: AgentRecord) -> tuple[int, int, str]:
    return SOURCES.index(agent.source), agent.created_ms, agent.catalog_id
