"""Discord's rate limits as one bot's requests meet them: each waits for its turn, and each answer is learnt from."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from accord.discord.rest.answers import error_of
from accord.discord.rest.errors import DiscordRateLimitError
from accord.discord.rest.limits.buckets import Bucket, Lane, told_by
from accord.discord.rest.limits.cooldown import MARGIN_SECONDS, Cooldown
from accord.discord.rest.limits.discoveries import Discoveries
from accord.discord.rest.limits.edge import Edge
from accord.discord.rest.limits.invalid_requests import INVALID_STATUSES, InvalidRequests
from accord.discord.rest.limits.lanes import is_one_shot, lane_of
from accord.discord.rest.limits.overall import Overall
from accord.discord.rest.limits.shelf import Shelf
from accord.discord.rest.limits.turnstile import Patience, Turnstile

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.discord.config import Config
    from accord.discord.rest.exchange import Answer, HttpRequest
    from accord.discord.rest.limits.buckets import Told
    from accord.discord.rest.limits.lanes import LaneKey, Resource
    from accord.discord.rest.limits.overall import GlobalLimit
    from accord.discord.rest.limits.turnstile import Scheduler
    from accord.discord.rest.resilience.layers import Next

__all__ = ["Limiter", "build_limiter"]

MOST_KEPT = 4096
"""Lanes, and as many buckets: some 4 MB in all."""

TOO_MANY = 429

RuleT = TypeVar("RuleT", bound=Cooldown)


@dataclass(frozen=True, slots=True)
class Way:
    """What a request passed before it was sent."""

    key: LaneKey
    lane: Turnstile[Lane]
    bucket: Turnstile[Bucket] | None
    overall: GlobalLimit

    def is_open(self, now: float) -> bool:
        """Whether it is still the way: an answer may have named another bucket, or closed this one."""
        same = self.lane.rule.bucket is self.bucket
        return same and now >= self.lane.rule.until and (self.bucket is None or now >= self.bucket.rule.until)


class Limiter:
    """A layer that sends a request when Discord is ready for it, and refuses one that would have to wait too long.

    There is one for each bot; others whose tokens its client sends have lanes, buckets and a global limit of their own.
    It lies within the retries, which leave the wait after a 429 to it: the refused request queues again, and passes
    when the limit that it met is open.

    Args:
        requests_per_second: The global limit of each token, or this process's share of it; 0 for none.
        longest_wait_ms: The longest wait for a limit, in milliseconds.
        edge: Shared by all bots of a process, like `invalid`, because Discord counts both for the address.
        invalid: The requests that Discord refused lately.
        scheduler: Gives clock and timers.
        wall_clock: The Unix time in seconds. It tells the age of messages to delete, and nothing else.
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
        self._overall = Overall(requests_per_second, self._turnstile)
        self._discoveries = Discoveries()
        self._lanes: Shelf[LaneKey, Lane] = Shelf(MOST_KEPT)
        self._buckets: Shelf[tuple[str, Resource], Bucket] = Shelf(MOST_KEPT)

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
        way = await self._admitted(request, now)
        try:
            answer = await following(request)
            self.edge.heed(answer, self._scheduler().time())
        except BaseException:
            self._learn(way, None)
            raise
        self._learn(way, answer)
        return answer

    async def _admitted(self, request: HttpRequest, now: float) -> Way:
        """Pass the lane, the bucket that it belongs to, and the global window.

        All turns are given back if one of them fails, or if the way turns out to be another by then.
        """
        latest = now + self._longest_wait_seconds
        patience = Patience(latest if request.deadline is None else min(latest, request.deadline), request.deadline)
        key = lane_of(request, self._wall_clock())
        lane, overall = self._lane(key, now), self._overall.limit_of(request, now)
        while True:
            with ExitStack() as turns:
                way = await self._passed(key, lane, overall, patience, turns)
                if way.is_open(self._scheduler().time()):
                    turns.pop_all()
                    return way

    async def _passed(
        self, key: LaneKey, lane: Turnstile[Lane], overall: GlobalLimit, patience: Patience, turns: ExitStack
    ) -> Way:
        """Pass the lane, its bucket and the global window, and leave with `turns` how to give that back."""
        turns.callback(lane.undo, await lane.turn(patience))
        if lane.rule.is_probing:
            self._discoveries.begin(key)
            turns.callback(self._discoveries.end, key, None)
        bucket = lane.rule.bucket
        if bucket is not None:
            turns.callback(bucket.undo, await bucket.turn(patience))
        turns.callback(overall.undo, await overall.turn(patience))
        return Way(key, lane, bucket, overall)

    def _learn(self, way: Way, answer: Answer | None) -> None:
        """Take over what the end of a request tells, then let pass who may."""
        now = self._scheduler().time()
        told = None if answer is None or is_one_shot(way.key) else told_by(answer.headers)
        self._discoveries.end(way.key, None if told is None else told.name)
        named = None if told is None else self._named(told, way, now)
        if way.bucket is not None and way.bucket is not named:
            way.bucket.rule.end(None, now)
        way.lane.rule.end(named, answered=answer is not None and answer.status < TOO_MANY)
        if answer is not None and answer.status in INVALID_STATUSES:
            limit = way.lane if named is None or told is None or told.remaining > 0 else named
            self._heed(answer, limit, way.overall, now)
        for turnstile in (way.bucket, named, way.lane):
            if turnstile is not None:
                turnstile.pump()

    def _heed(
        self, answer: Answer, limit: Turnstile[Bucket] | Turnstile[Lane], overall: GlobalLimit, now: float
    ) -> None:
        """Count a 401, 403 or 429, and close what the latter met: that limit, or the global one."""
        row = error_of(answer.status, answer.headers, answer.body)
        scope = row.scope if isinstance(row, DiscordRateLimitError) else None
        if scope != "shared":
            self.invalid.add(now)
        if not isinstance(row, DiscordRateLimitError) or row.retry_after_ms is None:
            return
        until = now + row.retry_after_ms / 1000 + MARGIN_SECONDS
        if scope == "global":
            self._overall.close(overall, until)
        else:
            limit.close(until, scope or "user")

    def _lane(self, key: LaneKey, now: float) -> Turnstile[Lane]:
        if is_one_shot(key):
            return self._turnstile(Lane())
        return self._lanes.get(key) or self._lanes.put(key, self._turnstile(self._new_lane(key)), now)

    def _new_lane(self, key: LaneKey) -> Lane:
        lane, name = Lane(), self._discoveries.name_of(key)
        if name is not None:
            lane.end(self._buckets.get((name, key[2])), answered=False)
        return lane

    def _named(self, told: Told, way: Way, now: float) -> Turnstile[Bucket]:
        """Return the bucket that an answer names, which learns from it."""
        key = (told.name, way.key[2])
        bucket = self._buckets.get(key) or self._buckets.put(key, self._turnstile(Bucket(told)), now)
        learn = bucket.rule.end if bucket is way.bucket else bucket.rule.learn
        learn(told, now, self._discoveries.strangers(way.key, told.name))
        return bucket

    def _turnstile(self, rule: RuleT) -> Turnstile[RuleT]:
        return Turnstile(rule, self._scheduler, self.edge.room)


def build_limiter(config: Config) -> Limiter:
    """Make the limiter of one bot by DISCORD_GLOBAL_REQUESTS_PER_SECOND and MCP_RETRY_MAX_DELAY_MS."""
    return Limiter(
        requests_per_second=config.DISCORD_GLOBAL_REQUESTS_PER_SECOND, longest_wait_ms=config.MCP_RETRY_MAX_DELAY_MS
    )
