"""invites: making them, for whom they are, what is told of them, and deleting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.invites import own_invite
from tests.served import desk

from accord.discord.sandbox import demo, demo_channels
from accord.discord.sandbox import permissions as may

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

GENERAL = {"channel_id": demo.GENERAL}
CODE = demo_channels.INVITE


def without(sandbox: Sandbox, permission: int) -> None:
    """Take a permission from the bot in the whole guild."""
    roles = sandbox.world.guilds[demo.GUILD].roles
    for role_id in (demo.BOT_ROLE, demo.GUILD):
        roles[role_id].permissions &= ~permission


@pytest.mark.parametrize(
    "code", [CODE, f"https://discord.gg/{CODE}", f"discord.gg/{CODE}", f"https://discord.com/invite/{CODE}/"]
)
async def test_an_invite_is_known_by_its_code_and_by_its_address(sandbox: Sandbox, code: str) -> None:
    async with desk(sandbox) as served:
        found = (await served.call("invites_get", code=code, with_counts=True)).structured

    members = len(sandbox.world.guilds[demo.GUILD].members)
    assert asked(sandbox) == [f"GET /invites/{CODE}?with_counts=true"]
    assert {name: found[name] for name in ("code", "guild_id", "channel_id", "inviter_id", "expires_at")} == {
        "code": CODE,
        "guild_id": demo.GUILD,
        "channel_id": demo.GENERAL,
        "inviter_id": demo.THEO,
        "expires_at": None,
    }
    assert found["untrusted_names"] == "Lantern Workshop\ngeneral\ntheo_okafor"
    assert found["approximate_member_count"] == members
    assert "uses" not in found


async def test_an_invite_is_made_for_a_while_with_a_role(sandbox: Sandbox) -> None:
    new = {"max_age": 3600, "max_uses": 1, "unique": True, "role_ids": [f"<@&{demo.MEMBER_ROLE}>"]}

    async with desk(sandbox) as served:
        made = await served.confirmed("invites_create_channel", GENERAL, audit_reason="why", **new)

    assert bodies(sandbox) == [{**new, "role_ids": [demo.MEMBER_ROLE]}]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "why"
    assert (made.structured["role_ids"], made.structured["max_age"]) == ([demo.MEMBER_ROLE], 3600)
    assert made.structured["code"] in sandbox.world.invites


async def test_an_invite_without_any_wish_still_has_a_body(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("invites_create_channel", GENERAL)

    assert bodies(sandbox) == [{}]


async def test_an_invite_for_some_users_takes_their_list_along(sandbox: Sandbox) -> None:
    users = [f"<@{demo.LENA}>", demo.OMAR, demo.LENA]

    async with desk(sandbox) as served:
        made = await served.call("invites_create_channel", GENERAL, max_uses=2, target_user_ids=users)
        listed = await served.call("invites_get_target_users", code=made.structured["code"])
        job = await served.call("invites_get_target_users_job", code=made.structured["code"])

    request = only(sandbox, "POST")
    assert request.request_headers["content-type"].startswith("multipart/form-data")
    assert b'name="target_users_file"' in request.request_body
    assert b'{"max_uses":2}' in request.request_body
    assert listed.structured["items"] == [demo.LENA, demo.OMAR]
    assert {name: job.structured[name] for name in ("status", "total_users")} == {"status": 2, "total_users": 2}


async def test_the_list_of_users_is_replaced(sandbox: Sandbox) -> None:
    invite = own_invite(sandbox)

    async with desk(sandbox) as served:
        await served.confirmed("invites_update_target_users", invite, user_ids=[demo.LENA])
        done = await served.confirmed("invites_update_target_users", invite, user_ids=[demo.OMAR, demo.OMAR])

    assert done.structured == {"updated": True, "invite_code": invite["code"], "count": 1}
    assert sandbox.world.invites[invite["code"]]["target_user_ids"] == [demo.OMAR]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"target_type": 1}, "target_user_id"),
        ({"target_type": 2, "target_user_id": demo.LENA}, "target_user_id"),
        ({"target_user_id": demo.LENA}, "target_user_id"),
        ({"target_application_id": demo.APPLICATION}, "target_application_id"),
        ({"target_type": 3}, "target_type"),
        ({"max_uses": 101}, "max_uses"),
        ({"target_user_ids": []}, "target_user_ids"),
    ],
)
async def test_an_invite_that_leads_nowhere_is_refused(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("invites_create_channel", GENERAL | given)

    assert path in [issue["path"] for issue in refused.structured["issues"]]
    assert asked(sandbox) == []


async def test_an_invite_to_an_activity_names_it(sandbox: Sandbox) -> None:
    activity = {"target_type": 2, "target_application_id": demo.APPLICATION}

    async with desk(sandbox) as served:
        made = await served.call("invites_create_channel", channel_id=demo.VOICE, **activity)

    assert {name: made.structured[name] for name in activity} == activity


async def test_a_guilds_invites_are_listed_and_their_use_is_for_who_manages_it(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        whole = await served.call("invites_list_guild", guild_id=demo.GUILD)
        without(sandbox, may.MANAGE_GUILD)
        part = await served.call("invites_list_guild", guild_id=demo.GUILD)
        without(sandbox, may.VIEW_AUDIT_LOG)
        refused = await served.call("invites_list_guild", guild_id=demo.GUILD)

    assert next(one for one in whole.structured["items"] if one["code"] == CODE)["uses"] == 12
    assert "uses" not in next(one for one in part.structured["items"] if one["code"] == CODE)
    assert refused.code == "DISCORD_PERMISSION_DENIED"


@pytest.mark.usefixtures("answers_of_the_future")
async def test_a_list_of_invites_may_hold_anything_that_discord_knows(sandbox: Sandbox) -> None:
    for code in ("bare", "future"):
        demo_channels.standing_invite(sandbox.world, sandbox.world.guilds[demo.GUILD], code, demo.GENERAL, demo.THEO)
    del sandbox.world.invites["bare"]["inviter"]
    sandbox.world.invites["future"] |= {"type": 9, "of_the_future": [1], "target_type": 3, "roles": None}

    async with desk(sandbox) as served:
        listed = await served.call("invites_list_channel", GENERAL)

    found = {one["code"]: one for one in listed.structured["invites"]}
    assert "inviter_id" not in found["bare"]
    assert (found["future"]["type"], found["future"]["target_type"]) == (9, 3)


async def test_an_invite_that_is_over_is_not_found(sandbox: Sandbox) -> None:
    invite = own_invite(sandbox)
    sandbox.world.invites[invite["code"]]["expires_at"] = "2020-01-01T00:00:00.000000+00:00"

    async with desk(sandbox) as served:
        found = await served.call("invites_get", invite)

    assert found.code == "DISCORD_NOT_FOUND"


async def test_an_invite_is_deleted_for_a_reason(sandbox: Sandbox) -> None:
    invite = own_invite(sandbox)

    async with desk(sandbox) as served:
        shown = await served.call("invites_delete", invite)
        done = await served.call("invites_delete", invite, audit_reason="leaked", __confirm=True)

    assert shown.failed
    assert done.structured == {"deleted": True, **invite}
    assert only(sandbox, "DELETE").request_headers["x-audit-log-reason"] == "leaked"
    assert invite["code"] not in sandbox.world.invites
