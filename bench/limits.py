"""What Discord's rate limits cost in requests, 429s and seconds, and what heeding them costs in processor time.

Each scenario is a client of its own before a Discord on loopback that counts as the real one is known to.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bench.counting import Limit, served
from bench.scenarios import MESSAGES, Scenario, scenarios

from accord.discord.config import load_config
from accord.discord.rest.client import Discord
from accord.discord.rest.exchange import Answer, HttpRequest
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.resilience import build_policy, composed
from accord.engine import Secret

TIMED_CALLS = 20_000
TOKEN = Secret("a.b.c")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a scenario came to; `ideal` counts windows alone, no round trips."""

    requests: int
    refusals: int
    seconds: float
    ideal: float
    holds: bool


@dataclass(frozen=True, slots=True)
class Limited:
    """Every scenario's outcome by its name, and the processor time that the layers add to a call, in microseconds."""

    outcomes: Mapping[str, Outcome]
    added_us: Mapping[str, float]


async def measure_limits(longest_ideal: float) -> Limited:
    """Play the scenarios that take at most so many seconds at best, one after the other."""
    logging.getLogger("accord").setLevel(logging.ERROR)
    played_ones = (one for one in scenarios() if one.ideal <= longest_ideal)
    outcomes = {scenario.name: await played(scenario) for scenario in played_ones}
    return Limited(outcomes, await added_us(TIMED_CALLS))


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
    holds = as_many and refusals <= scenario.most_429s and seconds <= scenario.most_seconds
    return Outcome(requests, refusals, seconds, scenario.ideal, holds)


async def at_once(scenario: Scenario, discord: Discord) -> None:
    calls = [asyncio.ensure_future(call(discord)) for call in scenario.calls]
    await asyncio.sleep(0)
    if scenario.leaves:
        calls[0].cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def one_by_one(scenario: Scenario, discord: Discord) -> None:
    for call in scenario.calls:
        await asyncio.gather(call(discord), return_exceptions=True)


async def added_us(calls: int) -> dict[str, float]:
    """Return what one call costs in the limiter alone, and in it and the whole policy, where nothing is sent."""
    headers = dict(Limit(10**6, 1.0).take().headers)
    answer = Answer(200, headers, b"{}")

    async def answering(_request: HttpRequest) -> Answer:
        return answer

    policy, limiter = build_policy(load_config({})), Limiter(requests_per_second=0)
    ways = {
        "limiter": composed((limiter,), answering),
        "limiter and resilience": composed(policy.around(limiter), answering),
    }
    return {name: await timed_us(way, calls) for name, way in ways.items()}


async def timed_us(way: Callable[[HttpRequest], Awaitable[Answer]], calls: int) -> float:
    """Return the processor time of one call, in microseconds; its deadline is far away, but looked at."""
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
