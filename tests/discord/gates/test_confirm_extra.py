"""Calls that are asked about by their arguments: each condition open and closed, and switched off as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.conditions import ELEVATED, names_of
from accord.discord.models.permissions import BITS
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

CONDITIONAL = [name for name, tool in own_tools().items() if tool.condition]


class Row(NamedTuple):
    """A tool, arguments beside its usual ones (None takes one away), and why it is asked about, if it is."""

    tool: str
    given: dict[str, Any]
    why: str | None


def overwrite(**sides: str) -> list[dict[str, Any]]:
    """One overwrite for the members' role."""
    return [{"id": demo.MEMBER_ROLE, "type": 0, **sides}]


ROWS = [
    Row("roles_create", {}, None),
    Row("roles_create", {"permissions": "SEND_MESSAGES, VIEW_CHANNEL"}, None),
    Row("roles_create", {"permissions": "VIEW_CHANNEL, ADMINISTRATOR"}, "it grants ADMINISTRATOR"),
    Row("roles_create", {"permissions": str(1 << 62)}, f"it grants bits {1 << 62}"),
    Row("roles_modify", {"permissions": "3072"}, None),
    Row("roles_modify", {"permissions": "0"}, None),
    Row("roles_modify", {"permissions": "BAN_MEMBERS"}, "it grants BAN_MEMBERS"),
    Row("roles_modify", {"role_id": demo.GUILD}, "it changes what every member may do"),
    Row("roles_modify", {"role_id": demo.GUILD, "permissions": None, "hoist": True}, None),
    Row("members_add_role", {}, "it gives a role, with all that the role may do"),
    Row("members_remove_role", {}, "it takes a role away"),
    Row("members_modify", {"roles": None}, None),
    Row("members_modify", {"roles": None, "mute": True, "channel_id": demo.VOICE}, None),
    Row("members_modify", {"roles": None, "nick": None, "clear": ["nick", "communication_disabled_until"]}, None),
    Row("members_modify", {}, "it replaces all roles of a member"),
    Row("members_modify", {"roles": None, "clear": ["channel_id"]}, "it disconnects a member"),
    Row(
        "members_modify",
        {"roles": None, "communication_disabled_until": "2026-12-01T00:00:00Z"},
        "it times a member out",
    ),
    Row("members_modify", {"roles": None, "flags": 4}, "it lets a member past the verification"),
    Row("members_modify", {"roles": None, "flags": 0}, None),
    Row("channels_create_guild_channel", {"permission_overwrites": overwrite(deny="SEND_MESSAGES")}, None),
    Row(
        "channels_create_guild_channel",
        {"permission_overwrites": overwrite(allow="SEND_MESSAGES")},
        "it allows more than the guild's roles do",
    ),
    Row("channels_modify", {}, None),
    Row(
        "channels_modify",
        {"permission_overwrites": overwrite(deny="1024")},
        "it replaces who may see and use the channel",
    ),
    Row("channels_modify", {"clear": ["permission_overwrites"]}, "it replaces who may see and use the channel"),
    Row("channels_modify_permissions", {"allow": "0"}, None),
    Row("channels_modify_permissions", {"allow": "VIEW_CHANNEL"}, "it can open the channel to more people"),
    Row("channels_modify_permissions", {"allow": None, "deny": "0"}, "it can open the channel to more people"),
    Row("channels_delete_permissions", {}, "what it denied is open again"),
    Row("channels_modify_positions", {}, None),
    Row(
        "channels_modify_positions",
        {"positions": [{"id": demo.GENERAL, "parent_id": demo.TEXT_CATEGORY, "lock_permissions": True}]},
        "it replaces who may see and use channels by what their category says",
    ),
    Row("invites_create_channel", {}, None),
    Row("invites_create_channel", {"role_ids": [demo.MEMBER_ROLE]}, "it gives roles to whoever accepts the invite"),
    Row("invites_update_target_users", {}, "it replaces for whom the invite is"),
    Row("onboarding_modify", {"prompts": None}, None),
    Row("onboarding_modify", {}, "it replaces the onboarding's prompts"),
    Row("onboarding_modify", {"prompts": None, "default_channel_ids": []}, "replaces the onboarding's default_channel"),
    Row("guild_modify", {"verification_level": None, "name": "Lanterns"}, None),
    Row("guild_modify", {}, "it changes what guards the guild: verification_level"),
    Row(
        "guild_modify",
        {"verification_level": None, "clear": ["explicit_content_filter"]},
        "it changes what guards the guild: explicit_content_filter",
    ),
    Row("guild_modify", {"verification_level": None, "features": ["COMMUNITY"]}, "guards the guild: features"),
    Row("templates_sync", {}, "what the template held before is lost"),
    Row("commands_edit_command_permissions", {}, "it replaces who may use a command"),
    Row("application_modify_current", {}, None),
    Row("application_modify_current", {"clear": ["icon"]}, None),
    Row(
        "application_modify_current",
        {"interactions_endpoint_url": "https://lantern.example/in"},
        "it changes how the application works: interactions_endpoint_url",
    ),
    Row("application_modify", {"max_participants": None, "description": "Lights lanterns."}, None),
    Row("application_modify", {}, "it changes how the application works: max_participants"),
    Row("application_modify", {"max_participants": None, "clear": ["install_params"]}, "works: install_params"),
    Row("webhooks_modify_with_token", {}, "it changes a webhook whoever made it, by its token alone"),
    Row("messages_crosspost", {}, "it reaches every channel that follows, and cannot be taken back"),
    Row("polls_end", {}, "the poll ends for good"),
    Row("entitlements_consume", {}, "it uses up what somebody bought, for good"),
    Row("lobbies_modify", {}, None),
    Row("lobbies_modify", {"members": []}, "players who are not listed are taken out"),
    Row("lobbies_remove_member", {}, "it takes a player out of the lobby"),
    Row("lobbies_update_members", {}, None),
    Row("lobbies_update_members", {"members": [{"id": demo.THEO, "remove_member": True}]}, "takes players out"),
]


@pytest.mark.parametrize(("tool", "given", "why"), ROWS)
async def test_a_call_is_asked_about_for_what_it_does(
    sandbox: Sandbox, tool: str, given: dict[str, Any], why: str | None
) -> None:
    arguments = example(sandbox, tool) | given
    unconfirmed = {name: value for name, value in arguments.items() if name != "__confirm"}

    async with desk(sandbox) as served:
        shown = await served.call(tool, unconfirmed)

    if why is None:
        assert shown.code != "DRY_RUN_PREVIEW"
        assert served.writes != []
    else:
        assert shown.code == "DRY_RUN_PREVIEW"
        assert why in shown.structured["because"]
        assert served.writes == []


@pytest.mark.parametrize("row", [row for row in ROWS if row.why], ids=lambda row: row.tool)
async def test_what_is_asked_about_for_its_arguments_runs_where_that_is_switched_off(
    sandbox: Sandbox, row: Row
) -> None:
    arguments = {**example(sandbox, row.tool), **row.given}
    arguments.pop("__confirm", None)

    async with desk(sandbox, MCP_CONFIRM_EXTRA="false") as served:
        done = await served.call(row.tool, arguments)

    assert done.code != "DRY_RUN_PREVIEW"
    assert served.writes != []


@pytest.mark.parametrize("tool", CONDITIONAL)
async def test_what_is_asked_about_runs_once_it_is_confirmed(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        done = await served.confirmed(tool, example(sandbox, tool))

    assert not done.failed


@pytest.mark.parametrize("tool", TOOLS)
def test_who_can_be_asked_about_says_how_it_is_confirmed(tool: str) -> None:
    known = own_tools()[tool]

    asks = known.confirms or known.condition is not None or "__confirm_hash" in known.shape.published["properties"]

    assert ("__confirm" in known.shape.published["properties"]) == asks


def test_each_condition_has_rows() -> None:
    assert {row.tool for row in ROWS} == set(CONDITIONAL)


def test_a_second_factor_is_wanted_for_nothing_that_is_not_elevated() -> None:
    second_factor = [
        "KICK_MEMBERS", "BAN_MEMBERS", "ADMINISTRATOR", "MANAGE_CHANNELS", "MANAGE_GUILD", "MANAGE_MESSAGES",
        "MANAGE_ROLES", "MANAGE_WEBHOOKS", "MANAGE_GUILD_EXPRESSIONS", "MANAGE_THREADS",
        "VIEW_CREATOR_MONETIZATION_ANALYTICS",
    ]  # fmt: skip

    assert ELEVATED.issuperset(second_factor)
    assert BITS.keys() > ELEVATED


def test_bits_are_named_and_those_without_a_name_are_told_too() -> None:
    assert names_of(BITS["SEND_TTS_MESSAGES"] | 1 << 47) == ["SEND_TTS_MESSAGES", f"bits {1 << 47}"]
    assert names_of(0) == []
