"""`python bench/limits.py`: what Discord's rate limits cost in requests, 429s and seconds, against the ideal.

Each scenario is a client of its own before a Discord on loopback that counts as the real one is known to, in real time.
At the end the CPU time that limits and resilience take from each call, without a socket.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from accord.discord.config import load_config
from accord.discord.rest.client import Answer, Discord, HttpRequest, Wire, worded
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.resilience import build_policy, composed
from accord.engine import Secret

LATENCY_SECONDS = 0.02
"""Half of it on the way there."""

MESSAGES = "/channels/{}/messages"
PIN = "/channels/{}/messages/pins/{}"
MOST_MICROSECONDS = 60.0
TOKEN = Secret("a.b.c")


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


Call = Callable[[Discord], Awaitable[Any]]


def read(channel: object = 1) -> Call:
    return lambda discord: discord.get(MESSAGES, str(channel), into=dict)


def send(channel: object = 1) -> Call:
    return lambda discord: discord.post(MESSAGES, str(channel), into=dict, body={})


def rename(discord: Discord) -> Awaitable[Any]:
    return discord.patch("/channels/{}", "1", into=dict, body={"name": "x"})


def pinning(method: str) -> Call:
    return lambda discord: discord.do(method, PIN, "1", "2")


@dataclass(frozen=True)
class Scenario:
    """Calls that come at once or one after another, and what they cost at best.

    The first of the calls is cancelled at once where `leaves` is set.
    """

    name: str
    stub: Stub
    calls: list[Call]
    ideal: float
    most_seconds: float
    most_429s: int = 0
    requests: int | None = None
    per_second: int = 50
    in_turn: bool = False
    leaves: bool = False


BANNED = {"message": "You are being blocked from accessing our API temporarily.", "code": 0}
HIDDEN = {
    "X-RateLimit-Bucket": "b",
    "X-RateLimit-Limit": "5",
    "X-RateLimit-Remaining": "4",
    "X-RateLimit-Reset-After": "15.0",
}


def scenarios() -> Iterator[Scenario]:
    """Every row of the table; the ideal counts windows alone, no round trips."""
    five = Stub(limit=lambda: Limit(5, 1.0))
    yield Scenario("20 calls, 5 a second, fixed", five, [read()] * 20, 3.0, 3.4)
    leaky = Stub(limit=lambda: Limit(5, 1.0, leaks=True))
    yield Scenario("20 calls, 5 a second, leaky", leaky, [read()] * 20, 3.0, 3.4)
    shared = Stub(acts=[limited(1.2, "shared", **HIDDEN)])
    yield Scenario("shared limit of 1.2 s", shared, [send()], 1.2, 1.4, most_429s=1)
    for hours in (-1, 1):
        skewed = Stub(limit=lambda ahead=hours * 3600: Limit(2, 0.5, clock_ahead=ahead))  # type: ignore[misc]
        yield Scenario(f"6 calls, clock {hours:+} h", skewed, [read()] * 6, 1.0, 1.3)
    yield Scenario(
        "1015 page, then 9 calls", Stub(acts=[page(429)]), [read()] * 10, 0.0, 0.3, 1, requests=1, in_turn=True
    )
    notice = web.Response(status=429, body=orjson.dumps(BANNED), content_type="application/json")
    yield Scenario(
        "ban notice, then 9 calls", Stub(acts=[notice]), [read()] * 10, 0.0, 0.3, 1, requests=1, in_turn=True
    )
    yield Scenario("POST, 502 page", Stub(acts=[page(502)]), [send()], 0.0, 0.3, requests=1)
    hidden = Stub(acts=[limited(582.0, "user", **HIDDEN)])
    yield Scenario("hidden limit of 582 s, 3 calls", hidden, [rename] * 3, 0.0, 0.3, 1, requests=1, in_turn=True)
    overall = Stub(acts=[limited(2.0, "global")])
    yield Scenario("global 429 of 2 s, 10 calls, new route", overall, [read()] * 10, 2.0, 2.3, most_429s=1)
    many = Stub(overall=Limit(50, 1.0), limit=lambda: Limit(5, 1.0))
    yield Scenario("200 calls, 200 channels, 50 a second", many, [read(n) for n in range(200)], 3.0, 3.6)
    pins = Stub(limit=lambda: Limit(5, 1.0))
    yield Scenario("20 calls, two routes, one bucket", pins, [pinning("PUT"), pinning("DELETE")] * 10, 3.0, 3.4)
    emptying = Stub(limit=lambda: Limit(1, 1.0))
    yield Scenario("the call that empties a bucket", emptying, [read()], 0.0, 0.3)
    leaving = Stub(limit=lambda: Limit(5, 0.5))
    yield Scenario("10 calls, the first one leaves", leaving, [read()] * 10, 0.5, 1.2, leaves=True)
    rejected = Stub(acts=[json(401, {"message": "401: Unauthorized", "code": 0})])
    yield Scenario("401, then 9 calls", rejected, [read()] * 10, 0.0, 0.3, requests=1, in_turn=True)
    slow = Stub(limit=lambda: Limit(100, 1.0), latency=0.05)
    yield Scenario("64 calls at once, Discord takes 50 ms", slow, [read()] * 64, 0.1, 0.2, per_second=0)


@dataclass(frozen=True)
class Outcome:
    requests: int
    refusals: int
    seconds: float
    holds: bool


async def played(scenario: Scenario) -> Outcome:
    """Play one scenario; calls may fail, what counts is what reached Discord."""
    limiter = Limiter(requests_per_second=scenario.per_second)
    async with served(scenario.stub) as url:
        discord = Discord(TOKEN, policy=build_policy(load_config({})), limiter=limiter, base_url=url)
        begun = time.monotonic()
        await (one_by_one(scenario, discord) if scenario.in_turn else at_once(scenario, discord))
        seconds = time.monotonic() - begun
        await discord.aclose()
    requests, refusals = scenario.stub.statuses.total(), scenario.stub.statuses[429]
    as_many = scenario.requests in {None, requests}
    return Outcome(
        requests, refusals, seconds, as_many and refusals <= scenario.most_429s and seconds <= scenario.most_seconds
    )


async def at_once(scenario: Scenario, discord: Discord) -> None:
    calls = [asyncio.ensure_future(call(discord)) for call in scenario.calls]
    await asyncio.sleep(0)
    if scenario.leaves:
        calls[0].cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def one_by_one(scenario: Scenario, discord: Discord) -> None:
    for call in scenario.calls:
        await asyncio.gather(call(discord), return_exceptions=True)


async def microseconds_a_call(calls: int = 20_000) -> dict[str, float]:
    """Return the CPU time of one call through the limiter alone, and through it and the whole policy."""
    headers = {name: value for name, value in Limit(10**6, 1.0).take().headers.items()}  # noqa: C416 - a plain dict
    answer = Answer(200, headers, b"{}")

    async def answering(_request: HttpRequest) -> Answer:
        return answer

    policy, wire = build_policy(load_config({})), Wire(None, base_url="", user_agent="", on_attempt=None)
    limiter = Limiter(requests_per_second=0)
    ways = {
        "limiter": composed((limiter,), answering),
        "limiter and resilience": composed(policy.around(worded, wire.judge, limiter), answering),
    }
    return {name: await _timed(way, calls) for name, way in ways.items()}


async def _timed(way: Callable[[HttpRequest], Awaitable[Answer]], calls: int) -> float:
    request = HttpRequest(
        route=f"GET {MESSAGES}",
        replayable=True,
        method="GET",
        template=MESSAGES,
        values=("1",),
        url="",
        body=None,
        headers={},
        idempotent=True,
        nonce=None,
        deadline=asyncio.get_running_loop().time() + 3600,
    )
    await way(request)
    begun = time.process_time()
    for _ in range(calls):
        await way(request)
    return (time.process_time() - begun) / calls * 1e6


async def measured() -> bool:
    """Print the table as it comes about; returns whether every row holds."""
    print("| scenario | requests | 429s | seconds | ideal | |")
    print("|---|---|---|---|---|---|")
    all_hold = True
    for scenario in scenarios():
        found = await played(scenario)
        all_hold = all_hold and found.holds
        verdict = "" if found.holds else "**too much**"
        print(
            f"| {scenario.name} | {found.requests} | {found.refusals} | {found.seconds:.2f} | {scenario.ideal:.2f} "
            f"| {verdict} |"
        )
    print()
    costs = await microseconds_a_call()
    for name, cost in costs.items():
        print(f"{name}: {cost:.1f} µs CPU a call (at most {MOST_MICROSECONDS:.0f})")
    return all_hold and max(costs.values()) <= MOST_MICROSECONDS


def main() -> int:
    logging.getLogger("accord").setLevel(logging.ERROR)
    return 0 if asyncio.run(measured()) else 1


if __name__ == "__main__":
    sys.exit(main())
