"""channels_list and channels_get: what channels there are, whatever their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.world import Channel

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"
DIRECT = "1196398888888888888"


async def test_all_channels_of_a_guild_are_listed_in_their_order(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.VOICE].position = 0

    async with desk(sandbox) as served:
        listed = await served.call("channels_list", guild_id=demo.GUILD)

    assert [one["id"] for one in listed.structured["channels"]] == [
        demo.TEXT_CATEGORY,
        demo.VOICE,
        demo.WELCOME,
        demo.GENERAL,
        demo.ANNOUNCEMENTS,
        demo.STAFF,
        demo.FORUM,
    ]
    rest = {name: value for name, value in listed.structured.items() if name != "channels"}
    assert rest == {"count": 7, "next_cursor": None, "has_more": False}
    assert listed.text.startswith("Channels: 7.\n<untrusted_discord nonce=")
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}/channels"]


async def test_a_channel_is_listed_with_its_overwrites(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = await served.call("channels_list", guild_id=demo.GUILD)

    (news,) = [one for one in listed.structured["channels"] if one["id"] == demo.ANNOUNCEMENTS]
    assert news["permission_overwrites"] == [
        {"id": demo.GUILD, "type": 0, "allow": "0", "deny": str(may.SEND_MESSAGES)},
        {"id": demo.ADMIN_ROLE, "type": 0, "allow": str(may.SEND_MESSAGES), "deny": "0"},
    ]


async def test_a_guild_that_the_bot_is_not_in_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = await served.call("channels_list", guild_id=MISSING)

    assert listed.code == "DISCORD_NOT_FOUND"


async def test_a_text_channel_is_shown_whole(sandbox: Sandbox) -> None:
    channel = sandbox.world.channels[demo.GENERAL]
    channel.settings |= {"nsfw": True, "rate_limit_per_user": 5, "default_auto_archive_duration": 1440}

    async with desk(sandbox) as served:
        shown = await served.call("channels_get", channel_id=demo.GENERAL)

    assert shown.structured == {
        "id": demo.GENERAL,
        "name": "general",
        "type": 0,
        "nsfw": True,
        "topic": "Anything that glows.",
        "rate_limit_per_user": 5,
        "parent_id": demo.TEXT_CATEGORY,
        "position": 2,
        "guild_id": demo.GUILD,
        "last_message_id": channel.last_message_id,
        "flags": 0,
        "default_auto_archive_duration": 1440,
    }
    assert shown.text.startswith(f"Channel {demo.GENERAL}, type 0.\n")
    assert asked(sandbox) == [f"GET /channels/{demo.GENERAL}"]


async def test_a_thread_shows_its_owner_its_counts_and_whether_it_is_open(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = (await served.call("channels_get", channel_id=demo.THREAD)).structured

    assert {name: shown[name] for name in ("type", "parent_id", "owner_id", "member_count", "message_count")} == {
        "type": 11,
        "parent_id": demo.GENERAL,
        "owner_id": demo.THEO,
        "member_count": 3,
        "message_count": 2,
    }
    assert shown["thread_metadata"]["archived"] is False
    assert shown["topic"] is None
    assert "position" not in shown


async def test_a_forum_shows_its_tags_and_a_post_those_it_has(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        forum = await served.call("channels_get", channel_id=demo.FORUM)
        post = await served.call("channels_get", channel_id=demo.BUG_POST)

    assert forum.structured["available_tags"][0] == {
        "id": demo.BUG_TAG,
        "name": "bug",
        "moderated": False,
        "emoji_id": None,
        "emoji_name": "🐞",
    }
    assert post.structured["applied_tags"] == [demo.BUG_TAG]


async def test_a_voice_channel_shows_its_limits(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("channels_get", channel_id=demo.VOICE)

    assert (shown.structured["bitrate"], shown.structured["user_limit"]) == (64_000, 0)


async def test_a_direct_message_has_neither_a_name_nor_a_guild(sandbox: Sandbox) -> None:
    sandbox.world.channels[DIRECT] = Channel(DIRECT, 1, recipient_id=demo.MAYA)

    async with desk(sandbox) as served:
        shown = (await served.call("channels_get", channel_id=DIRECT)).structured

    assert (shown["name"], shown["type"], "guild_id" in shown) == (None, 1, False)


async def test_a_category_has_what_every_channel_has(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = (await served.call("channels_get", channel_id=demo.TEXT_CATEGORY)).structured

    assert (shown["topic"], shown["nsfw"], shown["rate_limit_per_user"], shown["parent_id"]) == (None, False, 0, None)


@pytest.mark.usefixtures("answers_of_the_future")
async def test_an_unknown_kind_of_channel_with_unknown_fields_is_shown(sandbox: Sandbox) -> None:
    channel = sandbox.world.channels[demo.GENERAL]
    channel.type = 99
    channel.settings |= {"of_the_future": {"deep": [1]}, "topic": None}

    async with desk(sandbox) as served:
        shown = await served.call("channels_get", channel_id=demo.GENERAL)

    assert not shown.failed
    assert shown.structured["type"] == 99


@pytest.mark.parametrize(
    ("channel_id", "code"),
    [(MISSING, "DISCORD_NOT_FOUND"), (demo.STAFF, "DISCORD_PERMISSION_DENIED")],
    ids=["unknown", "unseen"],
)
async def test_a_channel_that_cannot_be_shown_says_why(sandbox: Sandbox, channel_id: str, code: str) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("channels_get", channel_id=channel_id)

    assert shown.code == code
    assert shown.structured["retriable"] is False


@pytest.mark.parametrize("arguments", [{}, {"guild_id": None}, {"guild_id": ""}, {"guild_id": "general"}])
async def test_a_guild_has_to_be_named_by_its_id(sandbox: Sandbox, arguments: dict[str, Any]) -> None:
    async with desk(sandbox) as served:
        listed = await served.call("channels_list", arguments)

    assert listed.code == "VALIDATION_FAILED"
    assert [one["path"] for one in listed.structured["issues"]] == ["guild_id"]
    assert asked(sandbox) == []
