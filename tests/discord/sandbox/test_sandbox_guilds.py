from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from accord.discord.sandbox import demo
from accord.discord.sandbox.permissions import MANAGE_ROLES, VIEW_AUDIT_LOG, VIEW_CHANNEL
from accord.discord.sandbox.snowflakes import iso

if TYPE_CHECKING:
    from tests.discord.sandbox.bare_client import BareClient

    from accord.discord.sandbox import Sandbox

GUILD = f"/guilds/{demo.GUILD}"


@pytest.mark.parametrize(
    "path",
    [
        "/users/@me",
        f"/users/{demo.MAYA}",
        "/users/@me/guilds?with_counts=true",
        "/applications/@me",
        "/oauth2/applications/@me",
        "/gateway",
        "/gateway/bot",
        f"{GUILD}?with_counts=true",
        f"{GUILD}/channels",
        f"{GUILD}/members?limit=1000",
        f"{GUILD}/roles",
        f"{GUILD}/roles/{demo.BOT_ROLE}",
        f"{GUILD}/emojis",
        f"/applications/{demo.APPLICATION}/emojis",
        f"{GUILD}/auto-moderation/rules",
        f"{GUILD}/scheduled-events?with_user_count=true",
        f"{GUILD}/audit-logs",
        f"{GUILD}/threads/active",
        *(f"/channels/{each}" for each in (demo.TEXT_CATEGORY, demo.VOICE, demo.FORUM, demo.THREAD, demo.BUG_POST)),
        *(f"/channels/{channel}/messages" for channel in (demo.GENERAL, demo.WELCOME, demo.THREAD, demo.BUG_POST)),
        f"/channels/{demo.WELCOME}/messages/pins",
        f"/channels/{demo.THREAD}/thread-members?with_member=true",
    ],
)
async def test_everything_of_the_demo_world_can_be_read(discord: BareClient, path: str) -> None:
    answer = await discord("GET", path)

    assert answer.status == 200
    assert answer.json


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/channels/1", 10003),
        ("/guilds/1", 10004),
        (f"{GUILD}/members/1", 10007),
        (f"/channels/{demo.GENERAL}/messages/1", 10008),
        (f"{GUILD}/roles/1", 10011),
        ("/users/1", 10013),
    ],
)
async def test_what_is_not_there_is_said_in_discords_codes(discord: BareClient, path: str, code: int) -> None:
    answer = await discord("GET", path)

    assert (answer.status, answer.code) == (404, code)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [demo.GUILD, demo.SECOND_GUILD]),
        ("?limit=1", [demo.GUILD]),
        (f"?after={demo.GUILD}", [demo.SECOND_GUILD]),
        (f"?before={demo.SECOND_GUILD}", [demo.GUILD]),
    ],
)
async def test_the_bots_guilds_come_in_pages(discord: BareClient, query: str, expected: list[str]) -> None:
    listed = await discord("GET", f"/users/@me/guilds{query}")

    assert [each["id"] for each in listed.json] == expected


async def test_members_come_in_pages_by_user_id(discord: BareClient) -> None:
    first = await discord("GET", f"{GUILD}/members?limit=2")
    rest = await discord("GET", f"{GUILD}/members?limit=1000&after={first.json[-1]['user']['id']}")

    ids = [each["user"]["id"] for each in first.json + rest.json]
    assert ids == [demo.MAYA, demo.THEO, demo.LENA, demo.OMAR, demo.BOT]


@pytest.mark.parametrize(("query", "found"), [("len", demo.LENA), ("OMAR", demo.OMAR), ("Lena%20(l", demo.LENA)])
async def test_members_are_found_by_the_beginning_of_a_name(discord: BareClient, query: str, found: str) -> None:
    answer = await discord("GET", f"{GUILD}/members/search?query={query}&limit=5")

    assert [each["user"]["id"] for each in answer.json] == [found]


async def test_a_search_for_nothing_is_refused(discord: BareClient) -> None:
    answer = await discord("GET", f"{GUILD}/members/search")

    assert answer.json["errors"]["query"]["_errors"][0]["code"] == "BASE_TYPE_REQUIRED"


async def test_a_members_nickname_and_roles_can_be_changed(discord: BareClient) -> None:
    changed = await discord("PATCH", f"{GUILD}/members/{demo.LENA}", {"nick": None, "roles": []})

    assert (changed.json["nick"], changed.json["roles"]) == (None, [])
    assert (await discord("GET", f"{GUILD}/members/{demo.LENA}")).json == changed.json


async def test_the_bot_can_rename_itself(discord: BareClient) -> None:
    changed = await discord("PATCH", f"{GUILD}/members/@me", {"nick": "Lampy"})

    assert changed.json["nick"] == "Lampy"


async def test_a_timed_out_member_can_only_read(sandbox: Sandbox, discord: BareClient) -> None:
    until = iso(sandbox.world.clock() + demo.HOUR)

    changed = await discord("PATCH", f"{GUILD}/members/{demo.LENA}", {"communication_disabled_until": until})
    sandbox.world.guilds[demo.GUILD].members[demo.BOT].timed_out_until = until

    assert changed.json["communication_disabled_until"] == until
    general = f"/channels/{demo.GENERAL}/messages"
    assert (await discord("GET", general)).status == 200
    assert (await discord("POST", general, {"content": "x"})).code == 50013


async def test_a_timeout_of_more_than_28_days_is_refused(sandbox: Sandbox, discord: BareClient) -> None:
    until = iso(sandbox.world.clock() + 29 * demo.DAY)

    answer = await discord("PATCH", f"{GUILD}/members/{demo.LENA}", {"communication_disabled_until": until})

    assert (answer.status, answer.code) == (400, 50035)


@pytest.mark.parametrize(
    ("user_id", "body", "code"),
    [
        (demo.MAYA, {"nick": "x"}, 50013),
        (demo.THEO, {"nick": "x"}, 50013),
        (demo.LENA, {"roles": [demo.ADMIN_ROLE]}, 50013),
        (demo.LENA, {"roles": ["1"]}, 10011),
        (demo.THEO, {"mute": True}, 50013),
    ],
)
async def test_a_member_change_above_the_bots_station_is_refused(
    discord: BareClient, user_id: str, body: Any, code: int
) -> None:
    assert (await discord("PATCH", f"{GUILD}/members/{user_id}", body)).code == code


async def test_a_role_is_made_changed_and_deleted(sandbox: Sandbox, discord: BareClient) -> None:
    made = await discord("POST", f"{GUILD}/roles", {"name": "Night shift", "permissions": "1024", "color": 255})
    path = f"{GUILD}/roles/{made.json['id']}"
    await discord("PATCH", f"{GUILD}/members/{demo.LENA}", {"roles": [made.json["id"]]})
    changed = await discord("PATCH", path, {"hoist": True, "permissions": "0"})
    deleted = await discord("DELETE", path)

    assert (made.json["permissions"], made.json["position"]) == ("1024", 1)
    assert (changed.json["name"], changed.json["hoist"], changed.json["permissions"]) == ("Night shift", True, "0")
    assert deleted.status == 204
    assert sandbox.world.guilds[demo.GUILD].members[demo.LENA].roles == []


@pytest.mark.parametrize(
    ("method", "role_id", "body", "code"),
    [
        ("PATCH", demo.ADMIN_ROLE, {"name": "x"}, 50013),
        ("PATCH", demo.MEMBER_ROLE, {"permissions": "8"}, 50013),
        ("DELETE", demo.BOT_ROLE, None, 50028),
        ("DELETE", demo.GUILD, None, 50028),
        ("DELETE", demo.MODERATOR_ROLE, None, 50013),
    ],
)
async def test_a_role_change_above_the_bots_station_is_refused(
    discord: BareClient, method: str, role_id: str, body: Any, code: int
) -> None:
    assert (await discord(method, f"{GUILD}/roles/{role_id}", body)).code == code


async def test_a_channel_is_made_changed_and_deleted(discord: BareClient) -> None:
    made = await discord("POST", f"{GUILD}/channels", {"name": "Night Market", "parent_id": demo.TEXT_CATEGORY})
    path = f"/channels/{made.json['id']}"
    changed = await discord("PATCH", path, {"topic": "Saturday", "rate_limit_per_user": 10})
    deleted = await discord("DELETE", path)

    assert (made.status, made.json["name"], made.json["parent_id"]) == (201, "night-market", demo.TEXT_CATEGORY)
    assert (changed.json["topic"], changed.json["rate_limit_per_user"]) == ("Saturday", 10)
    assert deleted.json == changed.json
    assert (await discord("GET", path)).code == 10003


@pytest.mark.parametrize(
    ("kind", "extras"),
    [
        (0, {"default_auto_archive_duration": 1440}),
        (2, {"bitrate": 96_000, "user_limit": 5}),
        (4, {}),
        (5, {"topic": "News"}),
        (13, {"topic": "On stage"}),
        (15, {"available_tags": [{"name": "t"}], "default_reaction_emoji": {"emoji_name": "👍"}}),
    ],
)
async def test_every_kind_of_channel_can_be_made(discord: BareClient, kind: int, extras: dict[str, Any]) -> None:
    made = await discord("POST", f"{GUILD}/channels", {"name": "new", "type": kind, **extras})

    assert (made.status, made.json["type"]) == (201, kind)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"parent_id": "1"}, "parent_id"),
        ({"parent_id": demo.VOICE}, "parent_id"),
        ({"type": 2}, "type"),
        ({"name": ""}, "name"),
    ],
)
async def test_a_channel_change_that_cannot_be_is_refused(discord: BareClient, body: Any, field: str) -> None:
    answer = await discord("PATCH", f"/channels/{demo.GENERAL}", body)

    assert field in answer.json["errors"]


async def test_a_deleted_category_leaves_its_channels(discord: BareClient) -> None:
    await discord("DELETE", f"/channels/{demo.TEXT_CATEGORY}")

    assert (await discord("GET", f"/channels/{demo.GENERAL}")).json["parent_id"] is None


async def test_a_deleted_channel_takes_its_threads_along(discord: BareClient) -> None:
    await discord("DELETE", f"/channels/{demo.GENERAL}")

    assert (await discord("GET", f"/channels/{demo.THREAD}")).code == 10003


async def test_a_typing_sign_needs_the_right_to_send(discord: BareClient) -> None:
    assert (await discord("POST", f"/channels/{demo.GENERAL}/typing")).status == 204
    assert (await discord("POST", f"/channels/{demo.ANNOUNCEMENTS}/typing")).code == 50013


async def test_an_overwrite_is_set_and_taken_away(discord: BareClient) -> None:
    path = f"/channels/{demo.GENERAL}/permissions/{demo.MEMBER_ROLE}"

    put = await discord("PUT", path, {"type": 0, "allow": "0", "deny": "2048"})
    channel = await discord("GET", f"/channels/{demo.GENERAL}")
    deleted = await discord("DELETE", path)

    assert (put.status, deleted.status) == (204, 204)
    assert channel.json["permission_overwrites"] == [{"id": demo.MEMBER_ROLE, "type": 0, "allow": "0", "deny": "2048"}]
    assert (await discord("DELETE", path)).code == 10009


async def test_an_overwrite_cannot_give_what_the_bot_has_not(discord: BareClient) -> None:
    path = f"/channels/{demo.GENERAL}/permissions/{demo.MEMBER_ROLE}"

    assert (await discord("PUT", path, {"type": 0, "allow": "8"})).code == 50013


async def test_a_channel_that_the_bot_cannot_see_is_listed_but_closed(discord: BareClient) -> None:
    listed = await discord("GET", f"{GUILD}/channels")
    opened = await discord("GET", f"/channels/{demo.STAFF}")

    assert demo.STAFF in [each["id"] for each in listed.json]
    assert (opened.status, opened.code) == (403, 50001)


async def test_announcements_can_be_read_but_not_written(discord: BareClient) -> None:
    path = f"/channels/{demo.ANNOUNCEMENTS}/messages"

    assert len((await discord("GET", path)).json) == 1
    refused = await discord("POST", path, {"content": "x"})
    assert (refused.status, refused.code) == (403, 50013)


async def test_a_write_is_in_the_audit_log_with_its_decoded_reason(discord: BareClient) -> None:
    reason = {"X-Audit-Log-Reason": "lighter%20nights%20%E2%9C%93"}
    await discord("PATCH", f"/channels/{demo.GENERAL}", {"topic": "Glow"}, headers=reason)

    log = await discord("GET", f"{GUILD}/audit-logs?action_type=11")

    entry = log.json["audit_log_entries"][0]
    assert (entry["target_id"], entry["user_id"]) == (demo.GENERAL, demo.BOT)
    assert entry["reason"] == "lighter nights ✓"
    assert entry["changes"] == [{"key": "topic", "old_value": "Anything that glows.", "new_value": "Glow"}]
    assert [each["id"] for each in log.json["users"]] == [demo.BOT]


async def test_the_audit_log_is_newest_first_and_comes_in_pages(discord: BareClient) -> None:
    for name in ("a", "b", "c"):
        await discord("POST", f"{GUILD}/roles", {"name": name})
    every = (await discord("GET", f"{GUILD}/audit-logs")).json["audit_log_entries"]
    ids = [each["id"] for each in every]

    older = await discord("GET", f"{GUILD}/audit-logs?before={ids[0]}&limit=1")
    newer = await discord("GET", f"{GUILD}/audit-logs?after={ids[2]}")

    assert ids == sorted(ids, key=int, reverse=True)
    assert [each["id"] for each in older.json["audit_log_entries"]] == ids[1:2]
    assert [each["id"] for each in newer.json["audit_log_entries"]] == ids[1::-1]


@pytest.mark.parametrize(
    ("permission", "method", "path"),
    [
        (VIEW_AUDIT_LOG, "GET", f"{GUILD}/audit-logs"),
        (MANAGE_ROLES, "POST", f"{GUILD}/roles"),
    ],
)
async def test_without_the_permission_a_guild_route_is_closed(
    sandbox: Sandbox, discord: BareClient, permission: int, method: str, path: str
) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~permission

    assert (await discord(method, path)).code == 50013


async def test_a_thread_of_a_hidden_channel_is_hidden_too(sandbox: Sandbox, discord: BareClient) -> None:
    guild = sandbox.world.guilds[demo.GUILD]
    for role_id in (demo.GUILD, demo.BOT_ROLE):
        guild.roles[role_id].permissions &= ~VIEW_CHANNEL

    assert (await discord("GET", f"/channels/{demo.THREAD}")).code == 50001
