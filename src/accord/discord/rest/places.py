"""Where things belong: what Discord was asked once it is not asked again for some minutes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from math import inf
from typing import Final, NamedTuple, TypeAlias

from accord.discord.rest.resilience.clock import Clock, loop_time

__all__ = ["Places"]

Key: TypeAlias = tuple[str, ...]
"""The kind of a thing, and its id."""

MOST_PLACES: Final = 1024
LIFETIME_SECONDS: Final = 5 * 60.0


class Found(NamedTuple):
    """The id of what a thing belongs to, None where that is nothing; and until when it counts."""

    where: str | None
    until: float


class Places:
    """What things belong to: channels, webhooks and invites to guilds, a bot to its application.

    All calls of one client share it. Those that look for the same at the same time wait for one answer, and one that
    is cancelled ends only itself. Failures are not kept. Of more than `most` things the longest unused are forgotten.
    """

    def __init__(
        self, *, most: int = MOST_PLACES, lifetime_seconds: float = LIFETIME_SECONDS, clock: Clock = loop_time
    ) -> None:
        self._most = most
        self._lifetime = lifetime_seconds
        self._clock = clock
        self._found: OrderedDict[Key, Found] = OrderedDict()
        self._under_way: dict[Key, asyncio.Task[str | None]] = {}

    async def find(self, key: Key, ask: Callable[[], Awaitable[str | None]], *, for_good: bool = False) -> str | None:
        """Return where it belongs, from `ask` if it is not known; `for_good` is for what never changes.

        Raises:
            ToolError: What `ask` raised.
        """
        if self.knows(key):
            self._found.move_to_end(key)
            return self._found[key].where
        return await asyncio.shield(self._under_way.get(key) or self._begun(key, ask, for_good=for_good))

    def knows(self, key: Key) -> bool:
        """Whether it need not be asked for."""
        known = self._found.get(key)
        return known is not None and known.until > self._clock()

    def learn(self, key: Key, where: str | None, *, for_good: bool = False) -> None:
        """Remember what an answer has told."""
        self._found[key] = Found(where, inf if for_good else self._clock() + self._lifetime)
        self._found.move_to_end(key)
        if len(self._found) > self._most:
            self._found.popitem(last=False)

    def _begun(self, key: Key, ask: Callable[[], Awaitable[str | None]], *, for_good: bool) -> asyncio.Task[str | None]:
        task = self._under_way[key] = asyncio.create_task(self._asked(key, ask, for_good=for_good))
        task.add_done_callback(_heard)
        return task

    async def _asked(self, key: Key, ask: Callable[[], Awaitable[str | None]], *, for_good: bool) -> str | None:
        try:
            where = await ask()
        finally:
            del self._under_way[key]
        self.learn(key, where, for_good=for_good)
        return where


def _heard(task: asyncio.Task[str | None]) -> None:
    """Take note of a failure that nobody waits for any more: all of them may have been cancelled."""
    if not task.cancelled():
        task.exception()
