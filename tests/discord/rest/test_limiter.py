"""The layer of Discord's rate limits, before a Discord that lives in the tests' own time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import orjson
import pytest
from tests.discord.rest.timeline import FakeDiscord, Limit, Timeline, headers_of, limited, page, request

from accord.discord.config import load_config
from accord.discord.rest.errors import (
    DiscordCloudflareBlocked,
    DiscordRateLimitError,
)
from accord.discord.rest.exchange import Answer, HttpRequest
from accord.discord.rest.limiter import Limiter, build_limiter
from accord.discord.rest.limits.edge import Edge
from accord.discord.rest.limits.invalid_requests import InvalidRequests
from accord.discord.rest.limits.lanes import DISCORD_EPOCH_MS
from accord.discord.rest.resilience.failures import DeadlinePassed

READ = "GET /channels/{}/messages"
SEND = "POST /channels/{}/messages"
PIN, UNPIN = "PUT /channels/{}/messages/pins/{}", "DELETE /channels/{}/messages/pins/{}"
DELETE = "DELETE /channels/{}/messages/{}"
UPDATE = "PATCH /channels/{}"

Send = Callable[[HttpRequest], Awaitable[Answer]]


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


def sent_by(discord: FakeDiscord, **settings: Any) -> Send:
    """The limiter before this Discord."""
    limiter = Limiter(**({"scheduler": lambda: discord.timeline} | settings))
    return partial(limiter.__call__, following=discord)


def only(limit: Limit) -> Callable[[HttpRequest], Limit]:
    return lambda _request: limit


def statuses(outcomes: Sequence[object]) -> list[object]:
    return [outcome.status if isinstance(outcome, Answer) else type(outcome) for outcome in outcomes]


def refused_ms(outcome: object) -> int | None:
    assert isinstance(outcome, DiscordRateLimitError | DiscordCloudflareBlocked)
    return outcome.retry_after_ms


# Discovery


async def test_one_request_finds_out_about_an_unknown_bucket_while_the_others_wait(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 5, 1.0)), latency=0.1)
    send = sent_by(discord)

    outcomes = await timeline.run(*(send(request(READ, "1")) for _ in range(5)))

    assert statuses(outcomes) == [200] * 5
    assert discord.times == [0, 0.1, 0.1, 0.1, 0.1]


async def test_each_channel_is_found_out_about_by_itself(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord)

    await timeline.run(*(send(request(READ, channel)) for channel in "123"))

    assert discord.times == [0, 0, 0]


async def test_a_probe_that_is_lost_is_followed_by_another(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [ConnectionResetError(), page(502), Answer(200, {}, b"{}")]
    send = sent_by(discord)

    outcomes = await timeline.run(*(send(request(READ, "1")) for _ in range(5)))

    assert statuses(outcomes) == [ConnectionResetError, 502, 200, 200, 200]
    assert discord.times == [0, 0.02, 0.04, 0.06, 0.06]


async def test_a_route_without_headers_is_not_limited(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord)
    await timeline.run(send(request(READ, "1")))

    await timeline.run(*(send(request(READ, "1")) for _ in range(20)))

    assert discord.most_flying == 20


async def test_as_many_requests_fly_as_the_bucket_has_left(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 5, 1.0)))
    send = sent_by(discord)
    await timeline.run(send(request(READ, "1")))

    await timeline.run(*(send(request(READ, "1")) for _ in range(10)))

    assert discord.most_flying == 5
    assert discord.statuses == {200: 11}


async def test_two_routes_with_one_bucket_share_it(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("pins", 5, 4.0)))
    send = sent_by(discord)

    await timeline.run(send(request(PIN, "1", "7")), send(request(UNPIN, "1", "7")))
    await timeline.run(*(send(request(route, "1", "7")) for route in (PIN, UNPIN) * 6))

    assert discord.statuses == {200: 14}


async def test_what_one_channel_told_of_two_routes_spares_another_a_probe(timeline: Timeline) -> None:
    limits = {channel: Limit("pins", 5, 4.0) for channel in "12"}
    discord = FakeDiscord(timeline, lambda request: limits[str(request.values[0])])
    send = sent_by(discord)
    for route, channel in ((PIN, "1"), (UNPIN, "1"), (PIN, "2")):
        await timeline.run(send(request(route, channel, "7")))

    await timeline.run(*(send(request(UNPIN, "2", "7")) for _ in range(4)))

    assert discord.most_flying == 4
    assert discord.statuses == {200: 7}


async def test_channels_do_not_share_a_bucket_of_one_name(timeline: Timeline) -> None:
    limits = {channel: Limit("b", 1, 5.0) for channel in "12"}
    discord = FakeDiscord(timeline, lambda request: limits[str(request.values[0])])
    send = sent_by(discord)

    await timeline.run(*(send(request(READ, channel)) for channel in "12"))

    assert discord.times == [0, 0]


async def test_a_webhooks_bucket_is_counted_for_its_token_too(timeline: Timeline) -> None:
    limits = {token: Limit("b", 1, 5.0) for token in "xy"}
    discord = FakeDiscord(timeline, lambda request: limits[str(request.values[1])])
    send = sent_by(discord)

    await timeline.run(*(send(request("POST /webhooks/{}/{}", "1", token)) for token in "xyx"))

    assert discord.times == [0, 0, 5.04]


async def test_a_bucket_that_changes_its_name_is_followed_and_the_old_one_is_kept(timeline: Timeline) -> None:
    old, new = Limit("old", 2, 5.0), Limit("new", 10, 1.0)
    turns = [old, new, old, new, new, old]
    discord = FakeDiscord(timeline, lambda _request: turns.pop(0))
    send = sent_by(discord)

    for _ in range(6):
        await timeline.run(send(request(READ, "1")))

    assert discord.statuses == {200: 6}
    assert discord.times[:4] == [0, 0.02, 0.04, 5.04]  # `old` came up empty with the third, and its state was kept


async def test_those_who_wait_for_a_bucket_heed_the_one_that_it_became(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [
        Answer(200, headers_of("old", 2, 1, 3.0), b"{}"),
        Answer(200, headers_of("new", 1, 0, 5.0), b"{}"),
    ]
    send = sent_by(discord)

    await timeline.run(*(send(request(READ, "1")) for _ in range(3)))

    assert discord.times == [0, 0.02, 5.06]


# Waiting


async def test_the_answer_that_empties_a_bucket_comes_at_once(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 1, 1.0)))
    send = sent_by(discord)

    await timeline.run(send(request(READ, "1")))

    assert timeline.now == pytest.approx(1000.02)


async def test_those_who_wait_go_in_the_order_of_their_arrival(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 2, 1.0)))
    send = sent_by(discord)

    await timeline.run(*(send(request(READ, "1", body=str(number).encode())) for number in range(9)))

    assert [seen.body for _at, seen in discord.seen] == [str(number).encode() for number in range(9)]


async def test_a_wait_beyond_the_longest_is_refused_at_once_with_the_time_to_wait(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 1, 30.0)))
    send = sent_by(discord)

    outcomes = await timeline.run(send(request(READ, "1")), send(request(READ, "1")), send(request(READ, "1")))

    assert statuses(outcomes) == [200, DiscordRateLimitError, DiscordRateLimitError]
    assert len(discord.seen) == 1
    assert isinstance(outcomes[1], DiscordRateLimitError)
    assert (outcomes[1].retry_after_ms, outcomes[1].bucket, outcomes[1].scope) == (30_020, "b", "user")
    assert timeline.now == pytest.approx(1000.02)


async def test_a_wait_beyond_the_deadline_is_refused_at_once(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 1, 5.0)))
    send = sent_by(discord)
    await timeline.run(send(request(READ, "1")))

    (outcome,) = await timeline.run(send(request(READ, "1", deadline=timeline.now + 3)))

    assert refused_ms(outcome) == pytest.approx(5020, abs=1)
    assert timeline.now == pytest.approx(1000.02)


async def test_only_as_many_queue_as_will_have_their_turn_in_time(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 5, 5.0)))
    send = sent_by(discord)
    await timeline.run(send(request(READ, "1")))

    outcomes = await timeline.run(*(send(request(READ, "1")) for _ in range(30)))

    assert statuses(outcomes) == [200] * 9 + [DiscordRateLimitError] * 21


async def test_a_deadline_ends_the_wait_for_a_probe_that_hangs(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, latency=30)
    send = sent_by(discord)

    outcomes = await timeline.run(
        send(request(READ, "1")), send(request(READ, "1", deadline=timeline.now + 2)), send(request(READ, "1"))
    )

    assert statuses(outcomes) == [200, DeadlinePassed, 200]


@pytest.mark.parametrize("gone", [[0], [1], [4], [0, 1], [1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]])
async def test_cancelled_callers_never_block_the_others(timeline: Timeline, gone: list[int]) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 1, 1.0)))
    send = sent_by(discord)
    tasks = [asyncio.ensure_future(send(request(READ, "1"))) for _ in range(6)]
    await timeline.advance(0.005)

    for number in gone:
        tasks[number].cancel()
    await timeline.advance(8)
    (later,) = await timeline.run(send(request(READ, "1")))

    staying = [task for number, task in enumerate(tasks) if number not in gone]
    assert all(task.result().status == 200 for task in staying)
    assert isinstance(later, Answer)
    assert discord.statuses[429] <= len(gone)


async def test_a_cancelled_waiter_loses_no_slot_of_its_bucket(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 3, 5.0)))
    send = sent_by(discord, requests_per_second=1)
    await timeline.run(send(request(READ, "1")))
    waiting = asyncio.ensure_future(send(request(READ, "1")))  # holds a slot, and waits for the global window
    await timeline.idle()

    waiting.cancel()
    outcomes = await timeline.run(send(request(READ, "1")), send(request(READ, "1")))

    assert statuses(outcomes) == [200, 200]
    assert discord.times == [0, 1.05, 2.1]


# 429


async def test_a_hidden_limit_closes_its_route_and_not_the_bucket(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    headers = headers_of("b", 5, 4, 1.0)
    discord.acts = [limited(582.0, "user", headers), Answer(200, headers, b"{}")]
    send = sent_by(discord)
    rename, change = request(UPDATE, "1", body=b'{"name":"x"}'), request(UPDATE, "1", body=b'{"nsfw":true}')

    outcomes = [*await timeline.run(send(rename)), *await timeline.run(send(rename)), *await timeline.run(send(change))]

    assert statuses(outcomes) == [429, DiscordRateLimitError, 200]
    assert refused_ms(outcomes[1]) == 582_020


async def test_those_who_wait_for_their_bucket_heed_a_hidden_limit_that_is_met_meanwhile(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [
        Answer(200, headers_of("b", 2, 1, 1.0), b"{}"),
        limited(582.0, "user", headers_of("b", 2, 1, 1.0)),
    ]
    send = sent_by(discord)

    outcomes = await timeline.run(*(send(request(READ, "1")) for _ in range(6)))

    assert statuses(outcomes) == [200, 429] + [DiscordRateLimitError] * 4
    assert len(discord.seen) == 2


async def test_those_who_wait_for_the_global_window_heed_a_limit_that_is_met_meanwhile(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    empty = headers_of("b", 5, 0, 5.0)
    discord.acts = [Answer(200, headers_of("b", 5, 4, 5.0), b"{}"), limited(5.0, "user", empty)]
    send = sent_by(discord, requests_per_second=2)

    outcomes = await timeline.run(*(send(request(READ, "1")) for _ in range(4)))

    assert statuses(outcomes) == [200, 429, 200, 200]
    assert discord.times == [0, 0.02, 5.06, 5.06]


async def test_the_longest_of_several_waits_counts(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    empty = headers_of("b", 5, 0, 1.0)
    discord.acts = [
        Answer(200, headers_of("b", 5, 4, 1.0), b"{}"),
        limited(6.0, "user", empty),
        limited(1.0, "user", empty),
    ]
    send = sent_by(discord)
    await timeline.run(*(send(request(READ, "1")) for _ in range(3)))

    await timeline.run(send(request(READ, "1")))

    assert discord.times == [0, 0.02, 0.02, pytest.approx(6.06)]


async def test_a_shared_limit_is_waited_for_and_not_counted_as_invalid(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(1.2, "shared", headers_of("b", 5, 3, 0.5))]
    invalid = InvalidRequests()
    send = sent_by(discord, invalid=invalid)

    await timeline.run(send(request(SEND, "1")))
    await timeline.run(send(request(SEND, "1")))

    assert discord.times == [0, pytest.approx(1.24, abs=0.011)]
    assert invalid.count(timeline.now) == 0


async def test_a_global_limit_stops_every_route_until_it_is_over(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(2.0, "global")]
    send = sent_by(discord)
    await timeline.run(send(request(READ, "1")))

    await timeline.run(
        send(request(READ, "2")), send(request("GET /users/@me")), send(request("POST /webhooks/{}/{}", "1", "token"))
    )

    assert discord.times == [0, 2.04, 2.04, 2.04]


async def test_a_global_limit_that_is_too_long_is_told_at_once_to_those_who_wait(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord, requests_per_second=1)
    discord.acts = [limited(60.0, "global")]

    outcomes = await timeline.run(*(send(request(READ, channel)) for channel in "123"))

    assert statuses(outcomes) == [429, DiscordRateLimitError, DiscordRateLimitError]
    assert [error.scope for error in outcomes if isinstance(error, DiscordRateLimitError)] == ["global", "global"]
    assert timeline.now < 1001


# The global window


async def test_no_more_start_in_a_window_than_the_global_limit_says(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord, requests_per_second=10)

    await timeline.run(*(send(request(READ, str(channel))) for channel in range(25)))

    assert discord.times == [0.0] * 10 + [1.05] * 10 + [2.1] * 5


async def test_routes_with_their_own_token_are_not_counted_for_the_bot(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord, requests_per_second=1)
    own = ("POST /webhooks/{}/{}", "POST /interactions/{}/{}/callback")

    await timeline.run(
        send(request(READ, "1")), *(send(request(route, "1", str(n))) for route in own for n in range(9))
    )

    assert discord.times == [0.0] * 19


async def test_without_a_global_limit_everything_starts_at_once(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord, requests_per_second=0)

    await timeline.run(*(send(request(READ, str(channel))) for channel in range(200)))

    assert discord.most_flying == 200


# What is limited apart


async def test_messages_are_deleted_from_buckets_by_their_age(timeline: Timeline) -> None:
    now, ages = 1_800_000_000, (5, 60, 15 * 24 * 60 * 60)
    ids = [str(((now - age) * 1000 - DISCORD_EPOCH_MS) << 22) for age in ages]
    limits = {number: Limit(f"aged {age}", 1, 5.0) for number, age in zip(ids, ages, strict=True)}
    discord = FakeDiscord(timeline, lambda request: limits[str(request.values[1])])
    send = sent_by(discord, wall_clock=lambda: now)

    await timeline.run(*(send(request(DELETE, "1", number)) for number in ids))

    assert discord.times == [0, 0, 0]


async def test_an_interactions_first_answer_leaves_nothing_behind(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, only(Limit("b", 1, 5.0)))
    limiter = Limiter(scheduler=lambda: timeline)

    await timeline.run(limiter(request("POST /interactions/{}/{}/callback", "1", "token"), discord))

    assert (len(limiter._lanes), len(limiter._buckets)) == (0, 0)


# The edge


@pytest.mark.parametrize(
    ("answer", "wait_ms"),
    [
        (page(429), 600_000),
        (page(403), 600_000),
        (page(429, {"Retry-After": "3600"}), 3_600_000),
        (Answer(429, {}, orjson.dumps({"message": "You are being blocked", "code": 0})), 600_000),
    ],
    ids=["1015", "403", "retry-after", "ban notice"],
)
async def test_a_block_at_the_edge_stops_everything_until_it_is_over(
    timeline: Timeline, answer: Answer, wait_ms: int
) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [answer]
    send = sent_by(discord)

    outcomes = await timeline.run(send(request(READ, "1")))
    await timeline.advance(100)
    outcomes += await timeline.run(send(request(SEND, "2")))
    await timeline.advance(wait_ms / 1000 - 100)
    outcomes += await timeline.run(send(request(SEND, "2")))

    assert statuses(outcomes) == [DiscordCloudflareBlocked, DiscordCloudflareBlocked, 200]
    assert refused_ms(outcomes[0]) == wait_ms
    assert refused_ms(outcomes[1]) == pytest.approx(wait_ms - 100_000, abs=20)


async def test_a_block_is_told_to_those_who_wait_and_to_other_bots(timeline: Timeline) -> None:
    discord, edge = FakeDiscord(timeline), Edge()
    first, second = sent_by(discord, edge=edge), sent_by(discord, edge=edge, requests_per_second=1)
    discord.acts = [page(429)]

    outcomes = await timeline.run(
        first(request(READ, "1")), first(request(READ, "1")), second(request(READ, "1")), second(request(READ, "2"))
    )

    assert statuses(outcomes) == [DiscordCloudflareBlocked, DiscordCloudflareBlocked, 200, DiscordCloudflareBlocked]
    assert timeline.now == pytest.approx(1000.02)


async def test_a_refusal_of_discords_own_is_no_block(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [Answer(403, {}, orjson.dumps({"message": "Missing Permissions", "code": 50013}))]
    send = sent_by(discord)

    outcomes = await timeline.run(send(request(READ, "1"))) + await timeline.run(send(request(READ, "1")))

    assert statuses(outcomes) == [403, 200]


# Invalid requests


async def test_nothing_is_sent_any_more_well_before_discord_bans_the_address(timeline: Timeline) -> None:
    discord, invalid = FakeDiscord(timeline), InvalidRequests()
    send = sent_by(discord, invalid=invalid)
    for _ in range(9000):
        invalid.add(timeline.now)
    await timeline.advance(60)

    (outcome,) = await timeline.run(send(request(READ, "1")))

    assert isinstance(outcome, DiscordRateLimitError)
    assert (outcome.retry_after_ms, outcome.reason, discord.seen) == (540_000, "invalid_requests", [])
    await timeline.advance(540)
    assert statuses(await timeline.run(send(request(READ, "1")))) == [200]


@pytest.mark.parametrize("status", [401, 403, 429])
async def test_refusals_are_counted(timeline: Timeline, status: int) -> None:
    discord, invalid = FakeDiscord(timeline), InvalidRequests()
    discord.acts = [limited(0.1) if status == 429 else Answer(status, {"Via": "1.1 google"}, b'{"code":0}')]

    await timeline.run(sent_by(discord, invalid=invalid)(request(READ, "1")))

    assert invalid.count(timeline.now) == 1


def test_a_warning_is_logged_at_a_tenth_of_what_discord_bans_for(caplog: pytest.LogCaptureFixture) -> None:
    invalid = InvalidRequests()

    with caplog.at_level(logging.WARNING):
        for _ in range(1500):
            invalid.add(100.0)

    assert len(caplog.records) == 1


# Memory


async def test_the_number_of_lanes_and_buckets_is_bounded(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline, lambda _request: Limit("b", 1, 0.01), latency=0)
    limiter = Limiter(requests_per_second=0, scheduler=lambda: timeline)

    for start in range(0, 5000, 500):
        await timeline.run(*(limiter(request(READ, str(start + number)), discord) for number in range(500)))
        await timeline.advance(1)

    assert (len(limiter._lanes), len(limiter._buckets)) == (4096, 4096)


# Settings


async def test_the_settings_say_how_many_start_in_a_second_and_how_long_one_waits(timeline: Timeline) -> None:
    config = load_config({"DISCORD_GLOBAL_REQUESTS_PER_SECOND": "2", "MCP_RETRY_MAX_DELAY_MS": "500"})
    limiter, answered = build_limiter(config), Answer(200, {}, b"{}")

    async def answering(_request: HttpRequest) -> Answer:
        return answered

    assert [await limiter(request(READ, channel), answering) for channel in "12"] == [answered] * 2
    with pytest.raises(DiscordRateLimitError) as raised:
        await limiter(request(READ, "3"), answering)
    assert raised.value.retry_after_ms == pytest.approx(1050, abs=200)
