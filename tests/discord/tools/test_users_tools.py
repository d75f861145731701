"""users: who the bot is, where it is, and who others are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.world import Guild, Member, Role

if TYPE_CHECKING:
    from pathlib import Path

    from tests.served import Desk

    from accord.discord.sandbox import Sandbox

TOOL = "users_list_current_user_guilds"
FIRST = 1_300_000_000_000_000_000


def join(sandbox: Sandbox, count: int) -> list[str]:
    """Leave the bot in `count` guilds alone; their ids, oldest first."""
    world = sandbox.world
    ids = [str(FIRST + number) for number in range(count)]
    world.guilds = {one: Guild(one, f"guild {one}", demo.MAYA) for one in ids}
    for guild in world.guilds.values():
        guild.members[demo.BOT] = Member(demo.BOT, world.now())
        guild.roles[guild.id] = Role(guild.id, "@everyone", 0, 0)
    return ids


async def pages(served: Desk, **first: Any) -> list[list[str]]:
    """Follow next_cursor from the first page to the last; the ids of each page."""
    found: list[list[str]] = []
    arguments = dict(first)
    while True:
        page = (await served.call(TOOL, arguments)).structured
        found.append([one["id"] for one in page["guilds"]])
        if not page["has_more"]:
            return found
        arguments = {"limit": first["limit"], "cursor": page["next_cursor"]}


async def test_the_bots_guilds_are_listed(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = await served.call(TOOL)

    workshop, corner = listed.structured.pop("guilds")
    assert {name: value for name, value in workshop.items() if name != "permissions"} == {
        "id": demo.GUILD,
        "name": "Lantern Workshop",
        "icon": None,
        "owner": False,
        "features": ["COMMUNITY", "NEWS"],
    }
    assert workshop["permissions"].isdecimal()
    assert corner["id"] == demo.SECOND_GUILD
    assert listed.structured == {
        "count": 2,
        "left_out": 0,
        "untrusted_names": "Lantern Workshop\nReading Corner",
        "next_cursor": None,
        "has_more": False,
    }
    assert listed.text.startswith("Guilds: 2.\n<untrusted_discord nonce=")
    assert asked(sandbox) == ["GET /users/@me/guilds?limit=200"]


async def test_every_argument_goes_into_the_query(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call(TOOL, limit=1, after=demo.GUILD, with_counts=True)
        await served.call(TOOL, limit=1, before=demo.SECOND_GUILD, with_counts=False)

    assert asked(sandbox) == [
        f"GET /users/@me/guilds?limit=1&with_counts=true&after={demo.GUILD}",
        f"GET /users/@me/guilds?limit=1&with_counts=false&before={demo.SECOND_GUILD}",
    ]


async def test_counts_come_where_they_are_asked_for(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = await served.call(TOOL, with_counts=True)

    assert [(one["member_count"], one["online_count"]) for one in listed.structured["guilds"]] == [(5, 5), (3, 3)]


async def test_five_guilds_come_in_pages_of_two_without_gap_or_duplicate(sandbox: Sandbox) -> None:
    ids = join(sandbox, 5)

    async with desk(sandbox) as served:
        forward = await pages(served, limit=2)
        backward = await pages(served, limit=2, before=ids[-1])

    assert forward == [ids[0:2], ids[2:4], ids[4:]]
    assert backward == [ids[2:4], ids[0:2], []]


async def test_no_guild_at_all_is_a_success(sandbox: Sandbox) -> None:
    join(sandbox, 0)

    async with desk(sandbox) as served:
        listed = await served.call(TOOL)

    assert listed.structured == {
        "guilds": [],
        "count": 0,
        "left_out": 0,
        "untrusted_names": "",
        "next_cursor": None,
        "has_more": False,
    }


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"before": demo.GUILD, "after": demo.GUILD}, "after"),
        ({"with_counts": "perhaps"}, "with_counts"),
        ({"cursor": "?"}, "cursor"),
    ],
)
async def test_a_wrong_page_is_refused_without_a_request(sandbox: Sandbox, wrong: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        listed = await served.call(TOOL, wrong)

    assert listed.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in listed.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_a_token_that_was_reset_ends_in_one_clear_failure(sandbox: Sandbox) -> None:
    sandbox.fail("*", "unauthorized")

    async with desk(sandbox) as served:
        first = await served.call(TOOL)
        second = await served.call(TOOL)

    assert (first.code, second.code) == ("DISCORD_AUTH_INVALID", "DISCORD_AUTH_INVALID")
    assert len(asked(sandbox)) == 1


async def test_the_bot_tells_who_it_is_and_nothing_that_is_its_owners(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        told = (await served.call("users_get_current")).structured

    assert (told["id"], told["username"], told["bot"]) == (demo.BOT, "Lantern Bot", True)
    assert "email" not in told


async def test_a_person_is_no_bot_and_is_told_with_both_names(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        found = (await served.call("users_get", user_id=f"<@{demo.THEO}>")).structured

    assert found == {
        "id": demo.THEO,
        "username": "theo_okafor",
        "global_name": "Theo",
        "avatar": None,
        "banner": None,
        "bot": False,
        "public_flags": 0,
        "untrusted_text": "Theo (theo_okafor)",
    }


async def test_only_what_is_given_of_the_account_changes_and_a_picture_is_cleared_by_name(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "face.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        drawn = (await served.call("users_modify_current", avatar="face.png", banner=None)).structured
        blank = (await served.call("users_modify_current", username="Lamp", clear=["avatar"])).structured

    first, second = bodies(sandbox)
    assert list(first) == ["avatar"]
    assert first["avatar"].startswith("data:image/png;base64,iVBOR")
    assert second == {"username": "Lamp", "avatar": None}
    assert (drawn["avatar"] is None, blank["avatar"], blank["username"]) == (False, None, "Lamp")


@pytest.mark.parametrize("nothing", [{}, {"username": None}])
async def test_an_account_is_not_changed_by_nothing(sandbox: Sandbox, nothing: dict[str, Any]) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("users_modify_current", nothing)

    assert refused.code == "VALIDATION_FAILED"
    assert asked(sandbox) == []


async def test_a_guild_that_was_left_is_left_and_was_named(sandbox: Sandbox) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        aimless = await served.call("users_leave_guild", {"__confirm": True})
        left = await served.call("users_leave_guild", {"guild_id": demo.SECOND_GUILD, "__confirm": True})

    assert [issue["path"] for issue in aimless.structured["issues"]] == ["guild_id"]
    assert left.structured == {"left": True, "guild_id": demo.SECOND_GUILD}
    assert asked(sandbox) == [f"DELETE /users/@me/guilds/{demo.SECOND_GUILD}"]
    assert demo.BOT not in sandbox.world.guilds[demo.SECOND_GUILD].members


async def test_direct_messages_opened_twice_are_one_channel(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        first = (await served.call("users_create_dm", recipient_id=demo.LENA)).structured
        second = (await served.call("users_create_dm", recipient_id=demo.LENA)).structured

    assert first == second
    assert (first["type"], first["recipient_ids"]) == (1, [demo.LENA])
    assert bodies(sandbox) == [{"recipient_id": demo.LENA}] * 2


@pytest.mark.parametrize(("status", "code"), [(400, "VALIDATION_FAILED"), (403, "DISCORD_PERMISSION_DENIED")])
async def test_somebody_who_takes_no_direct_messages_is_one_reason_in_both_its_forms(
    sandbox: Sandbox, status: int, code: str
) -> None:
    sandbox.fail("POST /users/@me/channels", "status", status=status, code=50007, message="Cannot send messages")

    async with desk(sandbox) as served:
        refused = await served.call("users_create_dm", recipient_id=demo.OMAR)

    assert (refused.code, refused.structured["reason"]) == (code, "cannot_dm_user")
    assert refused.structured["retriable"] is False
    assert len(asked(sandbox)) == 1


async def test_the_bot_has_no_direct_messages_with_itself(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("users_create_dm", recipient_id=demo.BOT)

    assert refused.structured["reason"] == "cannot_dm_user"
