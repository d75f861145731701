"""A guild's members: reading, searching and changing them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, integer, listed, moment, read, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, Member

MOST_MEMBERS = 1000
LONGEST_TIMEOUT_SECONDS = 28 * 24 * 60 * 60
_change = form(
    {
        "nick": text(32),
        "roles": listed(snowflake, most=350),
        "mute": truth,
        "deaf": truth,
        "channel_id": snowflake,
        "communication_disabled_until": moment,
        "flags": integer(0, 2**31 - 1),
    }
)
# Which permission a change of each field needs.
PERMISSION_FOR = {
    "nick": permissions.MANAGE_NICKNAMES,
    "roles": permissions.MANAGE_ROLES,
    "mute": permissions.MUTE_MEMBERS,
    "deaf": permissions.DEAFEN_MEMBERS,
    "channel_id": permissions.MOVE_MEMBERS,
    "communication_disabled_until": permissions.MODERATE_MEMBERS,
    "flags": permissions.MODERATE_MEMBERS,
}
IN_VOICE_ONLY = ("mute", "deaf", "channel_id")


def list_members(call: Call, guild_id: str) -> list[JsonObject]:
    """Members in the order of their user ids."""
    guild = access.guild(call.world, guild_id)
    asked = call.asked(limit=integer(1, MOST_MEMBERS), after=snowflake)
    ordered = sorted(guild.members.values(), key=lambda member: int(member.user_id))
    later = [each for each in ordered if int(each.user_id) > int(asked.get("after", 0))]
    return [payloads.member(call.world, each) for each in later[: asked.get("limit", 1)]]


def search_members(call: Call, guild_id: str) -> list[JsonObject]:
    """Members whose user name, display name or nickname begins with the query."""
    guild = access.guild(call.world, guild_id)
    fields = {"query": text(100, least=1), "limit": integer(1, MOST_MEMBERS)}
    asked = read(form(fields, required=("query",)), dict(call.query))
    wanted = asked["query"].casefold()
    fitting = [each for each in guild.members.values() if _is_called(call, each, wanted)]
    return [payloads.member(call.world, each) for each in fitting[: asked.get("limit", 1)]]


def _is_called(call: Call, member: Member, beginning: str) -> bool:
    user = call.world.users[member.user_id]
    return any((name or "").casefold().startswith(beginning) for name in (user.username, user.global_name, member.nick))


def get_member(call: Call, guild_id: str, user_id: str) -> JsonObject:
    """One member."""
    return payloads.member(call.world, access.member(access.guild(call.world, guild_id), user_id))


def update_member(call: Call, guild_id: str, user_id: str) -> JsonObject:
    """Change a member's nickname, roles or time-out; null takes the nickname, all roles or the time-out away."""
    guild = access.guild(call.world, guild_id)
    member = access.member(guild, user_id)
    fields = read(_change, call.body)
    _check_permissions(call, guild, member, fields)
    _check_fields(call, guild, member, fields)
    before = payloads.member(call.world, member)
    _apply(member, fields)
    _record(call, guild, member, before)
    return payloads.member(call.world, member)


def update_me(call: Call, guild_id: str) -> JsonObject:
    """Change the bot's own nickname."""
    guild = access.guild(call.world, guild_id, permissions.CHANGE_NICKNAME)
    member = access.member(guild, call.world.me.id)
    fields = read(form({"nick": text(32)}), call.body)
    before = payloads.member(call.world, member)
    _apply(member, fields)
    _record(call, guild, member, before)
    return payloads.member(call.world, member)


def _check_permissions(call: Call, guild: Guild, member: Member, fields: JsonObject) -> None:
    needs = 0
    for name in fields:
        needs |= PERMISSION_FOR[name]
    access.guild(call.world, guild.id, needs)
    me = guild.members[call.world.me.id]
    if member is not me and not permissions.stands_above(guild, me, member):
        raise Refused(codes.MISSING_PERMISSIONS)


def _check_fields(call: Call, guild: Guild, member: Member, fields: JsonObject) -> None:
    if any(name in fields for name in IN_VOICE_ONLY):
        raise Refused(codes.NOT_IN_VOICE)
    for role_id in set(fields.get("roles") or ()) ^ set(member.roles if "roles" in fields else ()):
        if access.role_below_me(call.world, guild, role_id).bot_id is not None:
            raise Refused(codes.INVALID_ROLE)
    if fields.get("communication_disabled_until"):
        _check_timeout(call, guild, member, fields["communication_disabled_until"])


def _check_timeout(call: Call, guild: Guild, member: Member, until: str) -> None:
    if permissions.in_guild(guild, member) & permissions.ADMINISTRATOR:
        raise Refused(codes.MISSING_PERMISSIONS)
    complaints = Complaints()
    if _seconds(until) > call.world.clock() + LONGEST_TIMEOUT_SECONDS:
        complaints.at("communication_disabled_until").say(
            "COMMUNICATION_DISABLED_UNTIL_TOO_FAR", "Communication disabled until is too far in the future."
        )
    complaints.settle()


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def _apply(member: Member, fields: JsonObject) -> None:
    changes: dict[str, Any] = {
        "nick": ("nick", fields.get("nick") or None),
        "roles": ("roles", list(dict.fromkeys(fields.get("roles") or ()))),
        "communication_disabled_until": ("timed_out_until", fields.get("communication_disabled_until")),
        "flags": ("flags", fields.get("flags") or 0),
    }
    for name, (attribute, value) in changes.items():
        if name in fields:
            setattr(member, attribute, value)


def _record(call: Call, guild: Guild, member: Member, before: JsonObject) -> None:
    """Roles have an entry of their own, in which each role is named."""
    after = payloads.member(call.world, member)
    roles_before, roles_after = set(before.pop("roles")), set(after.pop("roles"))
    moves = [("$add", roles_after - roles_before), ("$remove", roles_before - roles_after)]
    roles = tuple(
        {"key": key, "new_value": [{"id": each, "name": guild.roles[each].name} for each in sorted(moved)]}
        for key, moved in moves
        if moved
    )
    if roles:
        call.record(guild, Deed.MEMBER_ROLE_UPDATE, member.user_id, changes=roles)
    if changes := changes_between(before, after):
        call.record(guild, Deed.MEMBER_UPDATE, member.user_id, changes=changes)


ROUTES = (
    Route("GET", "/guilds/{guild_id}/members", list_members),
    Route("GET", "/guilds/{guild_id}/members/search", search_members),
    Route("GET", "/guilds/{guild_id}/members/{user_id}", get_member),
    Route("PATCH", "/guilds/{guild_id}/members/@me", update_me),
    Route("PATCH", "/guilds/{guild_id}/members/{user_id}", update_member),
)
