"""A guild's audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, payloads, permissions
from accord.discord.sandbox.forms import integer, snowflake
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.audit import AuditEntry
    from accord.discord.sandbox.world import JsonObject

MOST_ENTRIES, USUAL_ENTRIES = 100, 50


def list_audit_log(call: Call, guild_id: str) -> JsonObject:
    """Entries newest first, or oldest first after an id, with the users and threads that they name."""
    guild = access.guild(call.world, guild_id, permissions.VIEW_AUDIT_LOG)
    asked = call.asked(
        user_id=snowflake, target_id=snowflake, action_type=integer(0, 1000), before=snowflake, after=snowflake,
        limit=integer(1, MOST_ENTRIES),
    )  # fmt: skip
    fitting = [each for each in guild.audit if _fits(each, asked)]
    ordered = fitting if "after" in asked else fitting[::-1]
    shown = ordered[: asked.get("limit", USUAL_ENTRIES)]
    return _log(call, shown)


def _fits(entry: AuditEntry, asked: JsonObject) -> bool:
    return (
        asked.get("user_id", entry.user_id) == entry.user_id
        and asked.get("target_id", entry.target_id) == entry.target_id
        and asked.get("action_type", entry.deed) == entry.deed
        and int(entry.id) > int(asked.get("after", 0))
        and ("before" not in asked or int(entry.id) < int(asked["before"]))
    )


def _log(call: Call, entries: list[AuditEntry]) -> JsonObject:
    world = call.world
    named = dict.fromkeys(each for entry in entries for each in (entry.user_id, entry.target_id))
    channels = [world.channels[each] for each in named if each in world.channels]
    return {
        "audit_log_entries": [entry.payload() for entry in entries],
        "users": [payloads.user(world.users[each]) for each in named if each in world.users],
        "threads": [payloads.thread(world, each) for each in channels if each.thread is not None],
        "integrations": [],
        "webhooks": [],
        "guild_scheduled_events": [],
        "application_commands": [],
        "auto_moderation_rules": [],
    }


ROUTES = (Route("GET", "/guilds/{guild_id}/audit-logs", list_audit_log),)
