"""What one wallet can say of itself, ask about others, and do against them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias, cast

import sqlalchemy as sa

from accord.deside.errors import InvalidMeaningError, NotFoundError
from accord.deside.models.people import Blocked, DmPolicy, DmPolicySet, ProfileChanges, ProfileUpdated, UserInfo
from accord.deside.people import registry
from accord.deside.people.profiles import AgentProfile, shown, user_info
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database, Issue

__all__ = ["AgentOf", "People", "WhenBlocked"]

AgentOf: TypeAlias = Callable[[Wallet], Awaitable[AgentProfile | None]]
"""Finds the agent's side of a wallet."""

WhenBlocked: TypeAlias = Callable[[sa.Connection, Wallet, Wallet, int], None]
"""What else happens, in the same transaction, when a wallet (the first) blocks another, at a time in milliseconds."""


async def no_agent(_wallet: Wallet) -> AgentProfile | None:
    """Know of no agents."""
    return None


def nothing_else(_connection: sa.Connection, _owner: Wallet, _blocked: Wallet, _at_ms: int) -> None:
    """Leave it at the block."""


class People:
    """The registered wallets. `agent_of` finds agents' profiles, `when_blocked` is what messages do about a block."""

    def __init__(
        self,
        store: Database,
        *,
        clock: Clock = time.time,
        agent_of: AgentOf = no_agent,
        when_blocked: WhenBlocked = nothing_else,
    ) -> None:
        self._store = store
        self._clock = clock
        self._agent_of = agent_of
        self._when_blocked = when_blocked

    async def info(self, wallet: Wallet) -> UserInfo:
        """Return all that everybody may know of a wallet."""
        row = await self._store.read(partial(registry.find, wallet=wallet))
        return user_info(wallet, row, None if row is None else await self._agent_of(wallet))

    async def set_policy(self, wallet: Wallet, policy: DmPolicy) -> DmPolicySet:
        """Say who may write to this wallet from now on."""
        await self._store.write(partial(registry.change, wallet=wallet, changes={"policy": policy}))
        return {"policy": policy}

    async def update_profile(self, wallet: Wallet, changes: ProfileChanges) -> ProfileUpdated:
        """Change what this wallet says of itself.

        Raises:
            NotFoundError: The wallet is not registered.
        """
        columns = {name: text or None for name, text in cast("dict[str, str]", changes).items()}

        def work(connection: sa.Connection) -> registry.Row | None:
            if columns:
                registry.change(connection, wallet, columns)
            return registry.find(connection, wallet)

        row = await self._store.write(work)
        if row is None:
            raise NotFoundError(resource="wallet")
        known = shown(row, await self._agent_of(wallet))
        return {
            "wallet": wallet,
            "visibleProfile": known["visibleProfile"],
            "userProfile": known["userProfile"],
            "changed": sorted(columns),
        }

    async def block(self, owner: Wallet, blocked: Wallet) -> Blocked:
        """Let a wallet write to this one no more; what it wrote stays.

        Raises:
            InvalidMeaningError: The wallet would block itself.
        """
        if owner == blocked:
            raise InvalidMeaningError(issues=[Issue(path="wallet", message="is your own", code="own_wallet")])
        at_ms = ms_of(self._clock)

        def work(connection: sa.Connection) -> bool:
            is_new = registry.block(connection, owner, blocked, at_ms)
            if is_new:
                self._when_blocked(connection, owner, blocked, at_ms)
            return is_new

        return {"wallet": blocked, "blocked": True, "changed": await self._store.write(work)}

    async def unblock(self, owner: Wallet, blocked: Wallet) -> Blocked:
        """Let a wallet write again."""
        changed = await self._store.write(partial(registry.unblock, owner=owner, blocked=blocked))
        return {"wallet": blocked, "blocked": False, "changed": changed}
