"""members_get: one member of a guild."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.asked import asked
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"
HOUR = timedelta(hours=1)


async def test_a_member_is_shown_whole(sandbox: Sandbox) -> None:
    lena = sandbox.world.guilds[demo.GUILD].members[demo.LENA]
    lena.flags = 1

    async with desk(sandbox) as served:
        shown = await served.call("members_get", guild_id=demo.GUILD, user_id=demo.LENA)

    assert shown.structured == {
        "user_id": demo.LENA,
        "username": "lena.w",
        "global_name": "Lena",
        "nick": "Lena (lamps)",
        "bot": False,
        "roles": [demo.MEMBER_ROLE],
        "joined_at": lena.joined_at,
        "timed_out_until": None,
        "avatar": None,
        "flags": 1,
        "premium_since": None,
        "pending": False,
    }
    assert shown.text.startswith(f"Member {demo.LENA}.\n<untrusted_discord nonce=")
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}/members/{demo.LENA}"]


async def test_a_bot_is_marked_as_one(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("members_get", guild_id=demo.GUILD, user_id=demo.BOT)

    assert shown.structured["bot"] is True


@pytest.mark.parametrize(("offset", "runs"), [(HOUR, True), (-HOUR, False)], ids=["running", "over"])
async def test_only_a_time_out_that_still_runs_is_one(sandbox: Sandbox, offset: timedelta, *, runs: bool) -> None:
    until = (datetime.now(UTC) + offset).isoformat()
    sandbox.world.guilds[demo.GUILD].members[demo.LENA].timed_out_until = until

    async with desk(sandbox) as served:
        shown = await served.call("members_get", guild_id=demo.GUILD, user_id=demo.LENA)

    assert shown.structured["timed_out_until"] == (until if runs else None)


async def test_a_mention_stands_for_its_user(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("members_get", guild_id=demo.GUILD, user_id=f"<@!{demo.LENA}>")

    assert shown.structured["user_id"] == demo.LENA


@pytest.mark.parametrize(("guild_id", "user_id"), [(demo.GUILD, MISSING), (MISSING, demo.LENA)])
async def test_nobody_is_found_where_there_is_nobody(sandbox: Sandbox, guild_id: str, user_id: str) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("members_get", guild_id=guild_id, user_id=user_id)

    assert shown.code == "DISCORD_NOT_FOUND"
    assert shown.structured["retriable"] is False
