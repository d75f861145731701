"""A Discord on loopback whose limits count as the real one is known to count, in real time."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson
from aiohttp import web

LATENCY_SECONDS = 0.02
"""Half of it on the way there."""


@dataclass
class Limit:
    """So many in a window that begins with its first request, or as many that leak away evenly."""

    size: int
    seconds: float
    leaks: bool = False
    clock_ahead: float = 0.0
    used: float = 0.0
    at: float = 0.0

    def take(self) -> web.Response:
        """Count one, and answer as Discord does."""
        now, leak = time.monotonic(), self.size / self.seconds
        if self.leaks:
            self.used, self.at = max(0.0, self.used - (now - self.at) * leak), now
        elif now >= self.at:
            self.used, self.at = 0.0, now + self.seconds
        fits = self.used + 1 <= self.size + 1e-9
        self.used += fits
        reset_after = self.used / leak if self.leaks else self.at - now
        headers = {
            "X-RateLimit-Bucket": "b",
            "X-RateLimit-Limit": str(self.size),
            "X-RateLimit-Remaining": str(int(self.size - self.used)),
            "X-RateLimit-Reset-After": f"{reset_after:.3f}",
            "X-RateLimit-Reset": f"{time.time() + self.clock_ahead + reset_after:.3f}",
        }
        wait = (self.used + 1 - self.size) / leak if self.leaks else reset_after
        return json(200, {}, **headers) if fits else limited(wait, "user", **headers)


def json(status: int, body: object, **headers: str) -> web.Response:
    marks = {"Content-Type": "application/json", "Via": "1.1 google"}
    return web.Response(status=status, body=orjson.dumps(body), headers=marks | headers)


def limited(seconds: float, scope: str, **headers: str) -> web.Response:
    body = {"message": "You are being rate limited.", "retry_after": seconds, "global": scope == "global"}
    return json(429, body, **{"X-RateLimit-Scope": scope} | headers)


def page(status: int) -> web.Response:
    return web.Response(status=status, text="<html>error code: 1015</html>", content_type="text/html")


@dataclass
class Stub:
    """Gives `acts` first, then what `limit` says for the path's resource, under an overall limit."""

    acts: list[web.Response] = field(default_factory=list)
    limit: Callable[[], Limit] | None = None
    overall: Limit | None = None
    latency: float = LATENCY_SECONDS
    statuses: Counter[int] = field(default_factory=Counter)
    limits: dict[str, Limit] = field(default_factory=dict)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(self.latency / 2)
        answer = self._answer(request.path.split("/")[4])
        self.statuses[answer.status] += 1
        await asyncio.sleep(self.latency / 2)
        return answer

    def _answer(self, resource: str) -> web.Response:
        if self.acts:
            return self.acts.pop(0)
        if self.overall is not None and self.overall.take().status == 429:
            return limited(self.overall.at - time.monotonic(), "global")
        if self.limit is None:
            return json(200, {})
        return self.limits.setdefault(resource, self.limit()).take()


@asynccontextmanager
async def served(stub: Stub) -> AsyncIterator[str]:
    runner = web.ServerRunner(web.Server(stub.answer), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api"
    finally:
        await runner.cleanup()
