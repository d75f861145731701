"""messages_search: Discord's own search of a guild, also while Discord is not ready for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from tests.discord.tools.asked import asked
from tests.served import desk

from accord.discord import guild_search
from accord.discord.models.ids import id_at
from accord.discord.pages import cursor_of
from accord.discord.results.history import found_messages
from accord.discord.sandbox import demo
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

ROUTE = "GET /guilds/{}/messages/search"


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What a search waited, none of which takes any time."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(guild_search, "sleep", sleep)
    return slept


def fill(sandbox: Sandbox, count: int) -> list[str]:
    """Add so many messages with one word to the channel #welcome; their ids, the newest first."""
    channel = sandbox.world.channels[demo.WELCOME]
    made = [
        channel.add(Message(sandbox.world.new_id(), channel.id, demo.LENA, f"needle {number}"))
        for number in range(count)
    ]
    return [one.id for one in reversed(made)]


async def test_every_filter_reaches_discord_by_its_name_and_dates_become_ids(sandbox: Sandbox) -> None:
    filters: dict[str, Any] = {
        "content": "tea",
        "slop": 2,
        "author_ids": [demo.LENA, f"<@{demo.LENA}>", demo.THEO],
        "author_type": ["user", "-bot"],
        "channel_ids": [demo.GENERAL],
        "mentions": [demo.OMAR],
        "mentions_role_ids": [demo.MEMBER_ROLE],
        "mention_everyone": False,
        "replied_to_user_ids": [demo.MAYA],
        "min_id": "2026-01-01",
        "max_id": "2026-12-31T12:00:00+01:00",
        "has": ["image", "-link"],
        "link_hostname": ["weather.example"],
        "embed_type": ["article"],
        "attachment_extension": ["png"],
        "pinned": True,
        "include_nsfw": True,
        "sort_by": "relevance",
        "sort_order": "asc",
    }

    async with desk(sandbox) as served:
        found = await served.call("messages_search", guild_id=demo.GUILD, **filters)

    query = parse_qsl(sandbox.requests[0].query)
    assert [value for name, value in query if name == "author_id"] == [demo.LENA, demo.THEO]
    assert [value for name, value in query if name == "has"] == ["image", "-link"]
    assert dict(query)["min_id"] == id_at("2026-01-01")
    assert dict(query)["max_id"] == id_at("2026-12-31T11:00:00Z")
    assert (dict(query)["pinned"], dict(query)["mention_everyone"], dict(query)["channel_id"]) == (
        "true", "false", demo.GENERAL,
    )  # fmt: skip
    assert {name.removesuffix("s") if name.endswith("_ids") else name for name in filters} <= dict(query).keys()
    assert (found.structured["items"], found.structured["total"]) == ([], 0)


async def test_hits_come_flat_with_their_channel_and_a_link(sandbox: Sandbox) -> None:
    fish = demo.message_with(sandbox.world, demo.GENERAL, "The first fish")

    async with desk(sandbox) as served:
        found = await served.call("messages_search", guild_id=demo.GUILD, author_ids=[demo.LENA], has=["image"])

    (hit,) = found.structured["items"]
    assert (hit["id"], hit["channel_id"]) == (fish.id, demo.GENERAL)
    assert hit["jump_url"] == f"https://discord.com/channels/{demo.GUILD}/{demo.GENERAL}/{fish.id}"
    assert (found.structured["total"], found.structured["has_more"], found.structured["indexing"]) == (1, False, False)


async def test_pages_are_followed_to_the_end_without_gap_or_double(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 60)
    first = {"guild_id": demo.GUILD, "content": "needle"}

    async with desk(sandbox) as served:
        page = (await served.call("messages_search", first)).structured
        found = [one["id"] for one in page["items"]]
        while page["has_more"]:
            page = (await served.call("messages_search", first, cursor=page["next_cursor"])).structured
            found += [one["id"] for one in page["items"]]

    assert found == ids
    assert page["total"] == 60
    assert [dict(parse_qsl(one.query))["offset"] for one in sandbox.requests] == ["0", "25", "50"]


def test_a_short_page_of_many_groups_is_no_end_and_neighbours_are_no_hits() -> None:
    base = {
        "channel_id": "2", "type": 0, "author": {"id": "3", "username": "maya"}, "content": "x", "mentions": [],
        "timestamp": "2026-05-04T12:00:00+00:00", "edited_timestamp": None, "attachments": [], "embeds": [],
    }  # fmt: skip
    near, hit, plain = {**base, "id": "1", "hit": False}, {**base, "id": "2", "hit": True}, {**base, "id": "4"}
    sent: Any = {"messages": [[near, hit], [plain]], "total_results": 60}

    found = found_messages(sent, "9", None, {"next_cursor": "more", "has_more": True})

    assert [one["id"] for one in found["items"]] == ["2", "4"]
    assert (found["count"], found["total"], found["has_more"]) == (2, 60, True)


@pytest.mark.parametrize(("offset", "has_more"), [(9950, True), (9975, False)])
async def test_a_page_can_begin_at_9975_and_no_further(sandbox: Sandbox, offset: int, has_more: bool) -> None:
    fill(sandbox, 10_010)

    async with desk(sandbox) as served:
        found = await served.call("messages_search", guild_id=demo.GUILD, cursor=cursor_of("offset", offset))

    assert (found.structured["count"], found.structured["has_more"]) == (25, has_more)
    assert found.structured["total"] > 10_000


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"limit": 26}, "limit"),
        ({"offset": 9976}, "offset"),
        ({"has": ["pictures"]}, "has[0]"),
        ({"min_id": "last week"}, "min_id"),
        ({"offset": 5, "cursor": cursor_of("offset", 25)}, "cursor"),
        ({"cursor": cursor_of("before", demo.GENERAL)}, "cursor"),
    ],
)
async def test_what_discord_would_not_take_is_refused_here(sandbox: Sandbox, wrong: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_search", guild_id=demo.GUILD, **wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- While Discord reads the guild for the first time ----------------------------------------------------------------


async def test_a_search_waits_as_long_as_it_is_told_and_longer_where_it_is_told_nothing(
    sandbox: Sandbox, pauses: list[float]
) -> None:
    sandbox.fail(ROUTE, "search_not_ready", retry_after=2)
    sandbox.fail(ROUTE, "search_not_ready", retry_after=0, times=2)

    async with desk(sandbox) as served:
        found = await served.call("messages_search", guild_id=demo.GUILD, content="tea")

    assert pauses == [2, 2, 4]
    assert not found.failed
    assert len(asked(sandbox)) == 4


async def test_a_wait_beyond_the_calls_time_is_told_and_not_taken_for_no_results(
    sandbox: Sandbox, pauses: list[float]
) -> None:
    sandbox.fail(ROUTE, "search_not_ready", retry_after=90, times=None)

    async with desk(sandbox) as served:
        refused = await served.call("messages_search", guild_id=demo.GUILD, content="tea")

    facts = {"code": "DISCORD_SERVER_ERROR", "reason": "index_not_ready", "retry_after_ms": 90_000, "retriable": True}
    assert facts.items() <= refused.structured.items()
    assert pauses == []


async def test_a_guild_without_the_intent_is_warned_of(sandbox: Sandbox) -> None:
    sandbox.fail("*", "blank", times=None)

    async with desk(sandbox) as served:
        found = await served.call("messages_search", guild_id=demo.GUILD, author_ids=[demo.LENA])

    assert [one["code"] for one in found.structured["warnings"]] == ["message_content_intent_suspected"]
