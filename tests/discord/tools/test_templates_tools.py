"""templates: what a guild template holds, how its guild has moved on, and keeping the two together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.demo_guild import TEMPLATE
from accord.discord.sandbox.world import Overwrite, Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.discord.sandbox import Sandbox
    from accord.discord.sandbox.world import World

HERE = {"guild_id": demo.GUILD, "template_code": TEMPLATE}
ONE = f"/guilds/templates/{TEMPLATE}"
OWN = f"/guilds/{demo.GUILD}/templates/{TEMPLATE}"
NEW_ROLE = "1196726786458015999"
NOTHING: dict[str, Any] = {"count": 0, "only_in_guild": [], "only_in_template": [], "changed": []}


@pytest.mark.parametrize(
    "written",
    [TEMPLATE, f"https://discord.new/{TEMPLATE}", f"discord.com/template/{TEMPLATE}", f"discord.new/{TEMPLATE}/"],
)
@pytest.mark.parametrize("tool", ["templates_get", "templates_inspect"])
async def test_a_template_is_found_by_its_code_and_by_its_address(sandbox: Sandbox, tool: str, written: str) -> None:
    async with desk(sandbox) as served:
        shown = await served.call(tool, template_code=written)

    assert asked(sandbox) == [f"GET {ONE}"]
    assert shown.structured["template"]["code"] == TEMPLATE
    assert shown.structured["untrusted_text"] == "Lantern Workshop\nA workshop to start from."


@pytest.mark.parametrize(
    "wrong", ["", "a/b", "..", f"https://discord.new/{TEMPLATE}?x=1", f"https://evil.example/{TEMPLATE}"]
)
async def test_what_is_no_code_is_refused_without_a_request(sandbox: Sandbox, wrong: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("templates_get", template_code=wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["template_code"]
    assert asked(sandbox) == []


async def test_a_template_is_shown_with_its_roles_and_channels(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = (await served.call("templates_get", template_code=TEMPLATE)).structured

    source = shown["source_guild"]
    assert [role["name"] for role in source["roles"]] == ["@everyone", "Member", "Moderator", "Admin"]
    forum = next(channel for channel in source["channels"] if channel["name"] == "help-desk")
    assert [tag["name"] for tag in forum["available_tags"]] == ["bug", "idea"]
    assert shown["template"]["creator"] == {"id": demo.BOT, "username": "Lantern Bot", "global_name": None}
    assert "serialized_source_guild" not in shown["template"]


async def test_a_template_is_counted_and_its_risky_permissions_are_named(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.GENERAL].settings["nsfw"] = True
    sandbox.world.channels[demo.STAFF].overwrites[demo.MEMBER_ROLE] = Overwrite(demo.MEMBER_ROLE, 0, may.MANAGE_ROLES)
    code = example(sandbox, "templates_inspect")["template_code"]

    async with desk(sandbox) as served:
        shown = (await served.call("templates_inspect", template_code=code)).structured["blueprint"]

    assert shown == {
        "roles": 4, "channels": 7, "categories": 1, "text_channels": 4, "voice_channels": 1, "forum_channels": 1,
        "nsfw_channels": 1, "overwrites": 5,
        "risky_permissions": [
            {"permission": "ADMINISTRATOR", "roles": ["Admin"], "overwrites": 0},
            {"permission": "MANAGE_ROLES", "roles": [], "overwrites": 1},
            {"permission": "KICK_MEMBERS", "roles": ["Moderator"], "overwrites": 0},
            {"permission": "BAN_MEMBERS", "roles": ["Moderator"], "overwrites": 0},
            {"permission": "MENTION_EVERYONE", "roles": ["Moderator"], "overwrites": 0},
        ],
    }  # fmt: skip


# --- Drift through the whole way ------------------------------------------------------------------------------------


async def test_a_guild_that_is_as_its_template_has_not_moved(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = (await served.call("templates_diff", HERE)).structured

    assert asked(sandbox) == [f"GET {ONE}", f"GET /guilds/{demo.GUILD}/channels", f"GET /guilds/{demo.GUILD}/roles"]
    assert shown["source_guild_matches"] is True
    assert shown["drift"] == {"sync_recommended": False, "roles": NOTHING, "channels": NOTHING}


async def test_another_guild_than_the_templates_own_is_told_so_and_is_not_read(sandbox: Sandbox) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        shown = await served.call("templates_diff", HERE | {"guild_id": demo.SECOND_GUILD})

    assert asked(sandbox) == [f"GET {ONE}"]
    assert (shown.structured["source_guild_matches"], shown.structured["drift"]) == (False, None)


def _rename(world: World) -> None:
    world.channels[demo.GENERAL].name = "plaza"


def _retitle(world: World) -> None:
    world.channels[demo.GENERAL].settings["topic"] = "Anything that burns."


def _move(world: World) -> None:
    world.channels[demo.GENERAL].parent_id = None


def _forbid(world: World) -> None:
    world.channels[demo.GENERAL].overwrites[demo.GUILD] = Overwrite(demo.GUILD, 0, deny=may.SEND_MESSAGES)


@pytest.mark.parametrize(
    ("change", "drift"),
    [
        (_rename, {"count": 2, "only_in_guild": ["plaza"], "only_in_template": ["general"], "changed": []}),
        (_retitle, NOTHING | {"count": 1, "changed": [{"name": "general", "fields": ["topic"]}]}),
        (_move, NOTHING | {"count": 1, "changed": [{"name": "general", "fields": ["parent"]}]}),
        (_forbid, NOTHING | {"count": 1, "changed": [{"name": "general", "fields": ["permission_overwrites"]}]}),
    ],
)
async def test_a_channel_that_differs_is_named_until_the_template_is_synced(
    sandbox: Sandbox, change: Callable[[World], None], drift: dict[str, Any]
) -> None:
    change(sandbox.world)

    async with desk(sandbox) as served:
        before = (await served.call("templates_diff", HERE)).structured["drift"]
        synced = await served.confirmed("templates_sync", HERE)
        after = (await served.call("templates_diff", HERE)).structured["drift"]

    assert before == {"sync_recommended": True, "roles": NOTHING, "channels": drift}
    assert synced.structured["template"]["is_dirty"] is None
    assert after == {"sync_recommended": False, "roles": NOTHING, "channels": NOTHING}


async def test_a_role_that_differs_is_named(sandbox: Sandbox) -> None:
    roles = sandbox.world.guilds[demo.GUILD].roles
    roles[NEW_ROLE] = Role(NEW_ROLE, "Night shift", 0, 9)
    roles[demo.MEMBER_ROLE].permissions = may.SEND_MESSAGES
    roles[demo.MODERATOR_ROLE].color = 7

    async with desk(sandbox) as served:
        drift = (await served.call("templates_diff", HERE)).structured["drift"]

    assert drift["roles"] == {
        "count": 3,
        "only_in_guild": ["Night shift"],
        "only_in_template": [],
        "changed": [{"name": "Member", "fields": ["permissions"]}, {"name": "Moderator", "fields": ["color"]}],
    }


# --- Keeping templates ----------------------------------------------------------------------------------------------


async def test_a_template_is_made_listed_changed_and_deleted(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "templates_create")

    async with desk(sandbox) as served:
        made = (await served.call("templates_create", arguments)).structured["template"]
        place = {"guild_id": demo.GUILD, "template_code": made["code"]}
        listed = (await served.call("templates_list", guild_id=demo.GUILD)).structured
        changed = await served.call("templates_modify", place, name="Day market", clear=["description"])
        deleted = await served.call("templates_delete", place, __confirm=True)
        left = (await served.call("templates_list", guild_id=demo.GUILD)).structured

    assert bodies(sandbox) == [
        {"name": "Night market", "description": "A stall and what belongs to it"},
        {"name": "Day market", "description": None},
    ]
    assert listed["templates"] == [made]
    assert listed["untrusted_text"] == "Night market\nA stall and what belongs to it"
    assert (changed.structured["template"]["name"], changed.structured["untrusted_text"]) == ("Day market",) * 2
    assert (deleted.structured["deleted"], deleted.structured["template"]["code"]) == (True, made["code"])
    assert (left["templates"], left["count"], left["has_more"]) == ([], 0, False)


async def test_a_guild_has_one_template_at_most(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("templates_create", guild_id=demo.GUILD, name="Another")

    assert refused.failed
    assert "already has a template" in refused.text


async def test_no_reason_is_taken_where_discord_keeps_none(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("templates_sync", HERE, audit_reason="spring")

    assert [issue["path"] for issue in refused.structured["issues"]] == ["audit_reason"]


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        ("templates_create", {"guild_id": demo.GUILD, "name": ""}, "name"),
        ("templates_create", {"guild_id": demo.GUILD, "name": "x" * 101}, "name"),
        ("templates_create", {"guild_id": demo.GUILD, "name": "x", "description": "x" * 121}, "description"),
        ("templates_modify", HERE, ""),
        ("templates_modify", HERE | {"description": "x", "clear": ["description"]}, "clear"),
    ],
)
async def test_what_discord_would_not_take_is_refused_before_it_is_asked(
    sandbox: Sandbox, tool: str, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    "tool", ["templates_list", "templates_create", "templates_sync", "templates_modify", "templates_delete"]
)
async def test_a_bot_that_does_not_manage_the_guild_is_refused_by_discord(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~may.MANAGE_GUILD

    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
