"""messages: fetching, publishing, pinning, deleting many, opening threads, looking through a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.calling import own_message
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.snowflakes import iso, snowflake_at
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

DAY = 24 * 60 * 60


def say(sandbox: Sandbox, words: str, *, age: float = 0, channel_id: str = demo.WELCOME, **more: Any) -> Message:
    """Let Lena say something, some seconds ago."""
    channel = sandbox.world.channels[channel_id]
    made = Message(snowflake_at(sandbox.world.clock() - age, len(channel.messages)), channel_id, demo.LENA, words)
    for name, value in more.items():
        setattr(made, name, value)
    channel.add(made)
    channel.messages = dict(sorted(channel.messages.items(), key=lambda one: int(one[0])))
    return made


# --- One message -----------------------------------------------------------------------------------------------------


async def test_one_message_comes_whole_and_with_its_place(sandbox: Sandbox) -> None:
    fish = demo.message_with(sandbox.world, demo.GENERAL, "The first fish")

    async with desk(sandbox) as served:
        found = (await served.call("messages_get", channel_id=demo.GENERAL, message_id=fish.id)).structured

    place = {"message_id": fish.id, "channel_id": demo.GENERAL, "author_id": demo.LENA, "author_name": "lena.w"}
    assert place.items() <= found.items()
    assert (found["edited"], found["pinned"]) == (False, False)
    assert found["attachments"][0]["description"] == "A paper fish, lit from within"
    assert [one["count"] for one in found["reactions"]] == [2, 1]


# --- Publishing ------------------------------------------------------------------------------------------------------


async def test_publishing_twice_is_no_failure_and_sends_no_reason(sandbox: Sandbox) -> None:
    place = example(sandbox, "messages_crosspost")

    async with desk(sandbox) as served:
        replies = [(await served.call("messages_crosspost", place)).structured for _ in range(2)]

    del place["__confirm"]
    assert replies == [{**place, "crossposted": True}] * 2
    assert sandbox.world.channels[place["channel_id"]].messages[place["message_id"]].flags & 1
    assert not [one for one in sandbox.requests if "x-audit-log-reason" in one.request_headers]


async def test_only_an_announcement_channel_publishes(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.confirmed("messages_crosspost", own_message(sandbox))

    assert (refused.code, refused.structured["reason"]) == ("DISCORD_PERMISSION_DENIED", "channel_type")


# --- Deleting many ---------------------------------------------------------------------------------------------------


async def test_an_id_that_is_named_twice_is_sent_once(sandbox: Sandbox) -> None:
    call = example(sandbox, "messages_bulk_delete")
    ids = call["message_ids"]

    async with desk(sandbox) as served:
        done = await served.call("messages_bulk_delete", call | {"message_ids": ids + ids, "audit_reason": "spam"})

    assert bodies(sandbox) == [{"messages": ids}]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "spam"
    assert done.structured == {"deleted": True, "channel_id": demo.GENERAL, "count": 2}
    assert not set(ids) & sandbox.world.channels[demo.GENERAL].messages.keys()


async def test_messages_older_than_14_days_are_refused_by_name_before_any_request(sandbox: Sandbox) -> None:
    young, old = (say(sandbox, "x", age=age * DAY).id for age in (13.9, 14.1))

    async with desk(sandbox) as served:
        refused = await served.call(
            "messages_bulk_delete", channel_id=demo.WELCOME, message_ids=[young, old], __confirm=True
        )

    (issue,) = refused.structured["issues"]
    assert (issue["path"], issue["code"]) == ("message_ids[1]", "too_old")
    assert old in issue["message"]
    assert asked(sandbox) == []


async def test_one_message_named_twice_is_not_many(sandbox: Sandbox) -> None:
    one = own_message(sandbox)["message_id"]

    async with desk(sandbox) as served:
        refused = await served.call(
            "messages_bulk_delete", channel_id=demo.GENERAL, message_ids=[one, one], __confirm=True
        )

    assert [issue["path"] for issue in refused.structured["issues"]] == ["message_ids"]
    assert asked(sandbox) == []


# --- Pins ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tool", "method"), [("messages_pin", "PUT"), ("messages_unpin", "DELETE")])
async def test_pinning_goes_to_the_route_that_discord_documents(sandbox: Sandbox, tool: str, method: str) -> None:
    place = example(sandbox, tool)

    async with desk(sandbox) as served:
        await served.call(tool, place, audit_reason="why")

    assert asked(sandbox) == [f"{method} /channels/{demo.GENERAL}/messages/pins/{place['message_id']}"]
    assert sandbox.requests[0].request_headers["x-audit-log-reason"] == "why"
    assert (place["message_id"] in sandbox.world.channels[demo.GENERAL].pins) == (method == "PUT")


async def test_pins_are_paged_by_the_time_at_which_they_were_pinned(sandbox: Sandbox) -> None:
    channel = sandbox.world.channels[demo.WELCOME]
    now = sandbox.world.clock()
    channel.pins = {say(sandbox, f"pin {n}", age=n * 60).id: iso(now - 30 * n) for n in range(1, 6)}

    async with desk(sandbox) as served:
        page = (await served.call("messages_list_pins", channel_id=demo.WELCOME, limit=2)).structured
        found = list(page["pins"])
        while page["has_more"]:
            more = {"limit": 2, "cursor": page["next_cursor"]}
            page = (await served.call("messages_list_pins", channel_id=demo.WELCOME, **more)).structured
            found += page["pins"]
        since = await served.call("messages_list_pins", channel_id=demo.WELCOME, before=found[2]["pinned_at"])

    assert [one["content"] for one in found] == [f"pin {n}" for n in range(1, 6)]
    assert asked(sandbox)[1].endswith(f"?limit=2&before={quote(found[1]['pinned_at'], safe='')}")
    assert len(asked(sandbox)) == 4
    assert since.structured["count"] == 2


# --- Threads ---------------------------------------------------------------------------------------------------------


async def test_a_thread_begins_at_its_message_with_the_settings_given(sandbox: Sandbox) -> None:
    place = own_message(sandbox)
    settings = {"name": "Who brings tea?", "auto_archive_duration": 1440, "rate_limit_per_user": 30}

    async with desk(sandbox) as served:
        made = await served.call("messages_create_thread", place, **settings, audit_reason="order")
        again = await served.call("messages_create_thread", place, **settings)

    assert bodies(sandbox)[0] == settings
    assert made.structured == {"thread_id": place["message_id"], "parent_id": demo.GENERAL, **settings}
    assert sandbox.requests[0].request_headers["x-audit-log-reason"] == "order"
    assert again.structured["reason"] == "thread_exists"


# --- Looking through a channel ---------------------------------------------------------------------------------------


async def test_a_search_of_recent_messages_says_how_far_it_looked(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.WELCOME].messages.clear()
    said = [
        say(sandbox, words, age=age) for words, age in (("TEA!", 50), ("soup", 40), ("more tea", 30), ("bread", 20))
    ]

    async with desk(sandbox) as served:
        near = (await served.call("messages_search_recent", channel_id=demo.WELCOME, query="Tea", limit=3)).structured
        far = (
            await served.call(
                "messages_search_recent", channel_id=demo.WELCOME, query="Tea", limit=3, cursor=near["next_cursor"]
            )
        ).structured

    assert [one["content"] for one in near["matches"]] == ["more tea"]
    horizon = {"scanned_count": 3, "oldest_scanned_id": said[1].id, "oldest_scanned_at": said[1].timestamp}
    assert horizon.items() <= near.items()
    assert [one["content"] for one in far["matches"]] == ["TEA!"]
    assert (near["has_more"], far["has_more"]) == (True, False)


@pytest.mark.parametrize("query", ["clear, 11", "saturday night", "18:42", "PAPER-FISH.png", "straße"])
async def test_a_search_reads_embeds_and_names_of_files_in_any_case(sandbox: Sandbox, query: str) -> None:
    say(sandbox, "STRASSE", channel_id=demo.GENERAL)

    async with desk(sandbox) as served:
        found = await served.call("messages_search_recent", channel_id=demo.GENERAL, query=query)

    assert found.structured["count"] == 1


async def test_a_search_of_an_empty_channel_finds_nothing_and_says_so(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.WELCOME].messages.clear()

    async with desk(sandbox) as served:
        found = (await served.call("messages_search_recent", channel_id=demo.WELCOME, query="x")).structured

    assert (found["scanned_count"], found["oldest_scanned_id"], found["has_more"]) == (0, None, False)


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize("tool", ["messages_read", "messages_search_recent"])
async def test_a_place_in_a_history_may_be_a_date(sandbox: Sandbox, tool: str, place: str) -> None:
    more = {"query": "x"} if tool == "messages_search_recent" else {}

    async with desk(sandbox) as served:
        await served.call(tool, {"channel_id": demo.GENERAL, place: "2026-05-04T12:00:00+02:00", **more})

    assert f"{place}={(1_777_888_800_000 - 1_420_070_400_000) << 22}" in asked(sandbox)[0]


# --- Permissions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "lost"),
    [
        ("messages_get", may.READ_MESSAGE_HISTORY),
        ("messages_bulk_delete", may.MANAGE_MESSAGES),
        ("messages_pin", may.PIN_MESSAGES),
        ("messages_unpin", may.PIN_MESSAGES),
        ("messages_create_thread", may.CREATE_PUBLIC_THREADS),
    ],
)
async def test_without_its_permission_nothing_happens(sandbox: Sandbox, tool: str, lost: int) -> None:
    call = example(sandbox, tool)
    for role in (demo.BOT_ROLE, demo.GUILD):
        sandbox.world.guilds[demo.GUILD].roles[role].permissions &= ~lost

    async with desk(sandbox) as served:
        refused = await served.call(tool, call)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
