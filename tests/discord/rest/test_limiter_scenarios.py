"""What a client meets at Discord, with each layer in its place: how many requests it costs, and how long it takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from aiohttp import web
from tests.discord.rest.timeline import FakeDiscord, Limit, Timeline, headers_of, limited, page, request

from accord.discord.config import load_config
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordRateLimitError,
    DiscordRetryableError,
    DiscordUpstreamError,
)
from accord.discord.rest.exchange import Answer, HttpRequest
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.outcomes import worded
from accord.discord.rest.resilience import build_policy, composed
from accord.discord.rest.resilience.retry import Retry
from accord.discord.rest.wire import Wire
from accord.discord.sandbox import Sandbox, demo
from accord.engine import Secret

READ = "GET /channels/{}/messages"
SEND = "POST /channels/{}/messages"
PIN, UNPIN = "PUT /channels/{}/messages/pins/{}", "DELETE /channels/{}/messages/pins/{}"
UPDATE = "PATCH /channels/{}"

Send = Callable[[HttpRequest], Awaitable[Answer]]


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


def client_of(discord: FakeDiscord) -> Send:
    """Retries, wording, judging and limits around this Discord, with the settings' defaults."""
    timeline = discord.timeline
    retry = Retry(retries=3, base_wait_ms=200, longest_wait_ms=10_000, clock=timeline.time, sleep=timeline.sleep)
    wire = Wire(None, base_url="http://127.0.0.1/api", user_agent="", on_attempt=None)
    return composed((retry, worded, wire.judge, Limiter(scheduler=lambda: timeline)), discord)


async def seconds_for(timeline: Timeline, *calls: Any) -> float:
    """Run the calls, all of which must succeed."""
    begun = timeline.now
    outcomes = await timeline.run(*calls)
    assert [type(outcome) for outcome in outcomes] == [Answer] * len(calls)
    return timeline.now - begun


async def failure_of(timeline: Timeline, call: Any) -> Exception:
    (failure,) = await timeline.run(call)
    assert isinstance(failure, Exception)
    return failure.original if isinstance(failure, DiscordRetryableError) else failure


# The scenarios, in time that passes at will


@pytest.mark.parametrize("leaks", [False, True], ids=["fixed", "leaky"])
async def test_twenty_calls_on_five_a_second_take_three_windows_and_meet_no_limit(
    timeline: Timeline, leaks: bool
) -> None:
    limit = Limit("b", 5, 1.0, leaks=leaks)
    discord = FakeDiscord(timeline, lambda _: limit)
    send = client_of(discord)

    seconds = await seconds_for(timeline, *(send(request(READ, "1")) for _ in range(20)))

    assert seconds <= 3.4
    assert discord.statuses == {200: 20}


@pytest.mark.parametrize("clock_ahead", [-3600, 3600])
async def test_a_clock_that_is_an_hour_off_changes_nothing(timeline: Timeline, clock_ahead: float) -> None:
    limit = Limit("b", 2, 1.0, clock_ahead=clock_ahead)
    discord = FakeDiscord(timeline, lambda _: limit)
    send = client_of(discord)

    seconds = await seconds_for(timeline, *(send(request(READ, "1")) for _ in range(6)))

    assert 2.0 <= seconds <= 2.2
    assert discord.statuses == {200: 6}


async def test_a_shared_limit_is_waited_for_once(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(1.2, "shared", headers_of("b", 5, 3, 0.5))]

    seconds = await seconds_for(timeline, client_of(discord)(request(SEND, "1")))

    assert 1.2 <= seconds <= 1.3
    assert discord.statuses == {429: 1, 200: 1}


@pytest.mark.parametrize(
    "block",
    [page(429), page(403), Answer(429, {}, orjson.dumps({"message": "You are being blocked", "code": 0}))],
    ids=["1015", "403", "ban notice"],
)
async def test_a_block_at_the_edge_is_told_and_nothing_more_is_sent(timeline: Timeline, block: Answer) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [block]
    send = client_of(discord)

    failures = [await failure_of(timeline, send(request(READ, channel))) for channel in "123"]

    assert [type(failure) for failure in failures] == [DiscordCloudflareBlocked] * 3
    assert len(discord.seen) == 1


async def test_a_post_is_not_sent_again_after_a_502(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [page(502)]

    failure = await failure_of(timeline, client_of(discord)(request(SEND, "1")))

    assert isinstance(failure, DiscordUpstreamError)
    assert (failure.outcome, len(discord.seen)) == ("unknown", 1)


async def test_a_hidden_limit_of_ten_minutes_is_told_at_once(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(582.0, "user", headers_of("b", 5, 4, 15.0))]
    send = client_of(discord)

    failures = [await failure_of(timeline, send(request(UPDATE, "1", body=b'{"name":"x"}'))) for _ in range(3)]

    assert all(isinstance(failure, DiscordRateLimitError) for failure in failures)
    assert len(discord.seen) == 1
    assert timeline.now < 1001


async def test_a_limit_of_two_days_is_told_at_once(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(172_800.0, "user", headers_of("b", 250, 0, 172_800.0))]
    send = client_of(discord)

    first = await failure_of(timeline, send(request("POST /guilds/{}/roles", "1")))
    second = await failure_of(timeline, send(request("POST /guilds/{}/roles", "1")))

    assert isinstance(first, DiscordRateLimitError)
    assert isinstance(second, DiscordRateLimitError)
    assert (first.retry_after_ms, second.retry_after_ms) == (172_800_000, 172_800_020)


async def test_a_global_limit_is_met_once_and_not_ten_times(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(2.0, "global")]
    send = client_of(discord)

    seconds = await seconds_for(timeline, *(send(request(READ, "1")) for _ in range(10)))

    assert 2.0 <= seconds <= 2.2
    assert discord.statuses == {429: 1, 200: 10}


async def test_two_hundred_calls_over_two_hundred_channels_meet_no_limit(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.overall = Limit("global", 50, 1.0)
    send = client_of(discord)

    seconds = await seconds_for(timeline, *(send(request(READ, str(channel))) for channel in range(200)))

    assert seconds <= 3.6
    assert discord.statuses == {200: 200}


async def test_two_routes_on_one_bucket_meet_no_limit(timeline: Timeline) -> None:
    limit = Limit("pins", 5, 1.0)
    discord = FakeDiscord(timeline, lambda _: limit)
    send = client_of(discord)

    seconds = await seconds_for(timeline, *(send(request(route, "1", "7")) for route in (PIN, UNPIN) * 10))

    assert seconds <= 3.4
    assert discord.statuses == {200: 20}


async def test_fifty_calls_go_on_when_the_headers_vanish(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [Answer(200, headers_of("b", 5, 4, 1.0), b"{}")]
    send = client_of(discord)

    seconds = await seconds_for(timeline, *(send(request(READ, "1")) for _ in range(50)))

    assert seconds <= 10.4
    assert discord.most_flying == 5


async def test_a_request_that_met_a_limit_waits_for_it_once_and_not_twice(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(3.0, "user", headers_of("b", 5, 0, 3.0))]

    await seconds_for(timeline, client_of(discord)(request(SEND, "1")))

    assert discord.times == [0, 3.04]


# The same over a socket


@asynccontextmanager
async def connected(sandbox: Sandbox, **settings: str) -> AsyncIterator[Discord]:
    config = load_config(settings)
    discord = Discord(Secret(sandbox.token), policy=build_policy(config), base_url=sandbox.base_url)
    try:
        yield discord
    finally:
        await discord.aclose()


async def test_reactions_keep_to_one_in_a_quarter_of_a_second(sandbox: Sandbox) -> None:
    sent = sandbox.world.channels[demo.GENERAL].messages
    message_id = next(iter(sent))

    async with connected(sandbox) as discord:
        begun = time.monotonic()
        await asyncio.gather(
            *(
                discord.do("PUT", "/channels/{}/messages/{}/reactions/{}/@me", demo.GENERAL, message_id, emoji)
                for emoji in ("👍", "🎉", "🚀")
            )
        )

    assert 0.5 <= time.monotonic() - begun < 1.0
    assert [exchange.status for exchange in sandbox.requests] == [204] * 3


async def test_a_message_is_sent_once_when_its_answer_was_a_502(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "bad_gateway_html", after=True)
    before = len(sandbox.world.channels[demo.GENERAL].messages)

    async with connected(sandbox) as discord:
        with pytest.raises(DiscordUpstreamError):
            await discord.post("/channels/{}/messages", demo.GENERAL, into=dict, body={"content": "once"})

    assert len(sandbox.world.channels[demo.GENERAL].messages) == before + 1


async def test_a_message_with_its_nonce_is_sent_again_after_a_502_and_stands_there_once(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "bad_gateway_html", after=True)
    before = len(sandbox.world.channels[demo.GENERAL].messages)

    async with connected(sandbox) as discord:
        await discord.post("/channels/{}/messages", demo.GENERAL, into=dict, body={"content": "once"}, nonce="n1")

    assert len(sandbox.requests) == 2
    assert len(sandbox.world.channels[demo.GENERAL].messages) == before + 1


async def test_a_token_that_discord_refused_is_not_sent_again(sandbox: Sandbox) -> None:
    sandbox.fail("*", "unauthorized")

    async with connected(sandbox) as discord:
        for channel in (demo.GENERAL, demo.WELCOME, demo.STAFF):
            with pytest.raises(DiscordAuthError):
                await discord.get("/channels/{}", channel, into=dict)

    assert len(sandbox.requests) == 1


async def test_a_limit_is_waited_for_and_the_request_then_succeeds(sandbox: Sandbox) -> None:
    sandbox.fail("GET /channels/{}", "rate_limited", retry_after=0.2)

    async with connected(sandbox) as discord:
        begun = time.monotonic()
        channel = await discord.get("/channels/{}", demo.GENERAL, into=dict)

    assert channel["id"] == demo.GENERAL
    assert 0.2 <= time.monotonic() - begun < 2.0


@pytest.mark.parametrize("gone", [[0], [1], [0, 1, 2]], ids=["first", "middle", "all"])
async def test_callers_who_leave_do_not_hold_up_the_next(sandbox: Sandbox, gone: list[int]) -> None:
    sandbox.fail("GET /channels/{}", "delay", seconds=0.1)

    async with connected(sandbox) as discord:
        calls = [asyncio.create_task(discord.get("/channels/{}", demo.GENERAL, into=dict)) for _ in range(3)]
        await asyncio.sleep(0)
        for number in gone:
            calls[number].cancel()
        await asyncio.wait(calls)
        after = await discord.get("/channels/{}", demo.GENERAL, into=dict)

    assert after["id"] == demo.GENERAL
    assert [call.cancelled() for call in calls] == [number in gone for number in range(3)]


@asynccontextmanager
async def slow_discord(seconds: float, limit: int) -> AsyncIterator[str]:
    """A Discord that takes its time, with one bucket that is never used up."""

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.Response(body=b"{}", content_type="application/json", headers=headers_of("b", limit, limit - 1, 1.0))

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api"
    finally:
        await runner.cleanup()


async def test_many_calls_on_one_channel_fly_together() -> None:
    async with slow_discord(0.05, limit=100) as url:
        discord = Discord(
            Secret("a.b.c"), policy=build_policy(load_config({})), limiter=Limiter(requests_per_second=0), base_url=url
        )
        begun = time.monotonic()
        await asyncio.gather(*(discord.get("/channels/{}/messages", "1", into=dict) for _ in range(64)))
        seconds = time.monotonic() - begun
        await discord.aclose()

    assert seconds < 1.0, "one after the other they would take 3.2 seconds"
