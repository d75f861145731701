"""soundboard: a guild's sounds, the default ones, and playing them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.soundboard import OGG
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_voice import SOUND

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

CREATE, MODIFY, SEND = "soundboard_create_guild_sound", "soundboard_modify_guild_sound", "soundboard_send_sound"
NEW = {"guild_id": demo.GUILD, "name": "gong"}


async def test_the_default_sounds_have_short_ids_with_which_they_can_be_played(sandbox: Sandbox) -> None:
    place = example(sandbox, SEND)

    async with desk(sandbox) as served:
        listed = (await served.call("soundboard_list_default_sounds")).structured
        played = await served.call(SEND, place | {"sound_id": listed["sounds"][1]["sound_id"]})

    assert [one["sound_id"] for one in listed["sounds"]] == ["1", "2", "3"]
    assert listed["untrusted_names"] == "quack\nairhorn\ncricket"
    assert played.structured == {"sent": True, "channel_id": demo.VOICE, "sound_id": "2"}
    assert bodies(sandbox) == [{"sound_id": "2"}]


async def test_a_guilds_sounds_are_shown_with_who_added_them(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("soundboard_list_guild_sounds", guild_id=demo.GUILD)).structured
        one = (await served.call("soundboard_get_guild_sound", guild_id=demo.GUILD, sound_id=SOUND)).structured

    (shown,) = listed["sounds"]
    assert shown == {
        "sound_id": SOUND,
        "name": "first light",
        "volume": 0.8,
        "emoji_id": None,
        "emoji_name": "🏮",
        "available": True,
        "guild_id": demo.GUILD,
        "user_id": demo.MAYA,
    }
    assert one == {**shown, "untrusted_text": "first light"}
    assert (listed["count"], listed["has_more"]) == (1, False)


async def test_a_sound_is_read_from_the_upload_folder(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "gong.ogg").write_bytes(base64.b64decode(OGG.partition(",")[2]))

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        made = await served.call(CREATE, NEW, sound="gong.ogg", volume=0.5, emoji_id=f"<:blob:{demo.BLOB}>")

    assert bodies(sandbox) == [{"name": "gong", "sound": OGG, "volume": 0.5, "emoji_id": demo.BLOB}]
    assert (made.structured["name"], made.structured["volume"]) == ("gong", 0.5)
    assert (made.structured["emoji_id"], made.structured["emoji_name"]) == (demo.BLOB, None)


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"sound": "data:image/png;base64,eA=="}, "sound"),
        ({"sound": "picture.png"}, "sound"),
        ({"sound": "long.ogg"}, "sound"),
        ({"sound": OGG + base64.b64encode(b"x" * 513 * 1024).decode()}, "sound"),
        ({"sound": OGG, "volume": 1.5}, "volume"),
        ({"sound": OGG, "emoji_name": "🔔", "emoji_id": demo.BLOB}, "emoji_name"),
        ({"sound": OGG, "name": "x"}, "name"),
    ],
)
async def test_what_is_no_sound_is_refused_without_a_request(
    sandbox: Sandbox, tmp_path: Path, wrong: dict[str, Any], path: str
) -> None:
    (tmp_path / "picture.png").write_bytes(demo.ONE_PIXEL)
    (tmp_path / "long.ogg").write_bytes(b"OggS" + b"x" * 512 * 1024)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        refused = await served.call(CREATE, NEW | wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_only_what_is_given_changes_and_an_emoji_is_cleared_by_name(sandbox: Sandbox) -> None:
    place = example(sandbox, MODIFY) | {"name": None, "volume": 0}

    async with desk(sandbox) as served:
        quiet = await served.call(MODIFY, place, clear=["emoji_name"], audit_reason="too loud")

    assert bodies(sandbox) == [{"volume": 0, "emoji_name": None}]
    assert only(sandbox, "PATCH").request_headers["x-audit-log-reason"] == "too%20loud"
    assert (quiet.structured["volume"], quiet.structured["emoji_name"]) == (0, None)


async def test_a_deleted_sound_is_gone(sandbox: Sandbox) -> None:
    sound = example(sandbox, "soundboard_delete_guild_sound")

    async with desk(sandbox) as served:
        await served.call("soundboard_delete_guild_sound", sound)
        gone = await served.call("soundboard_get_guild_sound", guild_id=demo.GUILD, sound_id=sound["sound_id"])

    assert gone.structured["reason"] == "unknown_sound"


async def test_a_sound_of_another_guild_names_that_guild(sandbox: Sandbox) -> None:
    place = example(sandbox, SEND) | {"sound_id": SOUND, "source_guild_id": demo.GUILD}

    async with desk(sandbox) as served:
        await served.call(SEND, place)

    assert bodies(sandbox) == [{"sound_id": SOUND, "source_guild_id": demo.GUILD}]


async def test_a_sound_is_played_only_where_the_bot_is_connected(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(SEND, channel_id=demo.VOICE, sound_id="1")

    assert refused.structured["reason"] == "not_in_voice"


@pytest.mark.parametrize("wrong", ["0", "x", "01", "1" * 21])
async def test_what_is_no_id_of_a_sound_is_refused(sandbox: Sandbox, wrong: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(SEND, channel_id=demo.VOICE, sound_id=wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["sound_id"]
    assert asked(sandbox) == []
