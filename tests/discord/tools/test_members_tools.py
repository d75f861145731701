"""members: reading, finding, changing, taking out, keeping out and letting in again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord import notices
from accord.discord.sandbox import demo
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.demo_members import BANNED
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"
HOUR = timedelta(hours=1)
SURE = {"__confirm": True}
LENA = {"guild_id": demo.GUILD, "user_id": demo.LENA}


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
        "mute": False,
        "deaf": False,
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


# --- Finding and listing ----------------------------------------------------------------------------------------------


async def test_members_are_found_by_how_their_names_begin_on_the_documented_route(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        found = (await served.call("members_search", guild_id=demo.GUILD, query="le")).structured

    assert [one["user_id"] for one in found["matches"]] == [demo.LENA]
    assert (found["count"], found["next_cursor"], found["has_more"]) == (1, None, False)
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}/members/search?query=le&limit=25"]


async def test_a_search_that_is_cut_off_says_so(sandbox: Sandbox) -> None:
    example(sandbox, "members_kick"), example(sandbox, "members_kick")

    async with desk(sandbox) as served:
        found = (await served.call("members_search", guild_id=demo.GUILD, query="passer", limit=1)).structured

    assert (found["count"], found["next_cursor"], found["has_more"]) == (1, None, True)


async def walked(served: Any, tool: str, listed: str, **first: Any) -> list[list[str]]:
    """Follow next_cursor to the end; the user ids of each page."""
    found, cursor = [], first
    while True:
        page = (await served.call(tool, guild_id=demo.GUILD, limit=2, **cursor)).structured
        found.append([one["user_id"] for one in page[listed]])
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["next_cursor"]}


async def test_members_come_in_pages_without_gap_or_duplicate(sandbox: Sandbox) -> None:
    ids = sorted(sandbox.world.guilds[demo.GUILD].members, key=int)

    async with desk(sandbox) as served:
        pages = await walked(served, "members_list", "members")
        whole = (await served.call("members_list", guild_id=demo.GUILD, after=ids[1])).structured

    assert pages == [ids[0:2], ids[2:4], ids[4:]]
    assert [one["user_id"] for one in whole["members"]] == ids[2:]
    assert whole["untrusted_names"].splitlines()[0] == "Lena (lena.w)"
    assert asked(sandbox)[0] == f"GET /guilds/{demo.GUILD}/members?limit=2"


async def test_a_list_that_lacks_the_intent_says_which_switch_and_what_does_without(sandbox: Sandbox) -> None:
    sandbox.fail("GET /guilds/{}/members", "status", status=403, code=50001, message="Missing Access")

    async with desk(sandbox) as served:
        refused = await served.call("members_list", guild_id=demo.GUILD)

    assert refused.structured["reason"] == "members_intent_required"
    assert refused.structured["retriable"] is False


async def test_the_bot_finds_itself_in_a_guild_with_one_request(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        me = (await served.call("members_get_current_user", guild_id=demo.GUILD)).structured

    assert (me["user_id"], me["roles"]) == (demo.BOT, [demo.BOT_ROLE])
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}/members/{demo.BOT}"]


# --- Changing ---------------------------------------------------------------------------------------------------------


async def test_only_what_is_given_of_a_member_changes_and_the_answer_says_what_is(sandbox: Sandbox) -> None:
    soon = (datetime.now(UTC) + HOUR).isoformat()

    async with desk(sandbox) as served:
        made = await served.confirmed(
            "members_modify",
            LENA,
            communication_disabled_until=soon,
            mute=None,
            clear=["nick"],
            audit_reason="shouting",
        )

    assert bodies(sandbox) == [{"communication_disabled_until": soon, "nick": None}]
    assert only(sandbox, "PATCH").request_headers["x-audit-log-reason"] == "shouting"
    assert (made.structured["nick"], made.structured["roles"]) == (None, [demo.MEMBER_ROLE])
    assert made.structured["timed_out_until"] is not None


@pytest.mark.parametrize(
    ("roles", "sent"),
    [([demo.MEMBER_ROLE, f"<@&{demo.MEMBER_ROLE}>"], [demo.MEMBER_ROLE]), ([], [])],
    ids=["each once", "none"],
)
async def test_the_roles_given_are_all_that_a_member_has(sandbox: Sandbox, roles: list[str], sent: list[str]) -> None:
    async with desk(sandbox) as served:
        made = await served.confirmed("members_modify", LENA, roles=roles)

    assert bodies(sandbox) == [{"roles": sent}]
    assert made.structured["roles"] == sent


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({}, ""),
        ({"nick": None, "audit_reason": "x"}, ""),
        ({"nick": "x", "clear": ["nick"]}, "clear"),
        ({"clear": ["roles"]}, "clear[0]"),
        ({"nick": ""}, "nick"),
        ({"roles": ["1"]}, "roles[0]"),
        ({"communication_disabled_until": "tomorrow"}, "communication_disabled_until"),
        ({"communication_disabled_until": "2026-02-30T12:00:00Z"}, "communication_disabled_until"),
        ({"communication_disabled_until": "2999-01-01T00:00:00Z"}, "communication_disabled_until"),
    ],
)
async def test_a_change_that_cannot_be_is_refused_without_a_request(
    sandbox: Sandbox, wrong: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("members_modify", LENA, **wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_a_member_is_moved_muted_and_disconnected_in_voice(sandbox: Sandbox) -> None:
    states = sandbox.world.guilds[demo.GUILD].voice_states
    states[demo.LENA] = {"user_id": demo.LENA, "channel_id": demo.VOICE}

    async with desk(sandbox) as served:
        muted = await served.call("members_modify", LENA, mute=True, channel_id=f"<#{demo.VOICE}>")
        await served.confirmed("members_modify", LENA, clear=["channel_id"])
        gone = await served.call("members_modify", LENA, deaf=True)

    assert bodies(sandbox)[:2] == [{"mute": True, "channel_id": demo.VOICE}, {"channel_id": None}]
    assert muted.structured["mute"] is True
    assert demo.LENA not in states
    assert gone.structured["reason"] == "not_in_voice"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("members_modify", {"nick": "x"}),
        ("members_kick", SURE),
        ("members_ban", SURE),
        ("members_add_role", {"role_id": demo.ADMIN_ROLE, **SURE}),
    ],
)
async def test_who_stands_above_the_bot_is_out_of_its_reach(
    sandbox: Sandbox, tool: str, arguments: dict[str, Any]
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, {"guild_id": demo.GUILD, "user_id": demo.MAYA, **arguments})

    assert (refused.code, refused.structured["reason"]) == ("DISCORD_PERMISSION_DENIED", "missing_permissions")


async def test_one_role_comes_and_goes_and_both_are_harmless_twice(sandbox: Sandbox) -> None:
    role, lena = demo.MEMBER_ROLE, sandbox.world.guilds[demo.GUILD].members[demo.LENA]
    path = f"/guilds/{demo.GUILD}/members/{demo.LENA}/roles/{role}"
    held = []

    async with desk(sandbox) as served:
        for tool in ("members_remove_role", "members_remove_role", "members_add_role", "members_add_role"):
            done = await served.confirmed(tool, LENA, role_id=f"<@&{role}>", audit_reason="season")
            held.append((done.structured["role_id"], list(lena.roles)))

    assert held == [(role, []), (role, []), (role, [role]), (role, [role])]
    assert asked(sandbox) == [f"DELETE {path}"] * 2 + [f"PUT {path}"] * 2


async def test_the_bot_changes_its_looks_in_one_guild_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "face.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        place = {"guild_id": demo.GUILD}
        made = await served.call("members_modify_current", place, avatar="face.png", bio="Lights up.", nick="Lamp")
        bare = await served.call("members_modify_current", place, clear=["avatar", "nick"])

    first, second = bodies(sandbox)
    assert first["avatar"].startswith("data:image/png;base64,")
    assert (first["bio"], first["nick"]) == ("Lights up.", "Lamp")
    assert second == {"avatar": None, "nick": None}
    assert (made.structured["nick"], len(made.structured["avatar"])) == ("Lamp", 32)
    assert (bare.structured["nick"], bare.structured["avatar"]) == (None, None)
    assert sandbox.world.me.avatar is None


# --- Taking out and keeping out ---------------------------------------------------------------------------------------


def last_deeds(sandbox: Sandbox, count: int) -> list[tuple[Deed, str | None, str | None]]:
    return [(one.deed, one.target_id, one.reason) for one in list(sandbox.world.guilds[demo.GUILD].audit)[-count:]]


async def test_a_kick_and_a_ban_say_why_in_the_audit_log(sandbox: Sandbox) -> None:
    kicked, banned = example(sandbox, "members_kick"), example(sandbox, "members_ban")

    async with desk(sandbox) as served:
        await served.call("members_kick", kicked | {"audit_reason": "loud"})
        await served.call("members_ban", banned | {"audit_reason": "louder"})
        told = (await served.call("members_get_ban", guild_id=demo.GUILD, user_id=banned["user_id"])).structured

    assert last_deeds(sandbox, 2) == [
        (Deed.MEMBER_KICK, kicked["user_id"], "loud"),
        (Deed.MEMBER_BAN_ADD, banned["user_id"], "louder"),
    ]
    assert bodies(sandbox) == [{"delete_message_seconds": 86_400}]
    assert (told["username"], told["reason"]) == ("passer_by", "louder")


@pytest.mark.parametrize(("seconds", "left"), [(None, 1), (0, 1), (3600, 0)])
async def test_a_ban_deletes_what_was_written_last_only_where_it_is_told_to(
    sandbox: Sandbox, seconds: int | None, left: int
) -> None:
    ban = example(sandbox, "members_ban") | {"delete_message_seconds": seconds}
    world, author = sandbox.world, ban["user_id"]
    world.channels[demo.GENERAL].add(Message(world.new_id(), demo.GENERAL, author, "buy lamps"))

    async with desk(sandbox) as served:
        await served.call("members_ban", ban)

    assert [one.author_id for one in world.channels[demo.GENERAL].messages.values()].count(author) == left
    assert bodies(sandbox) == [{} if seconds is None else {"delete_message_seconds": seconds}]


@pytest.mark.parametrize("takes_them", [True, False])
async def test_a_ban_follows_whether_or_not_the_word_before_it_arrived(sandbox: Sandbox, *, takes_them: bool) -> None:
    ban = example(sandbox, "members_ban")
    sandbox.world.users[ban["user_id"]].accepts_direct_messages = takes_them

    async with desk(sandbox) as served:
        banned = await served.call("members_ban", ban, notify="You are banned. @everyone knows.")

    _, message, _ = bodies(sandbox)
    assert message["content"] == "You are banned. @everyone knows."
    assert message["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert banned.structured["dm_delivered"] is takes_them
    assert served.writes[-1] == f"PUT /guilds/{demo.GUILD}/bans/{ban['user_id']}"
    assert ban["user_id"] in sandbox.world.guilds[demo.GUILD].bans


async def test_a_word_that_does_not_get_through_in_time_does_not_hold_up_the_ban(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "MOST_SECONDS", 0.05)
    sandbox.fail("POST /users/@me/channels", "delay", seconds=0.5)

    async with desk(sandbox) as served:
        banned = await served.call("members_ban", example(sandbox, "members_ban"), notify="You are banned.")

    assert banned.structured["dm_delivered"] is False
    assert last_deeds(sandbox, 1)[0][0] == Deed.MEMBER_BAN_ADD


async def test_many_are_banned_at_once_and_who_was_not_is_named(sandbox: Sandbox) -> None:
    raid = example(sandbox, "members_bulk_ban")
    new: Sequence[str] = raid["user_ids"]

    async with desk(sandbox) as served:
        done = await served.call("members_bulk_ban", raid | {"user_ids": [*new, new[0], BANNED, demo.MAYA, MISSING]})

    assert bodies(sandbox) == [{"user_ids": [*new, BANNED, demo.MAYA, MISSING], "delete_message_seconds": 3600}]
    assert done.structured == {
        "banned_users": new,
        "failed_users": [BANNED, demo.MAYA, MISSING],
        "banned_count": 2,
        "failed_count": 3,
    }


async def test_nobody_banned_at_all_is_a_failure_with_its_reason(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("members_bulk_ban", {"guild_id": demo.GUILD, "user_ids": [BANNED], **SURE})

    assert (refused.structured["reason"], refused.structured["retriable"]) == ("nobody_banned", False)


@pytest.mark.parametrize("tool", ["members_kick", "members_ban", "members_bulk_ban"])
async def test_taking_out_is_never_aimed_by_the_default_guild(sandbox: Sandbox, tool: str) -> None:
    arguments = {name: value for name, value in example(sandbox, tool).items() if name != "guild_id"}

    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        refused = await served.call(tool, arguments)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["guild_id"]
    assert asked(sandbox) == []


async def test_a_ban_whose_answer_was_lost_is_not_made_twice_by_the_client(sandbox: Sandbox) -> None:
    sandbox.fail("POST /guilds/{}/bulk-ban", "drop", after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        lost = await served.call("members_bulk_ban", example(sandbox, "members_bulk_ban"))

    assert (lost.structured["outcome"], lost.structured["retriable"]) == ("unknown", False)
    assert len(asked(sandbox)) == 1


async def test_a_lifted_ban_is_lifted(sandbox: Sandbox) -> None:
    banned = example(sandbox, "members_unban")

    async with desk(sandbox) as served:
        lifted = await served.call("members_unban", banned)
        again = await served.call("members_get_ban", banned)

    assert lifted.structured == {"unbanned": True, "user_id": banned["user_id"], "guild_id": demo.GUILD}
    assert (again.code, again.structured["reason"]) == ("DISCORD_NOT_FOUND", "unknown_ban")


async def test_bans_come_in_pages_either_way(sandbox: Sandbox) -> None:
    ids = [BANNED, *(example(sandbox, "members_unban")["user_id"] for _ in range(4))]

    async with desk(sandbox) as served:
        forward = await walked(served, "members_list_bans", "bans")
        backward = await walked(served, "members_list_bans", "bans", before=ids[-1])

    assert forward == [ids[0:2], ids[2:4], ids[4:]]
    assert backward == [ids[2:4], ids[0:2], []]
