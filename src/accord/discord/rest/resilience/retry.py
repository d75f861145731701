"""Sending again what failed and may be sent again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from accord.discord.rest.errors import DiscordRetryableError
from accord.discord.rest.resilience.backoff import WAITS, Jitter, Random
from accord.discord.rest.resilience.classify import surely_undone
from accord.discord.rest.resilience.clock import Clock, Sleep, loop_time
from accord.discord.rest.resilience.hooks import Hooks, tell
from accord.discord.rest.resilience.layers import A, Next, R, Request

__all__ = ["Retry"]


class Retry:
    """Send again what failed and may be sent again, at most `retries` times.

    What the service refused for a stated while, or what never reached it, is sent again whatever it is; all else only
    where the request is replayable; what can be read only once, never. A failure stands whose wait would be longer
    than `longest_wait_ms` or would reach the deadline.
    """

    def __init__(
        self,
        *,
        retries: int,
        base_wait_ms: int,
        longest_wait_ms: int,
        jitter: Jitter = "full",
        hooks: Hooks | None = None,
        clock: Clock = loop_time,
        sleep: Sleep = asyncio.sleep,
        random: Random = random.random,
    ) -> None:
        self._retries = retries
        self._longest_wait_ms = longest_wait_ms
        self._new_waits = partial(WAITS[jitter], base_wait_ms, longest_wait_ms, random)
        self._hooks = hooks or Hooks()
        self._clock = clock
        self._sleep = sleep

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Send the request until it is answered or has to be given up.

        Raises:
            DiscordRetryableError: The last failure, given up.
        """
        waits: Iterator[int] | None = None
        while True:
            try:
                return await following(request)
            except DiscordRetryableError as failure:
                waits = waits or self._new_waits()
                wait_ms = self._wait_ms(request, failure, next(waits))
                if wait_ms is None:
                    tell(self._hooks.on_dead_letter, request.route, failure.original)
                    raise
                held_back = request.paced and failure.retry_after_ms is not None
                doubtful = request.doubtful or not surely_undone(failure)
            if not held_back:
                await self._sleep(wait_ms / 1000)
            request = replace(request, attempt=request.attempt + 1, doubtful=doubtful)

    def _wait_ms(self, request: Request, failure: DiscordRetryableError, backoff_ms: int) -> int | None:
        """Return how long to wait before the next attempt, None where there is to be none."""
        if request.once or request.attempt > self._retries:
            return None
        if not (request.replayable or surely_undone(failure)):
            return None
        wait_ms = backoff_ms if failure.retry_after_ms is None else failure.retry_after_ms
        if wait_ms > self._longest_wait_ms:
            return None
        if request.deadline is not None and self._clock() + wait_ms / 1000 >= request.deadline:
            return None
        return wait_ms
