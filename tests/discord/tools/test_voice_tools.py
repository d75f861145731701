"""voice: where somebody is, and the line below a voice channel's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.served import desk

from accord.discord.sandbox import demo, demo_channels
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.world import Overwrite

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

STATUS = {"channel_id": demo.VOICE, "status": "Soldering"}


async def test_the_regions_are_what_a_channels_region_can_be(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("voice_list_regions")).structured
        changed = await served.call("channels_modify", channel_id=demo.VOICE, rtc_region=listed["regions"][0]["id"])

    assert listed["count"] == len(listed["regions"]) == 4
    assert changed.structured["settings"] == {"rtc_region": listed["regions"][0]["id"]}


async def test_somebodys_voice_state_is_shown_whole_whether_streaming_is_told_or_not(sandbox: Sandbox) -> None:
    state = demo_channels.in_voice(sandbox.world.guilds[demo.GUILD], demo.VOICE, demo.LENA)
    state |= {"self_stream": None, "mute": True}

    async with desk(sandbox) as served:
        shown = await served.call("voice_get_user_state", guild_id=demo.GUILD, user_id=demo.LENA)

    assert shown.structured == state


async def test_who_is_in_no_voice_channel_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("voice_get_current_user_state", guild_id=demo.GUILD)

    assert (shown.code, shown.structured["resource_type"]) == ("DISCORD_NOT_FOUND", "voice state")


@pytest.mark.parametrize(("given", "status"), [({"status": "Soldering"}, "Soldering"), ({"clear": ["status"]}, None)])
async def test_a_voice_channels_status_is_set_and_taken_away(
    sandbox: Sandbox, given: dict[str, Any], status: str | None
) -> None:
    async with desk(sandbox) as served:
        done = await served.call("voice_set_channel_status", channel_id=demo.VOICE, **given)

    assert bodies(sandbox) == [{"status": status}]
    assert done.structured == {"updated": True, "channel_id": demo.VOICE, "voice_status": status}
    assert sandbox.world.channels[demo.VOICE].settings["status"] == status


@pytest.mark.parametrize(
    ("given", "path"), [({}, ""), ({"status": "x", "clear": ["status"]}, "clear"), ({"status": "x" * 501}, "status")]
)
async def test_a_status_that_says_nothing_or_too_much_is_refused(
    sandbox: Sandbox, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("voice_set_channel_status", channel_id=demo.VOICE, **given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_from_outside_a_status_is_set_by_who_manages_the_channel_only(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.VOICE].overwrites[demo.BOT] = Overwrite(demo.BOT, 1, deny=may.MANAGE_CHANNELS)

    async with desk(sandbox) as served:
        outside = await served.call("voice_set_channel_status", STATUS)
        demo_channels.in_voice(sandbox.world.guilds[demo.GUILD], demo.VOICE, demo.BOT)
        inside = await served.call("voice_set_channel_status", STATUS)

    assert (outside.code, inside.failed) == ("DISCORD_PERMISSION_DENIED", False)
