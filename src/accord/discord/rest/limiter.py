"""Discord's rate limits as one bot's requests meet them: each waits for its turn, and each answer is learnt from."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from accord.discord.rest.buckets import Bucket, Lane, Told, told_by
from accord.discord.rest.cooldown import MARGIN_SECONDS, Cooldown
from accord.discord.rest.edge import BLOCK_SECONDS, Edge
from accord.discord.rest.errors import DiscordCloudflareBlocked, DiscordRateLimitError, error_of
from accord.discord.rest.invalid_requests import INVALID_STATUSES, InvalidRequests
from accord.discord.rest.lanes import is_one_shot, lane_of
from accord.discord.rest.routes import carries_credential
from accord.discord.rest.turnstile import Patience, Scheduler, Turnstile
from accord.discord.rest.window import Window
from accord.engine import logger

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from accord.discord.config import Config
    from accord.discord.rest.client import Answer, HttpRequest
    from accord.discord.rest.lanes import LaneKey, Resource
    from accord.discord.rest.resilience import Next

__all__ = ["Limiter", "build_limiter"]

MOST_LANES = 4096
TOO_MANY = 429

RuleT = TypeVar("RuleT", bound=Cooldown)

log = logger(__name__)


class Limiter:
    """A layer that sends a request when Discord is ready for it, and refuses one that would have to wait too long.

    One for each bot. It lies within the retries, which leave the wait after a 429 to it: the request that was refused
    queues again, and comes up when the limit that it met is open.

    Args:
        requests_per_second: The global limit, or this process's share of it; 0 for none.
        longest_wait_ms: The longest wait for a limit before a request is refused, in milliseconds.
        edge, invalid: Shared by all bots of a process, because Discord counts them for its address.
        scheduler: Gives the clock and timers.
        wall_clock: The Unix time in seconds. It tells the age of messages to delete and nothing else.
    """

    def __init__(
        self,
        *,
        requests_per_second: int = 50,
        longest_wait_ms: int = 10_000,
        edge: Edge | None = None,
        invalid: InvalidRequests | None = None,
        scheduler: Callable[[], Scheduler] = asyncio.get_running_loop,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.edge = edge or Edge()
        self.invalid = invalid or InvalidRequests()
        self._longest_wait_seconds = longest_wait_ms / 1000
        self._scheduler = scheduler
        self._wall_clock = wall_clock
        self._exempt = self._turnstile(Cooldown(scope="global"))
        self._window: Turnstile[Window] | Turnstile[Cooldown] = (
            self._turnstile(Window(requests_per_second)) if requests_per_second else self._exempt
        )
        self._lanes: Shelf[LaneKey, Lane] = Shelf(MOST_LANES)
        self._buckets: Shelf[tuple[str, Resource], Bucket] = Shelf(MOST_LANES)

    async def __call__(self, request: HttpRequest, following: Next[HttpRequest, Answer]) -> Answer:
        """Send the request when it is its turn.

        Raises:
            DiscordRateLimitError: Its turn would come too late. Nothing was sent.
            DiscordCloudflareBlocked: Discord's edge blocks this address, as this answer or an earlier one said.
            DeadlinePassed: An answer that had to come first did not come in time. Nothing was sent.
        """
        now = self._scheduler().time()
        self.edge.check(now)
        self.invalid.check(now)
        key = lane_of(request, self._wall_clock())
        lane = self._lane(key, now)
        bucket = await self._admitted(request, lane, now)
        try:
            answer = await following(request)
        except BaseException:
            self._learn(key, lane, bucket, None)
            raise
        self._heed_edge(answer, lambda usable: self._learn(key, lane, bucket, usable))
        return answer

    async def _admitted(self, request: HttpRequest, lane: Turnstile[Lane], now: float) -> Turnstile[Bucket] | None:
        """Pass the lane, the bucket that it belongs to, and the global window; give all turns back if one fails."""
        latest = now + self._longest_wait_seconds
        patience = Patience(latest if request.deadline is None else min(latest, request.deadline), request.deadline)
        with ExitStack() as turns:
            turns.callback(lane.undo, await lane.turn(patience))
            bucket = await _bucket_turn(lane.rule, patience, turns)
            await (self._exempt if carries_credential(request.template) else self._window).turn(patience)
            turns.pop_all()
        return bucket

    def _learn(
        self, key: LaneKey, lane: Turnstile[Lane], bucket: Turnstile[Bucket] | None, answer: Answer | None
    ) -> None:
        """Take over what the end of a request tells, then let pass who may."""
        now = self._scheduler().time()
        told = None if answer is None or is_one_shot(key) else told_by(answer.headers)
        named = None if told is None else self._bucket(told, key, now)
        if bucket is not None:
            bucket.rule.end(told if bucket is named else None, now)
        if told is not None and named is not None and named is not bucket:
            named.rule.learn(told, now)
        lane.rule.end(named, answered=answer is not None and answer.status < TOO_MANY)
        if answer is not None and answer.status in INVALID_STATUSES:
            self._heed(answer, lane if named is None or told is None or told.remaining > 0 else named, now)
        for turnstile in (bucket, named, lane):
            if turnstile is not None:
                turnstile.pump()
