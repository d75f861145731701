"""Time that passes only when everybody waits for it, and a Discord that lives in it."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from math import ceil
from typing import TypeVar

import orjson

from accord.discord.rest.exchange import Answer, HttpRequest
from accord.discord.rest.routes import path_of

T = TypeVar("T")

TURNS_UNTIL_IDLE = 12


@dataclass(order=True)
class Timer:
    """A call at its time; those of one time in the order in which they were asked for."""

    when: float
    number: int
    callback: Callable[[], object] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class Timeline:
    """A scheduler whose time stands still while there is something to do."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._timers: list[Timer] = []
        self._numbers = count()

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Timer:
        timer = Timer(self.now + delay, next(self._numbers), callback)
        heapq.heappush(self._timers, timer)
        return timer

    async def sleep(self, seconds: float) -> None:
        over = asyncio.get_running_loop().create_future()

        def end() -> None:
            if not over.done():
                over.set_result(None)

        self.call_later(seconds, end)
        await over

    async def idle(self) -> None:
        """Let everything run that can run now."""
        for _ in range(TURNS_UNTIL_IDLE):
            await asyncio.sleep(0)

    async def run(self, *calls: Awaitable[T]) -> list[T | BaseException]:
        """Let time pass until all calls have ended; fails if they never would."""
        tasks = [asyncio.ensure_future(call) for call in calls]
        await self.idle()
        while not all(task.done() for task in tasks):
            assert self._timers, "somebody waits for ever"
            await self._step()
        return await asyncio.gather(*tasks, return_exceptions=True)

    async def advance(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self.now + seconds
        await self.idle()
        while self._timers and self._timers[0].when <= end:
            await self._step()
        self.now = end

    async def _step(self) -> None:
        timer = heapq.heappop(self._timers)
        if not timer.cancelled:
            self.now = max(self.now, timer.when)
            timer.callback()
            await self.idle()


@dataclass
class Limit:
    """A bucket as Discord counts it: so many in a window that begins with its first request, or one that leaks.

    `clock_ahead` is by how many seconds its clock and this machine's differ.
    """

    name: str
    size: int
    seconds: float
    leaks: bool = False
    clock_ahead: float = 0.0
    used: float = 0.0
    at: float = 0.0

    def take(self, now: float) -> tuple[dict[str, str], float]:
        """Count one; returns the headers and, if it was too many, the seconds to wait."""
        per_second = self.size / self.seconds
        if self.leaks:
            self.used, self.at = max(0.0, self.used - (now - self.at) * per_second), now
        elif now >= self.at:
            self.used, self.at = 0.0, now + self.seconds
        too_many = self.used + 1 > self.size + 1e-9
        self.used += 0 if too_many else 1
        reset_after = self.used / per_second if self.leaks else self.at - now
        wait = (self.used + 1 - self.size) / per_second if self.leaks else reset_after
        headers = headers_of(self.name, self.size, int(self.size - self.used), reset_after)
        reset = {"X-RateLimit-Reset": f"{time.time() + self.clock_ahead + reset_after:.3f}"}
        return headers | reset, wait if too_many else 0.0


def headers_of(name: str, limit: int, remaining: int, reset_after: float) -> dict[str, str]:
    return {
        "Via": "1.1 google",
        "X-RateLimit-Bucket": name,
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset-After": f"{reset_after:.3f}",
    }


def limited(retry_after: float, scope: str = "user", headers: Mapping[str, str] | None = None) -> Answer:
    """A 429 as Discord words it."""
    shared = "The resource is being rate limited."
    body = {
        "message": shared if scope == "shared" else "You are being rate limited.",
        "retry_after": retry_after,
        "global": scope == "global",
    }
    marks = {"Via": "1.1 google", "X-RateLimit-Scope": scope, "Retry-After": str(ceil(retry_after))}
    return Answer(429, {**(headers or {}), **marks}, orjson.dumps(body))


def page(status: int, headers: Mapping[str, str] | None = None) -> Answer:
    """A page of the edge."""
    return Answer(status, {"Content-Type": "text/html", **(headers or {})}, b"<html>error code: 1015</html>")


class FakeDiscord:
    """Answers after `latency` seconds; `acts` come first, then the limit that `limit_of` gives for a request."""

    def __init__(
        self,
        timeline: Timeline,
        limit_of: Callable[[HttpRequest], Limit | None] = lambda _: None,
        *,
        latency: float = 0.02,
    ) -> None:
        self.timeline = timeline
        self.limit_of = limit_of
        self.latency = latency
        self.overall: Limit | None = None
        self.acts: list[Answer | Exception] = []
        self.seen: list[tuple[float, HttpRequest]] = []
        self.statuses: Counter[int] = Counter()
        self.flying = 0
        self.most_flying = 0

    @property
    def times(self) -> list[float]:
        """When requests were sent, in seconds from the first one."""
        return [round(at - self.seen[0][0], 3) for at, _request in self.seen]

    async def __call__(self, request: HttpRequest) -> Answer:
        self.seen.append((self.timeline.now, request))
        self.flying += 1
        self.most_flying = max(self.most_flying, self.flying)
        try:
            await self.timeline.sleep(self.latency / 2)
            answer = self._answer(request)
            await self.timeline.sleep(self.latency / 2)
        finally:
            self.flying -= 1
        if isinstance(answer, Exception):
            raise answer
        self.statuses[answer.status] += 1
        return answer

    def _answer(self, request: HttpRequest) -> Answer | Exception:
        if self.acts:
            return self.acts.pop(0)
        if self.overall is not None and (wait := self.overall.take(self.timeline.now)[1]):
            return limited(wait, "global")
        limit = self.limit_of(request)
        headers, wait = ({"Via": "1.1 google"}, 0.0) if limit is None else limit.take(self.timeline.now)
        return limited(wait, "user", headers) if wait else Answer(200, headers, b"{}")


def request(route: str, *values: str, body: bytes | None = None, deadline: float | None = None) -> HttpRequest:
    """A request as the client makes it, `GET /channels/{}` and its values."""
    method, template = route.split(" ")
    idempotent = method in {"GET", "PUT", "DELETE"}
    return HttpRequest(
        route=route,
        replayable=idempotent,
        deadline=deadline,
        method=method,
        template=template,
        values=values,
        url=path_of(template, values),
        body=body,
        headers={},
        idempotent=idempotent,
        nonce=None,
    )
