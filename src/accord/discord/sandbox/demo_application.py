"""What the demo's application has: commands and who may use them, a record for linked roles, an activity."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject, World

LAMP_COMMAND = "1196800000000000101"
REPORT_COMMAND = "1196800000000000102"
LAUNCH = "1196800000000000103"
ACTIVITY = f"i-{LAUNCH}-gc-1196393339292667620-1196397114163695854"


def add_application(world: World, guild_id: str, moderator_role: str, voice_id: str) -> None:
    """Add commands, one of which moderators alone may use, a record for linked roles, and a running activity."""
    for one in (_lamp(), _report(guild_id)):
        world.commands[one["id"]] = {**one, "application_id": world.application_id, "version": one["id"]}
    rows = [
        {"id": guild_id, "type": 1, "permission": False},
        {"id": moderator_role, "type": 1, "permission": True},
    ]
    world.command_permissions[guild_id, REPORT_COMMAND] = rows
    world.role_connections = [
        {"type": 2, "key": "lanterns", "name": "Lanterns built", "description": "How many lanterns somebody has built"}
    ]
    world.activities[ACTIVITY] = {
        "application_id": world.application_id, "instance_id": ACTIVITY, "launch_id": LAUNCH,
        "location": {"id": f"gc-{guild_id}-{voice_id}", "kind": "gc", "channel_id": voice_id, "guild_id": guild_id},
        "users": list(world.guilds[guild_id].members)[:2],
    }  # fmt: skip


def _lamp() -> JsonObject:
    colours: JsonObject = {
        "type": 3, "name": "colour", "description": "Its light", "required": True,
        "choices": [{"name": "Warm white", "value": "2700K"}, {"name": "Moonlight", "value": "4100K"}],
    }  # fmt: skip
    minutes = {"type": 4, "name": "minutes", "description": "When it goes out", "min_value": 1, "max_value": 720}
    light = {"type": 1, "name": "light", "description": "Light a lantern", "options": [colours, minutes]}
    return {
        "id": LAMP_COMMAND, "type": 1, "name": "lamp", "description": "Lanterns of the workshop",
        "name_localizations": {"de": "lampe"}, "description_localizations": None, "options": [light],
        "default_member_permissions": None, "nsfw": False, "contexts": [0, 1], "integration_types": [0],
        "dm_permission": True,
    }  # fmt: skip


def _report(guild_id: str) -> JsonObject:
    return {
        "id": REPORT_COMMAND, "type": 3, "name": "Report to the workshop", "description": "", "guild_id": guild_id,
        "name_localizations": None, "description_localizations": None, "default_member_permissions": "8192",
        "nsfw": False, "contexts": None, "integration_types": [0],
    }  # fmt: skip
