"""roles: reading, making, changing, moving and deleting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox


async def test_roles_are_listed_from_the_highest_down_with_all_that_discord_says(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("roles_list", guild_id=demo.GUILD)).structured

    order = [demo.ADMIN_ROLE, demo.MODERATOR_ROLE, demo.BOT_ROLE, demo.MEMBER_ROLE, demo.GUILD]
    assert [role["id"] for role in listed["roles"]] == order
    assert listed["roles"][2]["tags"] == {"bot_id": demo.BOT}
    assert (listed["count"], listed["has_more"]) == (5, False)


async def test_members_are_counted_role_by_role(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        counted = (await served.call("roles_count_members", guild_id=demo.GUILD)).structured

    assert counted["items"][0] == {"role_id": demo.MEMBER_ROLE, "members": 2}
    assert demo.GUILD not in {row["role_id"] for row in counted["items"]}


async def test_a_role_is_made_with_permissions_and_colours_as_people_write_them(sandbox: Sandbox) -> None:
    new = {
        "name": "Night shift",
        "permissions": "view_channel, SEND_MESSAGES",
        "color": "blurple",
        "audit_reason": "why",
    }

    async with desk(sandbox) as served:
        made = await served.call("roles_create", guild_id=demo.GUILD, **new)

    assert bodies(sandbox) == [{"name": "Night shift", "permissions": "3072", "color": 0x5865F2}]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "why"
    assert made.structured["permissions"] == "3072"


@pytest.mark.parametrize("wrong", ["abc", "VIEW_CHANEL", "-1", ""])
async def test_what_is_no_set_of_permissions_is_refused(sandbox: Sandbox, wrong: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("roles_create", guild_id=demo.GUILD, permissions=wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["permissions"]
    assert asked(sandbox) == []


async def test_only_what_is_given_changes_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    place = example(sandbox, "roles_modify")
    del place["permissions"]

    async with desk(sandbox) as served:
        changed = await served.call("roles_modify", place, name="Day shift", hoist=None, clear=["color"])

    assert bodies(sandbox) == [{"name": "Day shift", "color": None}]
    assert changed.structured["name"] == "Day shift"


@pytest.mark.parametrize(
    ("given", "path"),
    [({}, ""), ({"name": None, "audit_reason": "x"}, ""), ({"name": "x", "clear": ["name"]}, "clear")],
)
async def test_a_change_of_nothing_and_a_change_against_itself_are_refused(
    sandbox: Sandbox, given: dict[str, Any], path: str
) -> None:
    place = {"guild_id": demo.GUILD, "role_id": demo.MEMBER_ROLE}

    async with desk(sandbox) as served:
        refused = await served.call("roles_modify", place, **given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_an_icon_is_read_from_the_upload_folder(sandbox: Sandbox, tmp_path: Any) -> None:
    (tmp_path / "icon.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        await served.call("roles_create", guild_id=demo.GUILD, icon="icon.png")

    assert bodies(sandbox)[0]["icon"].startswith("data:image/png;base64,iVBOR")


async def test_a_role_above_the_bots_own_is_out_of_reach(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "roles_modify_positions", guild_id=demo.GUILD, positions=[{"id": demo.ADMIN_ROLE, "position": 1}]
        )

    assert refused.code == "DISCORD_PERMISSION_DENIED"
