"""Invalid requests are counted as Discord counts them, and too many of them block their sender."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import pytest
from tests.clock import Clock
from tests.discord.sandbox.bare_client import BareClient

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.invalid import BAN_AFTER, INVALID_STATUSES, InvalidRequests
from accord.discord.sandbox.wire import FROM_DISCORD, Answer

ANNOUNCEMENTS = f"/channels/{demo.ANNOUNCEMENTS}/messages"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def strict(clock: Clock) -> AsyncIterator[Sandbox]:
    """A sandbox that blocks at the third invalid request, on a clock of ours."""
    async with Sandbox.start(limits=False, ban_after=3, clock=clock) as sandbox:
        yield sandbox


@pytest.fixture
async def discord(strict: Sandbox) -> AsyncIterator[BareClient]:
    async with aiohttp.ClientSession() as session:
        yield BareClient(session, strict.base_url, strict.token)


@pytest.fixture
def control(strict: Sandbox, discord: BareClient) -> BareClient:
    return BareClient(discord.session, f"{strict.world.origin}/_sandbox", "no token is needed")


async def test_forbidden_and_unauthorized_requests_are_counted(strict: Sandbox, discord: BareClient) -> None:
    await discord("POST", ANNOUNCEMENTS, {"content": "x"})
    await discord("GET", "/users/@me", headers={"Authorization": "Bot nobody"})
    await discord("GET", "/users/@me")
    await discord("GET", "/nowhere")

    assert strict.invalid_requests == 2


@pytest.mark.parametrize(
    ("kind", "options", "count"),
    [
        ("rate_limited", {"scope": "user"}, 1),
        ("rate_limited", {"scope": "global"}, 1),
        ("rate_limited", {"scope": "shared"}, 0),
        ("unauthorized", {}, 1),
        ("status", {"status": 403, "code": 50013}, 1),
        ("status", {"status": 503}, 0),
        ("ban_notice", {}, 0),
        ("cloudflare_1015", {"status": 403}, 0),
    ],
)
async def test_a_fault_is_counted_as_what_it_answers(
    strict: Sandbox, discord: BareClient, kind: str, options: Mapping[str, Any], count: int
) -> None:
    strict.fail("*", kind, **options)

    await discord("GET", "/gateway")

    assert strict.invalid_requests == count


@pytest.mark.parametrize(("scope", "count"), [("user", 1), ("shared", 0)])
async def test_what_becomes_of_the_headers_on_their_way_changes_no_count(
    strict: Sandbox, discord: BareClient, scope: str, count: int
) -> None:
    strict.fail("*", "rate_limited", scope=scope)
    strict.fail("*", "headers", set={"X-RateLimit-Scope": None, "Via": None})

    await discord("GET", "/gateway")

    assert strict.invalid_requests == count


async def test_too_many_invalid_requests_block_everything_until_they_are_old(
    strict: Sandbox, discord: BareClient, clock: Clock
) -> None:
    strict.fail("*", "unauthorized", times=3)
    for _ in range(3):
        await discord("GET", "/gateway")

    blocked = await discord("GET", "/gateway")
    clock.now += 600
    after = await discord("GET", "/gateway")

    assert blocked.status == 429
    assert "retry_after" not in blocked.json
    assert not {"Via", "Retry-After"} & blocked.headers.keys()
    assert (after.status, strict.invalid_requests) == (200, 0)


async def test_the_count_is_read_and_cleared_over_http(
    strict: Sandbox, discord: BareClient, control: BareClient
) -> None:
    strict.fail("*", "unauthorized", times=3)
    for _ in range(3):
        await discord("GET", "/gateway")

    told = (await control("GET", "/invalid-requests")).json
    cleared = await control("DELETE", "/invalid-requests")

    assert told == {"count": 3, "period_seconds": 600, "ban_after": 3, "banned": True}
    assert (cleared.status, strict.invalid_requests) == (204, 0)
    assert (await discord("GET", "/gateway")).status == 200


async def test_requests_can_be_let_through_first_over_http(
    strict: Sandbox, discord: BareClient, control: BareClient
) -> None:
    await control("POST", "/faults", {"route": "*", "kind": "status", "skip": 1})
    refused = await control("POST", "/faults", {"route": "*", "kind": "status", "skip": -1})

    assert refused.json["error"].startswith("skip must be a whole number from 0")
    assert [(await discord("GET", "/gateway")).status for _ in range(3)] == [200, 500, 200]


def test_discord_blocks_an_address_at_ten_thousand_in_ten_minutes(clock: Clock) -> None:
    invalid = InvalidRequests(clock)

    for number in range(BAN_AFTER):
        assert not invalid.banned
        invalid.add_if_invalid(Answer(sorted(INVALID_STATUSES)[number % 3], FROM_DISCORD))

    assert (invalid.count, invalid.banned) == (10_000, True)
