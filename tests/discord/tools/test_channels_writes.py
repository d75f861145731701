"""channels: making, changing, moving and following them, and what roles and members may do in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.channels import own_channel
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.world import Overwrite

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

ONE = {"channel_id": demo.GENERAL}


async def refused_at(sandbox: Sandbox, tool: str, arguments: dict[str, Any]) -> list[str]:
    """The paths of the issues for which a call is refused before anything but a read is asked for."""
    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)
    assert refused.code == "VALIDATION_FAILED", refused
    assert served.writes == []
    return [issue["path"] for issue in refused.structured["issues"]]


# --- Making ---------------------------------------------------------------------------------------------------------


async def test_a_forum_is_made_with_its_tags_and_with_permissions_by_name(sandbox: Sandbox) -> None:
    forum = {
        "guild_id": demo.GUILD,
        "name": "ideas",
        "type": 15,
        "topic": "x" * 4096,
        "available_tags": [{"name": "paper", "emoji_name": "📄"}],
        "default_reaction_emoji": {"emoji_id": f"<:blob:{demo.BLOB}>"},
        "permission_overwrites": [{"id": f"<@&{demo.MEMBER_ROLE}>", "type": 0, "deny": "send_messages"}],
    }

    async with desk(sandbox) as served:
        made = await served.confirmed("channels_create_guild_channel", forum, audit_reason="why")

    (body,) = bodies(sandbox)
    assert body["permission_overwrites"] == [{"id": demo.MEMBER_ROLE, "type": 0, "deny": str(may.SEND_MESSAGES)}]
    assert body["default_reaction_emoji"] == {"emoji_id": demo.BLOB}
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "why"
    assert "audit_reason" not in body
    tag = made.structured["settings"]["available_tags"][0]
    assert (made.structured["type"], tag["name"], tag["id"].isdigit()) == (15, "paper", True)
    assert sandbox.world.channels[made.structured["id"]].overwrites[demo.MEMBER_ROLE].deny == may.SEND_MESSAGES


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"bitrate": 64000}, "bitrate"),
        ({"type": 0, "available_tags": [{"name": "x"}]}, "available_tags"),
        ({"type": 4, "parent_id": demo.TEXT_CATEGORY}, "parent_id"),
        ({"type": 2, "topic": "x"}, "topic"),
        ({"type": 0, "topic": "x" * 1025}, "topic"),
        ({"type": 2, "user_limit": 100}, "user_limit"),
        ({"type": 13, "user_limit": 10_001}, "user_limit"),
        ({"type": 11}, "type"),
        ({"type": 15, "available_tags": [{"name": "x"}] * 21}, "available_tags"),
        ({"type": 15, "default_reaction_emoji": {}}, "default_reaction_emoji"),
        (
            {"type": 15, "available_tags": [{"name": "x", "emoji_id": demo.BLOB, "emoji_name": "🐟"}]},
            "available_tags[0]",
        ),
        ({"permission_overwrites": [{"id": demo.LENA, "type": 1}] * 101}, "permission_overwrites"),
        ({"permission_overwrites": [{"id": demo.LENA, "type": 1, "deny": "abc"}]}, "permission_overwrites[0].deny"),
    ],
)
async def test_what_no_channel_of_the_kind_has_is_refused(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    arguments = {"guild_id": demo.GUILD, "name": "x", **given}

    assert await refused_at(sandbox, "channels_create_guild_channel", arguments) == [path]


async def test_a_stage_takes_more_people_than_a_voice_channel(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        stage = await served.call(
            "channels_create_guild_channel", guild_id=demo.GUILD, name="Talks", type=13, user_limit=500
        )

    assert stage.structured["settings"] == {"user_limit": 500}


# --- Changing -------------------------------------------------------------------------------------------------------


async def test_only_what_is_given_changes_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    channel_id = own_channel(sandbox)
    sandbox.world.channels[channel_id].settings |= {"topic": "x", "nsfw": True}

    async with desk(sandbox) as served:
        changed = await served.confirmed(
            "channels_modify",
            channel_id=channel_id,
            rate_limit_per_user=5,
            topic=None,
            clear=["topic", "parent_id", "permission_overwrites"],
        )

    assert bodies(sandbox) == [
        {"rate_limit_per_user": 5, "topic": None, "parent_id": None, "permission_overwrites": []}
    ]
    assert changed.structured["parent_id"] is None
    assert changed.structured["settings"] == {"rate_limit_per_user": 5, "topic": None, "permission_overwrites": []}
    assert sandbox.world.channels[channel_id].settings["nsfw"] is True


async def test_a_thread_is_archived_and_locked(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.call("channels_modify", channel_id=demo.THREAD, archived=True, locked=True)

    assert bodies(sandbox) == [{"archived": True, "locked": True}]
    assert changed.structured["settings"] == {"archived": True, "locked": True}
    assert (changed.structured["type"], changed.structured["parent_id"]) == (11, demo.GENERAL)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, ""),
        ({"audit_reason": "x"}, ""),
        ({"topic": "x", "clear": ["topic"]}, "clear"),
        ({"topic": "x", "archived": True}, "archived"),
        ({"locked": True, "clear": ["parent_id"]}, "parent_id"),
        ({"icon": "data:image/png;base64,eA==", "locked": True}, "locked"),
        ({"bitrate": 64000, "available_tags": []}, "available_tags"),
        ({"type": 5, "bitrate": 64000}, "bitrate"),
        ({"type": 2}, "type"),
        ({"archive": True}, "archive"),
    ],
)
async def test_a_change_that_no_channel_can_have_is_refused(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    assert await refused_at(sandbox, "channels_modify", ONE | given) == [path]


async def test_a_text_channel_becomes_one_for_news(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.call("channels_modify", channel_id=own_channel(sandbox), type=5, topic="News")

    assert changed.structured["type"] == 5


async def test_channels_are_moved_into_a_category_and_out_of_one(sandbox: Sandbox) -> None:
    first, second = own_channel(sandbox), own_channel(sandbox)
    places = [
        {"id": first, "position": 2, "clear": ["parent_id"]},
        {"id": second, "parent_id": demo.TEXT_CATEGORY, "lock_permissions": True},
    ]

    async with desk(sandbox) as served:
        moved = await served.confirmed("channels_modify_positions", guild_id=demo.GUILD, positions=places)

    assert orjson.loads(only(sandbox, "PATCH").request_body) == [
        {"id": first, "position": 2, "parent_id": None},
        {"id": second, "parent_id": demo.TEXT_CATEGORY, "lock_permissions": True},
    ]
    assert moved.structured == {"moved": True, "guild_id": demo.GUILD, "count": 2}
    assert (sandbox.world.channels[first].parent_id, sandbox.world.channels[second].overwrites) == (None, {})


@pytest.mark.parametrize(
    ("places", "path"),
    [
        ([{"id": demo.GENERAL}], "positions[0]"),
        ([{"id": demo.GENERAL, "parent_id": demo.TEXT_CATEGORY, "clear": ["parent_id"]}], "positions[0].clear"),
        ([{"id": demo.GENERAL, "position": 1}, {"id": demo.GENERAL, "position": 2}], "positions[1].id"),
        ([], "positions"),
    ],
)
async def test_a_place_that_is_none_is_refused(sandbox: Sandbox, places: list[dict[str, Any]], path: str) -> None:
    arguments = {"guild_id": demo.GUILD, "positions": places}

    assert await refused_at(sandbox, "channels_modify_positions", arguments) == [path]


async def test_a_channel_that_the_bot_may_not_manage_is_left_alone(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.GENERAL].overwrites[demo.BOT] = Overwrite(demo.BOT, 1, deny=may.MANAGE_CHANNELS)

    async with desk(sandbox) as served:
        refused = await served.call("channels_delete", channel_id=demo.GENERAL, __confirm=True)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
    assert demo.GENERAL in sandbox.world.channels


# --- Overwrites -----------------------------------------------------------------------------------------------------

SEND, VIEW, REACT = may.SEND_MESSAGES, may.VIEW_CHANNEL, may.ADD_REACTIONS


@pytest.mark.parametrize(
    ("given", "allow", "deny"),
    [
        ({"allow": "ADD_REACTIONS"}, REACT, VIEW),
        ({"allow": "VIEW_CHANNEL, ADD_REACTIONS"}, VIEW | REACT, 0),
        ({"deny": "SEND_MESSAGES"}, 0, SEND),
        ({"allow": "0"}, 0, VIEW),
        ({"allow": str(REACT), "deny": str(SEND)}, REACT, SEND),
    ],
    ids=["other side stays", "taken from the other side", "taken the other way", "emptied", "both"],
)
async def test_the_side_of_an_overwrite_that_is_not_given_stays(
    sandbox: Sandbox, given: dict[str, str], allow: int, deny: int
) -> None:
    channel_id = own_channel(sandbox)
    sandbox.world.channels[channel_id].overwrites[demo.LENA] = Overwrite(demo.LENA, 1, SEND, VIEW)

    async with desk(sandbox) as served:
        done = await served.confirmed(
            "channels_modify_permissions", channel_id=channel_id, overwrite_id=f"<@{demo.LENA}>", **given
        )

    assert bodies(sandbox) == [{"type": 1, "allow": str(allow), "deny": str(deny)}]
    assert {name: done.structured[name] for name in ("type", "allow", "deny")} == bodies(sandbox)[0]
    assert sandbox.world.channels[channel_id].overwrites[demo.LENA] == Overwrite(demo.LENA, 1, allow, deny)


@pytest.mark.parametrize(
    ("target", "given", "kind"), [(demo.GUILD, {}, 0), (demo.MEMBER_ROLE, {"type": 0}, 0), (demo.OMAR, {"type": 1}, 1)]
)
async def test_a_new_overwrite_has_the_type_that_is_given_and_everyones_is_known(
    sandbox: Sandbox, target: str, given: dict[str, int], kind: int
) -> None:
    async with desk(sandbox) as served:
        done = await served.confirmed("channels_modify_permissions", ONE, overwrite_id=target, deny="CONNECT", **given)

    assert done.structured["type"] == kind


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"allow": "1"}, "type"),
        ({"type": 1}, "allow"),
        ({"type": 1, "allow": "3072", "deny": "SEND_MESSAGES"}, "deny"),
        ({"type": 1, "allow": "SEND_MASSAGES"}, "allow"),
        ({"type": 2, "allow": "1"}, "type"),
    ],
)
async def test_an_overwrite_that_is_none_is_refused(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    arguments = ONE | {"overwrite_id": demo.OMAR, "__confirm": True} | given

    assert await refused_at(sandbox, "channels_modify_permissions", arguments) == [path]


# --- Following and typing -------------------------------------------------------------------------------------------


async def test_a_news_channel_is_followed_by_a_webhook_in_the_other_channel(sandbox: Sandbox) -> None:
    target = own_channel(sandbox)

    async with desk(sandbox) as served:
        followed = await served.call(
            "channels_follow_announcement", channel_id=demo.ANNOUNCEMENTS, webhook_channel_id=target
        )

    webhook = sandbox.world.webhooks[followed.structured["webhook_id"]]
    assert (webhook["type"], webhook["channel_id"], webhook["source_channel"]["id"]) == (2, target, demo.ANNOUNCEMENTS)
    assert followed.structured["channel_id"] == demo.ANNOUNCEMENTS


async def test_typing_is_shown_without_a_body(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("channels_trigger_typing", ONE)

    assert asked(sandbox) == [f"POST /channels/{demo.GENERAL}/typing"]
    assert bodies(sandbox) == []
