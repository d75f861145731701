"""What a client of Discord's limits is put through, what it costs at best, and what it may cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson
from aiohttp import web
from bench.counting import Limit, Stub, json, limited, page

from accord.discord.rest.client import Discord

MESSAGES = "/channels/{}/messages"
PIN = "/channels/{}/messages/pins/{}"

Call: TypeAlias = Callable[[Discord], Awaitable[Any]]


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
