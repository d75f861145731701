"""Which agents a wallet has, and which of them can act here: those whose wallet has signed in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from accord.deside.identity.agents import AgentRecord, profile_of
from accord.deside.identity.resolvers import RESOLVER_SECONDS, Resolver, resolved
from accord.deside.models.identity import AgentProfile
from accord.deside.models.people import Role
from accord.deside.people import set_role
from accord.deside.store.tables.people import WALLETS
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database

__all__ = ["Agents", "Standing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A wallet's agents: those that can act, those that cannot yet, and the resolvers that did not answer."""

    backed: tuple[AgentRecord, ...]
    unbacked: tuple[AgentRecord, ...]
    silent: tuple[str, ...]

    def called(self, ref: str) -> list[AgentRecord]:
        """Return the agents that can act and that their owner may call so."""
        return [agent for agent in self.backed if agent.is_called(ref)]


class Agents:
    """The agents that the service's own registry and others know. `seconds` bounds how long each other may take."""

    def __init__(
        self,
        store: Database,
        registry: Resolver,
        others: Sequence[Resolver],
        clock: Clock,
        *,
        seconds: float = RESOLVER_SECONDS,
    ) -> None:
        self._store = store
        self._registry = registry
        self._others = others
        self._clock = clock
        self._seconds = seconds

    async def of(self, wallet: Wallet) -> Standing:
        """Find out how things stand with a wallet's agents."""
        found = await resolved(self._registry, self._others, wallet, seconds=self._seconds)
        wanted = {str(agent.backing_wallet) for agent in found.agents}
        registered = await self._store.read(lambda connection: _registered(connection, wanted)) if wanted else set()
        return Standing(
            backed=tuple(agent for agent in found.agents if agent.backing_wallet in registered),
            unbacked=tuple(agent for agent in found.agents if agent.backing_wallet not in registered),
            silent=found.silent,
        )

    async def profile(self, wallet: Wallet) -> AgentProfile | None:
        """Return the agent that everybody knows a wallet as: of several the preferred source's, then the oldest.

        A client's own selection says nothing to others.
        """
        standing = await self.of(wallet)
        return profile_of(standing.backed[0], ms_of(self._clock)) if standing.backed else None

    async def recognise(self, wallet: Wallet) -> Standing:
        """Write down whether a wallet is an agent's, which its messages say; not while a resolver is silent."""
        standing = await self.of(wallet)
        if standing.backed or not standing.silent:
            role: Role = "agent" if standing.backed else "user"
            known = await self._store.read(lambda connection: _role(connection, wallet))
            if known not in {None, role}:
                await self._store.write(lambda connection: set_role(connection, wallet, role))
        return standing


def _registered(connection: sa.Connection, wallets: Iterable[str]) -> set[str]:
    return set(connection.scalars(sa.select(WALLETS.c.wallet).where(WALLETS.c.wallet.in_(wallets))))


def _role(connection: sa.Connection, wallet: Wallet) -> str | None:
    return connection.scalar(sa.select(WALLETS.c.role).where(WALLETS.c.wallet == wallet))
