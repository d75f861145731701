"""Bans: one, many, and lifting them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, integer, listed, read, snowflake
from accord.discord.sandbox.routes.members import take_out
from accord.discord.sandbox.snowflakes import created_at
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, World

MOST_BANS, MOST_AT_ONCE = 1000, 200
_seconds = integer(0, 7 * 24 * 60 * 60)
_ban = form({"delete_message_seconds": _seconds, "delete_message_days": integer(0, 7)})
_bans = form(
    {"user_ids": listed(snowflake, most=MOST_AT_ONCE, least=1), "delete_message_seconds": _seconds},
    required=("user_ids",),
)


def list_bans(call: Call, guild_id: str) -> list[JsonObject]:
    """Bans by user id, from the first after `after` or the last before `before`."""
    guild = access.guild(call.world, guild_id, permissions.BAN_MEMBERS)
    asked = call.asked(limit=integer(1, MOST_BANS), before=snowflake, after=snowflake)
    limit, ordered = asked.get("limit", MOST_BANS), sorted(guild.bans, key=int)
    if "before" in asked:
        shown = [each for each in ordered if int(each) < int(asked["before"])][-limit:]
    else:
        shown = [each for each in ordered if int(each) > int(asked.get("after", 0))][:limit]
    return [_shown(call.world, guild, each) for each in shown]


def get_ban(call: Call, guild_id: str, user_id: str) -> JsonObject:
    """One ban."""
    guild = access.guild(call.world, guild_id, permissions.BAN_MEMBERS)
    _check_banned(guild, user_id)
    return _shown(call.world, guild, user_id)


def ban(call: Call, guild_id: str, user_id: str) -> None:
    """Ban a user, a member or not, and delete what they wrote last."""
    guild = access.guild(call.world, guild_id, permissions.BAN_MEMBERS)
    fields = read(_ban, call.body)
    access.user(call.world, user_id)
    if not _can_ban(call.world, guild, user_id):
        raise Refused(codes.MISSING_PERMISSIONS)
    days = fields.get("delete_message_days") or 0
    _keep_out(call, guild, user_id, fields.get("delete_message_seconds") or days * 24 * 60 * 60)


def ban_many(call: Call, guild_id: str) -> JsonObject:
    """Ban those who can be banned; raises Refused 500000 if nobody can."""
    guild = access.guild(call.world, guild_id, permissions.BAN_MEMBERS | permissions.MANAGE_GUILD)
    fields = read(_bans, call.body)
    wanted = dict.fromkeys(fields["user_ids"])
    done = [each for each in wanted if _is_new_ban(call.world, guild, each)]
    if not done:
        raise Refused(codes.FAILED_TO_BAN)
    for user_id in done:
        _keep_out(call, guild, user_id, fields.get("delete_message_seconds") or 0)
    return {"banned_users": done, "failed_users": [each for each in wanted if each not in done]}


def unban(call: Call, guild_id: str, user_id: str) -> None:
    """Lift a ban."""
    guild = access.guild(call.world, guild_id, permissions.BAN_MEMBERS)
    _check_banned(guild, user_id)
    del guild.bans[user_id]
    call.record(guild, Deed.MEMBER_BAN_REMOVE, user_id)


def _check_banned(guild: Guild, user_id: str) -> None:
    if user_id not in guild.bans:
        raise Refused(codes.UNKNOWN_BAN)


def _shown(world: World, guild: Guild, user_id: str) -> JsonObject:
    return {"user": payloads.user(world.users[user_id]), "reason": guild.bans[user_id]}


def _is_new_ban(world: World, guild: Guild, user_id: str) -> bool:
    return user_id in world.users and user_id not in guild.bans and _can_ban(world, guild, user_id)


def _can_ban(world: World, guild: Guild, user_id: str) -> bool:
    """Whether the user is no member, or one below the bot."""
    member = guild.members.get(user_id)
    return member is None or permissions.stands_above(guild, guild.members[world.me.id], member)


def _keep_out(call: Call, guild: Guild, user_id: str, seconds: int) -> None:
    guild.bans[user_id] = call.reason
    take_out(guild, user_id)
    since = call.world.clock() - seconds
    for channel in (*call.world.channels_of(guild.id), *call.world.threads_of(guild.id)):
        mine = [each for each in channel.messages.values() if each.author_id == user_id]
        for message in mine:
            if created_at(message.id) > since:
                del channel.messages[message.id]
    call.record(guild, Deed.MEMBER_BAN_ADD, user_id)


ROUTES = (
    Route("GET", "/guilds/{guild_id}/bans", list_bans),
    Route("GET", "/guilds/{guild_id}/bans/{user_id}", get_ban),
    Route("PUT", "/guilds/{guild_id}/bans/{user_id}", ban),
    Route("DELETE", "/guilds/{guild_id}/bans/{user_id}", unban),
    Route("POST", "/guilds/{guild_id}/bulk-ban", ban_many),
)
