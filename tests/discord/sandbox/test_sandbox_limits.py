from __future__ import annotations

import aiohttp
import orjson
import pytest
from tests.clock import Clock
from tests.discord.sandbox.bare_client import BareClient

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.limits import BUCKETS, Limits, Toll
from accord.discord.sandbox.routes import ROUTES
from accord.discord.sandbox.snowflakes import snowflake_at

SEND = "POST /channels/{}/messages"
REACT = "PUT /channels/{}/messages/{}/reactions/{}/@me"
UNREACT = "DELETE /channels/{}/messages/{}/reactions/{}/@me"
DELETE = "DELETE /channels/{}/messages/{}"
UPDATE = "PATCH /channels/{}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limits(clock: Clock) -> Limits:
    return Limits(clock)


def send(limits: Limits, channel_id: str = "1", times: int = 1) -> Toll:
    """Count so many sends; gives what the last one was counted as."""
    for _ in range(times):
        toll = limits.take(SEND, (channel_id,), {})
    return toll


def test_a_bucket_counts_down_to_its_reset(limits: Limits, clock: Clock) -> None:
    send(limits)
    clock.now += 2

    headers = send(limits).headers

    assert (headers["X-RateLimit-Limit"], headers["X-RateLimit-Remaining"]) == ("5", "3")
    assert headers["X-RateLimit-Reset-After"] == "3.000"
    assert headers["X-RateLimit-Reset"] == "1800000005.000"


def test_one_request_too_many_is_refused_with_the_time_to_wait(limits: Limits, clock: Clock) -> None:
    send(limits, times=5)
    clock.now += 1.5

    refusal = send(limits).refusal

    assert refusal is not None
    assert orjson.loads(refusal.body) == {"message": "You are being rate limited.", "retry_after": 3.5, "global": False}
    assert refusal.headers["Retry-After"] == "4"
    assert refusal.headers["X-RateLimit-Scope"] == "user"
    assert refusal.headers["X-RateLimit-Remaining"] == "0"


def test_a_full_bucket_opens_again(limits: Limits, clock: Clock) -> None:
    send(limits, times=6)

    clock.now += 5

    assert send(limits).refusal is None


def test_each_channel_has_its_own_bucket_under_one_name(limits: Limits) -> None:
    first = send(limits, "1", times=6)

    second = send(limits, "2")

    assert second.refusal is None
    assert first.headers["X-RateLimit-Bucket"] == second.headers["X-RateLimit-Bucket"]


def test_adding_and_removing_reactions_share_a_bucket(limits: Limits) -> None:
    limits.take(REACT, ("1", "2", "x"), {})

    assert limits.take(UNREACT, ("1", "2", "x"), {}).refusal is not None


def test_messages_are_deleted_from_buckets_by_their_age(limits: Limits, clock: Clock) -> None:
    ids = [snowflake_at(clock.now - age) for age in (1, 3600, 15 * demo.DAY)]

    sizes = [limits.take(DELETE, ("1", each), {}).headers["X-RateLimit-Limit"] for each in ids]

    assert sizes == ["5", "3", "30"]


def test_the_third_rename_within_ten_minutes_meets_a_limit_that_no_header_told(limits: Limits, clock: Clock) -> None:
    tolls = [limits.take(UPDATE, ("1",), {"name": "x"}) for _ in range(3)]

    assert [toll.refusal is None for toll in tolls] == [True, True, False]
    assert tolls[-1].headers["X-RateLimit-Remaining"] == "2"
    refusal = tolls[-1].refusal
    assert refusal is not None
    assert orjson.loads(refusal.body)["retry_after"] == 600.0


def test_a_channel_change_that_renames_nothing_is_not_counted_as_one(limits: Limits) -> None:
    assert [limits.take(UPDATE, ("1",), {"nsfw": True}).refusal for _ in range(5)] == [None] * 5


def test_more_than_fifty_requests_a_second_are_refused_globally(limits: Limits) -> None:
    tolls = [send(limits, str(number)) for number in range(51)]

    refusal = tolls[-1].refusal
    assert tolls[-2].refusal is None
    assert refusal is not None
    assert orjson.loads(refusal.body)["global"] is True
    assert refusal.headers["X-RateLimit-Global"] == "true"
    assert "X-RateLimit-Bucket" not in refusal.headers


def test_without_enforcement_nothing_is_refused_and_no_header_tells_of_a_limit(clock: Clock) -> None:
    limits = Limits(clock, enforced=False)

    tolls = [send(limits) for _ in range(100)]

    assert tolls == [Toll()] * 100


def test_a_bucket_that_a_fault_changed_is_counted_without_enforcement(clock: Clock) -> None:
    limits = Limits(clock, enforced=False)

    tolls = [limits.take(SEND, ("1",), {}, change={"size": 2}) for _ in range(3)]

    assert [toll.refusal is None for toll in tolls] == [True, True, False]


def leak(limits: Limits, times: int = 1) -> Toll:
    """Send so often through a bucket of 5 that takes 5 seconds to fill up; gives what the last was counted as."""
    for _ in range(times):
        toll = limits.take(SEND, ("1",), {}, change={"leaky": True})
    return toll


def test_a_leaky_bucket_tells_the_time_until_it_is_full(limits: Limits, clock: Clock) -> None:
    leak(limits, times=3)
    clock.now += 1.5

    headers = leak(limits).headers

    assert headers["X-RateLimit-Remaining"] == "2"
    assert headers["X-RateLimit-Reset-After"] == "2.500"
    assert headers["X-RateLimit-Reset"] == "1800000004.000"


def test_a_leaky_bucket_opens_for_one_at_a_time(limits: Limits, clock: Clock) -> None:
    refusal = leak(limits, times=6).refusal
    clock.now += 1

    tolls = [leak(limits), leak(limits)]

    assert refusal is not None
    assert orjson.loads(refusal.body)["retry_after"] == 1.0
    assert [toll.refusal is None for toll in tolls] == [True, False]
    assert tolls[-1].headers["X-RateLimit-Reset-After"] == "5.000"


def test_a_refused_request_uses_up_nothing_of_a_leaky_bucket(limits: Limits, clock: Clock) -> None:
    leak(limits, times=50)

    clock.now += 5

    assert leak(limits, times=5).refusal is None


def test_every_limit_is_for_a_route_that_there_is() -> None:
    assert BUCKETS.keys() <= {route.key for route in ROUTES}


def test_no_route_is_there_twice() -> None:
    keys = [route.key for route in ROUTES]

    assert len(keys) == len(set(keys))


async def test_a_client_meets_the_limit_on_the_wire() -> None:
    async with Sandbox.start() as sandbox, aiohttp.ClientSession() as session:
        discord = BareClient(session, sandbox.base_url, sandbox.token)
        answers = [await discord("POST", f"/channels/{demo.GENERAL}/messages", {"content": "x"}) for _ in range(6)]

    assert [each.status for each in answers] == [200] * 5 + [429]
    assert answers[-1].headers["Via"] == "1.1 google"
