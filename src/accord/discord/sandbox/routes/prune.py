"""Pruning: who would go, and letting them go."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, permissions
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.forms import Check, Complaints, form, integer, listed, read, snowflake, truth
from accord.discord.sandbox.snowflakes import created_at
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, Member

USUAL_DAYS = 7
DAY_SECONDS = 24 * 60 * 60
NEEDED = permissions.MANAGE_GUILD | permissions.KICK_MEMBERS
_ids = listed(snowflake, most=100)


def _roles(value: Any, complaints: Complaints) -> list[str]:
    """Ids in a list, or in a text with commas between them."""
    parts: list[str] = _ids(value.split(",") if isinstance(value, str) else value, complaints)
    return parts


_days: Check = integer(1, 30)
_begin = form({"days": _days, "compute_prune_count": truth, "include_roles": _roles})


def count_pruned(call: Call, guild_id: str) -> JsonObject:
    """How many members a prune would remove."""
    guild = access.guild(call.world, guild_id, NEEDED)
    asked = call.asked(days=_days, include_roles=_roles)
    return {"pruned": len(_inactive(call, guild, asked))}


def begin_prune(call: Call, guild_id: str) -> JsonObject:
    """Remove the inactive members, and count them unless that is not wanted."""
    guild = access.guild(call.world, guild_id, NEEDED)
    wanted: JsonObject = read(_begin, call.body)
    gone = _inactive(call, guild, wanted)
    for user_id in gone:
        del guild.members[user_id]
    days = wanted.get("days") or USUAL_DAYS
    options = {"delete_member_days": str(days), "members_removed": str(len(gone))}
    call.record(guild, Deed.MEMBER_PRUNE, None, options=options)
    return {"pruned": None if wanted.get("compute_prune_count") is False else len(gone)}


def _inactive(call: Call, guild: Guild, wanted: JsonObject) -> list[str]:
    """Members who have no roles but the included ones, and whose last sign of life is too long ago."""
    since = call.world.clock() - (wanted.get("days") or USUAL_DAYS) * DAY_SECONDS
    included = set(wanted.get("include_roles") or ())
    active = _authors_since(call, guild, since)
    return [
        one.user_id
        for one in guild.members.values()
        if one.user_id not in {*active, guild.owner_id, call.world.me.id}
        and set(one.roles) <= included
        and _joined(one) < since
    ]


def _authors_since(call: Call, guild: Guild, since: float) -> set[str]:
    channels = (*call.world.channels_of(guild.id), *call.world.threads_of(guild.id))
    messages = (message for channel in channels for message in channel.messages.values())
    return {message.author_id for message in messages if created_at(message.id) >= since}


def _joined(member: Member) -> float:
    return datetime.fromisoformat(member.joined_at).timestamp()


ROUTES = (
    Route("GET", "/guilds/{guild_id}/prune", count_pruned),
    Route("POST", "/guilds/{guild_id}/prune", begin_prune),
)
