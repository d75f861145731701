"""messages_read: pages of history, every part of a message, and what a blank history means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.snowflakes import snowflake_at
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from tests.served import Desk

    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"


def fill(sandbox: Sandbox, count: int, channel_id: str = demo.WELCOME) -> list[str]:
    """Replace a channel's messages by `count` new ones, a minute apart; their ids, oldest first."""
    channel = sandbox.world.channels[channel_id]
    channel.messages.clear()
    now = sandbox.world.clock()
    ids = [snowflake_at(now - 60 * (count - number), number) for number in range(count)]
    for message_id in ids:
        channel.add(Message(message_id, channel_id, demo.LENA, f"number {message_id}"))
    return ids


async def pages(served: Desk, **first: Any) -> list[list[str]]:
    """Follow next_cursor from the first page to the last; the ids of each page."""
    found: list[list[str]] = []
    arguments = dict(first)
    while True:
        page = (await served.call("messages_read", arguments)).structured
        found.append([one["id"] for one in page["messages"]])
        if not page["has_more"]:
            return found
        arguments = {"channel_id": first["channel_id"], "limit": first["limit"], "cursor": page["next_cursor"]}


def ids_of(structured: dict[str, Any]) -> list[str]:
    return [one["id"] for one in structured["messages"]]


async def test_a_page_names_its_channel_its_order_and_its_ends(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 5)

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.WELCOME)

    assert not read.failed
    assert ids_of(read.structured) == ids[::-1]
    facts = {name: value for name, value in read.structured.items() if name != "messages"}
    assert facts == {
        "count": 5,
        "channel_id": demo.WELCOME,
        "order": "newest_first",
        "newest_id": ids[-1],
        "oldest_id": ids[0],
        "next_cursor": None,
        "has_more": False,
    }
    assert read.text.startswith(f"Messages in <#{demo.WELCOME}>, newest first: 5.\n<untrusted_discord nonce=")
    assert asked(sandbox) == [f"GET /channels/{demo.WELCOME}/messages?limit=50"]


@pytest.mark.parametrize("way", ["before", "after", "around"])
async def test_a_starting_point_goes_into_the_query_as_it_was_given(sandbox: Sandbox, way: str) -> None:
    ids = fill(sandbox, 5)

    async with desk(sandbox) as served:
        await served.call("messages_read", {"channel_id": demo.WELCOME, "limit": 3, way: ids[2]})

    assert asked(sandbox) == [f"GET /channels/{demo.WELCOME}/messages?limit=3&{way}={ids[2]}"]


async def test_a_message_comes_with_all_that_it_has(sandbox: Sandbox) -> None:
    channel = sandbox.world.channels[demo.GENERAL]
    message = demo.message_with(sandbox.world, demo.GENERAL, "The first fish is done")
    message.sticker_ids = [demo.WAVE_STICKER]
    message.flags = 4
    message.mention_everyone = True
    message.mention_roles = [demo.MEMBER_ROLE]
    message.edited_timestamp = message.timestamp
    channel.pins[message.id] = message.timestamp

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.GENERAL)

    (shown,) = [one for one in read.structured["messages"] if one["id"] == message.id]
    (file,) = shown.pop("attachments")
    assert file.pop("url").startswith("http")
    assert file == {
        "id": message.attachments[0]["id"],
        "filename": "paper-fish.png",
        "size": len(demo.ONE_PIXEL),
        "content_type": "image/png",
        "description": "A paper fish, lit from within",
        "width": 1,
        "height": 1,
    }
    assert shown == {
        "id": message.id,
        "author": {
            "id": demo.LENA,
            "username": "lena.w",
            "global_name": "Lena",
            "bot": False,
            "trust": "unverified",
        },
        "content": "The first fish is done :)",
        "timestamp": message.timestamp,
        "edited_timestamp": message.timestamp,
        "type": 0,
        "pinned": True,
        "reactions": [
            {"emoji": {"id": None, "name": "🐟"}, "count": 2, "me": False},
            {"emoji": {"id": demo.BLOB, "name": "blob"}, "count": 1, "me": False},
        ],
        "stickers": ["wave"],
        "mention_roles": [demo.MEMBER_ROLE],
        "mention_everyone": True,
        "flags": 4,
    }


async def test_a_reply_names_what_it_answers_and_whom_it_mentions(sandbox: Sandbox) -> None:
    reply = demo.message_with(sandbox.world, demo.GENERAL, "two sockets")

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.GENERAL)

    (shown,) = [one for one in read.structured["messages"] if one["id"] == reply.id]
    assert reply.reference is not None
    assert (shown["reply_to"], shown["mentions"]) == (reply.reference["message_id"], [demo.OMAR])


async def test_embeds_polls_and_buttons_come_as_discord_sends_them(sandbox: Sandbox) -> None:
    row = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}
    poll = {"question": {"text": "Tea?"}, "answers": [{"poll_media": {"text": "Yes"}}]}

    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content="vote", poll=poll, components=[row])
        read = await served.call("messages_read", channel_id=demo.GENERAL)

    newest = read.structured["messages"][0]
    forecast = next(one for one in read.structured["messages"] if "embeds" in one)
    assert newest["poll"]["question"] == {"text": "Tea?"}
    assert newest["components"][0]["components"][0]["custom_id"] == "go"
    assert forecast["embeds"][0]["fields"] == [{"name": "Sunset", "value": "18:42", "inline": True}]


async def test_the_bots_own_words_are_marked_as_its_own(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.WELCOME, content="mine")
        read = await served.call("messages_read", channel_id=demo.WELCOME)

    assert [one["author"]["trust"] for one in read.structured["messages"]] == ["self", "unverified"]


async def test_a_channel_that_is_not_there_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=MISSING)

    assert read.code == "DISCORD_NOT_FOUND"
    assert "Unknown Channel" in read.text


async def test_a_channel_that_the_bot_cannot_see_is_denied(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.STAFF)

    assert read.code == "DISCORD_PERMISSION_DENIED"


# --- Pages ----------------------------------------------------------------------------------------------------------


async def test_250_messages_come_in_three_pages_newest_first_without_gap_or_duplicate(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 250)

    async with desk(sandbox) as served:
        found = await pages(served, channel_id=demo.WELCOME, limit=100)

    assert [len(page) for page in found] == [100, 100, 50]
    assert [one for page in found for one in page] == ids[::-1]


async def test_pages_after_a_message_go_on_towards_the_present(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 8)

    async with desk(sandbox) as served:
        found = await pages(served, channel_id=demo.WELCOME, limit=3, after=ids[0])

    assert found == [ids[3:0:-1], ids[6:3:-1], ids[7:]]


async def test_pages_from_around_a_message_go_on_into_the_past(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 9)

    async with desk(sandbox) as served:
        found = await pages(served, channel_id=demo.WELCOME, limit=4, around=ids[-1])

    assert [one for page in found for one in page] == ids[::-1]


async def test_a_page_goes_on_although_its_last_message_was_deleted_meanwhile(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 4)

    async with desk(sandbox) as served:
        first = await served.call("messages_read", channel_id=demo.WELCOME, limit=2)
        del sandbox.world.channels[demo.WELCOME].messages[ids[2]]
        second = await served.call(
            "messages_read", channel_id=demo.WELCOME, limit=2, cursor=first.structured["next_cursor"]
        )

    assert ids_of(second.structured) == [ids[1], ids[0]]


async def test_exactly_one_full_page_is_followed_by_an_empty_one(sandbox: Sandbox) -> None:
    ids = fill(sandbox, 100)

    async with desk(sandbox) as served:
        found = await pages(served, channel_id=demo.WELCOME, limit=100)

    assert found == [ids[::-1], []]


async def test_an_empty_channel_is_a_success_without_ends(sandbox: Sandbox) -> None:
    fill(sandbox, 0)

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.WELCOME)

    assert not read.failed
    assert read.structured == {
        "messages": [],
        "count": 0,
        "channel_id": demo.WELCOME,
        "order": "newest_first",
        "next_cursor": None,
        "has_more": False,
    }


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"limit": 250}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": 0}, "limit"),
        ({"limit": -1}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"before": MISSING, "after": MISSING}, "after"),
        ({"around": MISSING, "cursor": "YWZ0ZXI6MQ"}, "cursor"),
        ({"after": "0"}, "after"),
        ({"cursor": "not one of ours"}, "cursor"),
        ({"cursor": "YWZ0ZXI6MQ"}, "cursor"),
        ({"cursor": "é" * 20}, "cursor"),
    ],
)
async def test_a_wrong_page_is_refused_without_a_request(sandbox: Sandbox, wrong: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        read = await served.call("messages_read", {"channel_id": demo.WELCOME, **wrong})

    assert read.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in read.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- Blank histories ------------------------------------------------------------------------------------------------


async def test_a_history_blank_for_want_of_the_intent_says_so(sandbox: Sandbox) -> None:
    fill(sandbox, 5)
    sandbox.fail("GET /channels/{}/messages", "blank")

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.WELCOME)

    (warning,) = read.structured["warnings"]
    assert not read.failed
    assert read.structured["count"] == 5
    assert warning["code"] == "message_content_intent_suspected"
    assert "Message Content Intent" in warning["message"]
    assert "100 guilds" in warning["message"]
    assert warning["message"] in read.text


async def test_a_readable_message_that_mentions_the_bot_does_not_hide_that_the_others_are_blank(
    sandbox: Sandbox,
) -> None:
    ids = fill(sandbox, 3)
    sandbox.world.channels[demo.WELCOME].messages[ids[1]].mentions = [demo.BOT]
    sandbox.fail("GET /channels/{}/messages", "blank")

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.WELCOME)

    assert [warning["code"] for warning in read.structured["warnings"]] == ["message_content_intent_suspected"]


async def test_a_history_with_text_has_no_warning(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.GENERAL)

    assert "warnings" not in read.structured


# --- Kinds of channels ----------------------------------------------------------------------------------------------


async def test_reading_a_forum_is_refused_by_discord_and_passed_on(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.FORUM)

    assert read.failed
    assert read.code != "INTERNAL_ERROR"
    assert asked(sandbox) == [f"GET /channels/{demo.FORUM}/messages?limit=50"]


@pytest.mark.usefixtures("answers_of_the_future")
async def test_unknown_kinds_of_messages_and_unknown_fields_are_read_too(sandbox: Sandbox) -> None:
    (message,) = sandbox.world.channels[demo.WELCOME].messages.values()
    message.type = 99
    message.embeds = [{"type": "of_the_future", "brand_new": {"deep": [1]}}]

    async with desk(sandbox) as served:
        read = await served.call("messages_read", channel_id=demo.WELCOME)

    (shown,) = read.structured["messages"]
    assert (shown["type"], shown["embeds"]) == (99, [{"type": "of_the_future", "brand_new": {"deep": [1]}}])
