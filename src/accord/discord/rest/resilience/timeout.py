"""How long one attempt may take."""

from __future__ import annotations

import asyncio
from math import floor

from accord.discord.rest.answers import timed_out
from accord.discord.rest.resilience.clock import Clock, loop_time
from accord.discord.rest.resilience.failures import DeadlinePassed
from accord.discord.rest.resilience.layers import A, Next, R

__all__ = ["Timeout"]


class Timeout:
    """Give each attempt `timeout_ms`, or what is left until the deadline if that is less."""

    def __init__(self, timeout_ms: int, *, clock: Clock = loop_time) -> None:
        self._timeout_ms = timeout_ms
        self._clock = clock

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Cancel the attempt when its time is over.

        Raises:
            InternalError: It was over; nobody knows whether the service acted.
            DeadlinePassed: There was no time left to begin.
        """
        limit_ms = self._limit_ms(request.deadline)
        if limit_ms <= 0:
            raise DeadlinePassed
        try:
            async with asyncio.timeout(limit_ms / 1000) as scope:
                return await following(request)
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise timed_out(limit_ms) from error

    def _limit_ms(self, deadline: float | None) -> int:
        if deadline is None:
            return self._timeout_ms
        return min(self._timeout_ms, floor((deadline - self._clock()) * 1000))
