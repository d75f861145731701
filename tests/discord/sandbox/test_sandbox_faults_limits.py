"""What real limits are known to do beyond what the headers promise, on demand, alone and together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime

import aiohttp
import pytest
from tests.discord.sandbox.bare_client import BareClient, Reply

from accord.discord.sandbox import Sandbox, demo

GENERAL = f"/channels/{demo.GENERAL}/messages"
SEND = "POST /channels/{}/messages"
READ = "GET /channels/{}/messages"
HOUR = 3600
BOUNDS = ("X-RateLimit-Limit", "X-RateLimit-Remaining")


@pytest.fixture
async def limited() -> AsyncIterator[Sandbox]:
    """A sandbox that keeps to Discord's limits."""
    async with Sandbox.start() as sandbox:
        yield sandbox


@pytest.fixture
async def discord(limited: Sandbox) -> AsyncIterator[BareClient]:
    async with aiohttp.ClientSession() as session:
        yield BareClient(session, limited.base_url, limited.token)


async def send(discord: BareClient, content: str = "x") -> Reply:
    return await discord("POST", GENERAL, {"content": content})


async def read(discord: BareClient) -> Reply:
    return await discord("GET", GENERAL)


def bucket_of(reply: Reply) -> str:
    return reply.headers["X-RateLimit-Bucket"]


async def test_a_leaky_bucket_is_refused_for_as_long_as_one_takes_to_leak(
    limited: Sandbox, discord: BareClient
) -> None:
    limited.fail(SEND, "bucket", size=2, seconds=100, leaky=True)

    answers = [await send(discord) for _ in range(3)]

    assert [each.status for each in answers] == [200, 200, 429]
    assert 45 < answers[-1].json["retry_after"] <= 50
    assert 95 < float(answers[-1].headers["X-RateLimit-Reset-After"]) <= 100


async def test_two_routes_share_a_bucket_and_its_hash(limited: Sandbox, discord: BareClient) -> None:
    for route in (SEND, READ):
        limited.fail(route, "bucket", name="messages", size=2, seconds=60)

    answers = [await send(discord), await read(discord), await send(discord)]

    assert [each.status for each in answers] == [200, 200, 429]
    assert len({bucket_of(each) for each in answers}) == 1


async def test_a_bucket_changes_its_hash_midway_and_begins_anew(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "bucket", name="another", skip=2)

    answers = [await send(discord) for _ in range(4)]

    assert [each.headers["X-RateLimit-Remaining"] for each in answers] == ["4", "3", "4", "3"]
    assert len({bucket_of(each) for each in answers}) == 2


async def test_two_hashes_of_a_route_can_take_turns(limited: Sandbox, discord: BareClient) -> None:
    for number in (1, 3):
        limited.fail(SEND, "bucket", name="another", times=1, skip=number)

    first, second, third, fourth = [bucket_of(await send(discord)) for _ in range(4)]

    assert first == third != second == fourth


async def test_headers_of_limits_can_be_absent(limited: Sandbox, discord: BareClient) -> None:
    limited.fail("*", "no_limit_headers")

    answers = [await send(discord) for _ in range(6)]

    assert [each.status for each in answers] == [200] * 5 + [429]
    assert not [name for each in answers for name in each.headers if name.startswith("X-RateLimit")]
    assert answers[-1].json["retry_after"] > 0


async def test_a_limit_of_the_bot_says_that_its_bucket_is_empty(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "rate_limited", retry_after=7.5)

    answer = await send(discord)

    assert [answer.headers[name] for name in BOUNDS] == ["5", "0"]
    assert answer.headers["X-RateLimit-Reset-After"] == "7.500"
    assert float(answer.headers["X-RateLimit-Reset"]) == pytest.approx(time.time() + 7.5, abs=2)


async def test_a_hidden_limit_is_refused_though_the_headers_say_that_there_is_room(
    limited: Sandbox, discord: BareClient
) -> None:
    limited.fail(SEND, "rate_limited", retry_after=582, hidden=True)

    answer = await send(discord)

    assert (answer.status, answer.json["retry_after"]) == (429, 582)
    assert [answer.headers[name] for name in BOUNDS] == ["5", "4"]
    assert answer.headers["X-RateLimit-Reset-After"] == "5.000"


async def test_a_shared_limit_lasts_longer_than_the_bucket(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "rate_limited", scope="shared", retry_after=1336)

    answer = await send(discord)

    assert (answer.json["retry_after"], answer.headers["Retry-After"]) == (1336, "1336")
    assert answer.headers["X-RateLimit-Scope"] == "shared"
    assert float(answer.headers["X-RateLimit-Reset-After"]) <= 5


async def test_a_global_limit_tells_of_no_bucket(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "rate_limited", scope="global")

    answer = await send(discord)

    assert (answer.json["global"], answer.headers["X-RateLimit-Global"]) == (True, "true")
    assert not {*BOUNDS, "X-RateLimit-Bucket"} & answer.headers.keys()


async def test_a_global_limit_can_be_without_its_scope(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "rate_limited", scope="global")
    limited.fail(SEND, "headers", set={"X-RateLimit-Scope": None})

    answer = await send(discord)

    assert (answer.status, answer.json["global"]) == (429, True)
    assert "X-RateLimit-Scope" not in answer.headers


@pytest.mark.parametrize("seconds", [-HOUR, HOUR])
async def test_the_reset_is_told_by_a_clock_that_is_an_hour_off(
    limited: Sandbox, discord: BareClient, seconds: int
) -> None:
    limited.fail("*", "clock_skew", seconds=seconds)

    headers = (await send(discord)).headers

    assert float(headers["X-RateLimit-Reset"]) == pytest.approx(time.time() + seconds + 5, abs=2)
    assert parsedate_to_datetime(headers["Date"]).timestamp() == pytest.approx(time.time() + seconds, abs=2)
    assert headers["X-RateLimit-Reset-After"] == "5.000"


async def test_a_bucket_is_reset_while_a_request_is_in_flight(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "bucket", size=1, seconds=0.05)
    limited.fail(SEND, "delay", seconds=0.1, after=True)

    late = await send(discord)
    next_one = await send(discord)

    assert [late.status, next_one.status] == [200, 200]


async def test_answers_overtake_each_other(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "delay", seconds=0.2, after=True)
    left: list[str] = []

    async def say() -> None:
        answer = await send(discord)
        left.append(answer.headers["X-RateLimit-Remaining"])

    await asyncio.gather(say(), say())

    assert left == ["3", "4"]


async def test_a_token_is_refused_from_some_request_on(limited: Sandbox, discord: BareClient) -> None:
    limited.fail("*", "unauthorized", skip=2)

    answers = [await discord("GET", "/gateway") for _ in range(4)]

    assert [each.status for each in answers] == [200, 200, 401, 401]


async def test_kinds_that_change_the_answer_come_together_and_with_one_that_gives_it(
    limited: Sandbox, discord: BareClient
) -> None:
    limited.fail(SEND, "bucket", name="another", size=3)
    limited.fail(SEND, "clock_skew", seconds=HOUR)
    limited.fail(SEND, "headers", set={"X-RateLimit-Remaining": 2})
    limited.fail(SEND, "rate_limited", retry_after=9)

    answer = await send(discord)

    assert answer.status == 429
    assert [answer.headers[name] for name in BOUNDS] == ["3", "2"]
    assert float(answer.headers["X-RateLimit-Reset"]) == pytest.approx(time.time() + HOUR + 9, abs=2)


async def test_of_two_faults_that_answer_the_second_waits_for_the_next_request(
    limited: Sandbox, discord: BareClient
) -> None:
    limited.fail(SEND, "status", status=500)
    limited.fail(SEND, "status", status=503)

    assert [(await send(discord)).status for _ in range(3)] == [500, 503, 200]


@pytest.mark.parametrize("change", ["headers", "malformed_json", "clock_skew", "blank", "no_limit_headers"])
@pytest.mark.parametrize("kind", ["bad_gateway_html", "ban_notice", "unauthorized", "cloudflare_1015"])
async def test_every_answer_can_be_changed(limited: Sandbox, discord: BareClient, change: str, kind: str) -> None:
    limited.fail(SEND, kind)
    limited.fail(SEND, change)

    assert (await send(discord)).status in {401, 429, 502}


async def test_a_changed_answer_may_be_none_at_all(limited: Sandbox, discord: BareClient) -> None:
    limited.fail(SEND, "drop")
    limited.fail(SEND, "no_limit_headers")

    with pytest.raises(aiohttp.ClientConnectionError):
        await send(discord)
