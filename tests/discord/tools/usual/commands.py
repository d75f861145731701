"""Usual calls of commands."""

from __future__ import annotations

from typing import Any

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found, not_own

from accord.discord.sandbox import Sandbox, demo, demo_application

__all__ = ["BEARER", "DEAD_TOKEN", "DEPARTURES", "EXAMPLES", "REFUSED", "own_command", "user_token"]

BEARER = "a-token-of-maya-for-the-sandbox-alone"
"""An OAuth2 token that `user_token` makes good."""

DEAD_TOKEN = "a-token-that-was-revoked-long-ago"

NEW: Arguments = {
    "name": "brew",
    "description": "Brew a pot of tea",
    "options": [{"type": 4, "name": "cups", "description": "How many", "required": True, "min_value": 1}],
}


def user_token(sandbox: Sandbox, user_id: str = demo.MAYA) -> str:
    """An OAuth2 token of somebody in the guild."""
    sandbox.world.bearers[BEARER] = user_id
    return BEARER


def own_command(sandbox: Sandbox, guild_id: str | None = None) -> Arguments:
    """Where a command of this call's own is."""
    command_id = sandbox.world.new_id()
    made: dict[str, Any] = {
        **NEW, "id": command_id, "application_id": demo.APPLICATION, "version": command_id, "type": 1,
        "name": f"brew-{command_id}", "default_member_permissions": None, "nsfw": False, "contexts": None,
        "integration_types": [0], "name_localizations": None, "description_localizations": None,
    }  # fmt: skip
    sandbox.world.commands[command_id] = made if guild_id is None else {**made, "guild_id": guild_id}
    return {"command_id": command_id} if guild_id is None else {"guild_id": guild_id, "command_id": command_id}


def _all_of(sandbox: Sandbox, guild_id: str | None = None) -> list[dict[str, Any]]:
    """What there is under other names, and one more."""
    known = [one for one in sandbox.world.commands.values() if one.get("guild_id") == guild_id]
    kept = [
        {"id": one["id"], "type": one["type"], "name": f"kept-{one['id']}"}
        | ({"description": "Kept"} if one["type"] == 1 else {})
        for one in known
    ]
    return [*kept, NEW]


GONE = {"command_id": MISSING}
GONE_FROM_GUILD = {"guild_id": demo.GUILD, "command_id": MISSING}
NO_APPLICATION = {"application_id": MISSING}
NO_GUILD = {"guild_id": MISSING}
REPORT = {"guild_id": demo.GUILD, "command_id": demo_application.REPORT_COMMAND}
FOR_MODERATORS = [{"id": demo.MODERATOR_ROLE, "type": 1, "permission": True}]

EXAMPLES: Examples = {
    "commands_list_global": lambda _: {},
    "commands_get_global": lambda _: {"command_id": demo_application.LAMP_COMMAND},
    "commands_create_global": lambda _: NEW,
    "commands_modify_global": lambda sandbox: {**own_command(sandbox), "description": "Brew two pots"},
    "commands_delete_global": lambda sandbox: {**own_command(sandbox), "__confirm": True},
    "commands_bulk_overwrite_global": lambda sandbox: {"commands": _all_of(sandbox), "__confirm": True},
    "commands_list_guild": lambda _: {"guild_id": demo.GUILD},
    "commands_get_guild": lambda _: REPORT,
    "commands_create_guild": lambda _: {"guild_id": demo.GUILD, **NEW},
    "commands_modify_guild": lambda sandbox: {**own_command(sandbox, demo.GUILD), "nsfw": True},
    "commands_delete_guild": lambda sandbox: {**own_command(sandbox, demo.GUILD), "__confirm": True},
    "commands_bulk_overwrite_guild": lambda sandbox: {
        "guild_id": demo.SECOND_GUILD,
        "commands": _all_of(sandbox, demo.SECOND_GUILD),
        "__confirm": True,
    },
    "commands_get_guild_command_permissions": lambda _: {"guild_id": demo.GUILD},
    "commands_get_command_permissions": lambda _: REPORT,
    "commands_edit_command_permissions": lambda sandbox: {
        **own_command(sandbox, demo.GUILD),
        "permissions": FOR_MODERATORS,
        "__confirm": True,
        "bearer_token": user_token(sandbox),
    },
}

REFUSED: Refusals = {
    "commands_list_global": not_own(NO_APPLICATION),
    "commands_get_global": not_found(GONE),
    "commands_create_global": not_own({**NO_APPLICATION, **NEW}),
    "commands_modify_global": not_found({**GONE, "description": "Brew"}),
    "commands_delete_global": not_found({**GONE, "__confirm": True}),
    "commands_bulk_overwrite_global": not_own({**NO_APPLICATION, "commands": [NEW], "__confirm": True}),
    "commands_list_guild": not_found(NO_GUILD),
    "commands_get_guild": not_found(GONE_FROM_GUILD),
    "commands_create_guild": not_found({**NO_GUILD, **NEW}),
    "commands_modify_guild": not_found({**GONE_FROM_GUILD, "description": "Brew"}),
    "commands_delete_guild": not_found({**GONE_FROM_GUILD, "__confirm": True}),
    "commands_bulk_overwrite_guild": not_found({**NO_GUILD, "commands": [NEW], "__confirm": True}),
    "commands_get_guild_command_permissions": not_found(NO_GUILD),
    "commands_get_command_permissions": not_found(GONE_FROM_GUILD),
    "commands_edit_command_permissions": Refusal(
        {**REPORT, "permissions": FOR_MODERATORS, "bearer_token": DEAD_TOKEN, "__confirm": True}, "DISCORD_AUTH_INVALID"
    ),
}


DEPARTURES = {
    "commands_modify_global.type": "Discord's update has no type: what a command is stays",
    "commands_modify_guild.type": "Discord's update has no type: what a command is stays",
}
