"""How many requests may be on the wire at once."""

from __future__ import annotations

import asyncio

from accord.discord.rest.resilience.clock import Clock, loop_time, seconds_left
from accord.discord.rest.resilience.failures import BulkheadRejected
from accord.discord.rest.resilience.hooks import Hooks, tell
from accord.discord.rest.resilience.layers import A, Next, R, Request

__all__ = ["Bulkhead"]


class Bulkhead:
    """Let at most `limit` requests be on the wire at once.

    A request with a deadline waits for a slot until then, first come first served; one without is refused at once.
    """

    def __init__(self, limit: int, *, hooks: Hooks | None = None, clock: Clock = loop_time) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._hooks = hooks or Hooks()
        self._clock = clock

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Hold a slot while the request is on the wire.

        Raises:
            BulkheadRejected: There was no free slot in time.
        """
        await self._enter(request)
        try:
            return await following(request)
        finally:
            self._slots.release()

    async def _enter(self, request: Request) -> None:
        if not self._slots.locked():
            await self._slots.acquire()
            return
        try:
            async with asyncio.timeout(seconds_left(request.deadline, self._clock) or 0.0):
                await self._slots.acquire()
        except TimeoutError:
            raise self._rejected(request) from None
        if (
            seconds_left(request.deadline, self._clock) or 0.0
        ) <= 0.0:  # a slot that came with the deadline came too late
            self._slots.release()
            raise self._rejected(request)

    def _rejected(self, request: Request) -> BulkheadRejected:
        tell(self._hooks.on_reject, request.route)
        return BulkheadRejected()
