"""A guild's members: reading, searching and changing them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, integer, listed, moment, read, snowflake, text, truth
from accord.discord.sandbox.pictures import picture
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
_profile = form({"nick": text(32), "avatar": picture, "banner": picture, "bio": text(190)})
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
    _apply(guild, member, fields)
    _record(call, guild, member, before)
    return payloads.member(call.world, member)


def update_me(call: Call, guild_id: str) -> JsonObject:
    """Change how the bot looks in the guild."""
    fields = read(_profile, call.body)
    guild = access.guild(call.world, guild_id, permissions.CHANGE_NICKNAME if "nick" in fields else 0)
    member = access.member(guild, call.world.me.id)
    before = payloads.member(call.world, member)
    for name, value in fields.items():
        setattr(member, name, value or None)
    _record(call, guild, member, before)
    return payloads.member(call.world, member)


def add_role(call: Call, guild_id: str, user_id: str, role_id: str) -> None:
    """Give a member one role; one that the member has already changes nothing."""
    guild, member = _with_role(call, guild_id, user_id, role_id)
    before = payloads.member(call.world, member)
    member.roles = list(dict.fromkeys([*member.roles, role_id]))
    _record(call, guild, member, before)


def remove_role(call: Call, guild_id: str, user_id: str, role_id: str) -> None:
    """Take one role from a member; one that the member has not changes nothing."""
    guild, member = _with_role(call, guild_id, user_id, role_id)
    before = payloads.member(call.world, member)
    member.roles = [each for each in member.roles if each != role_id]
    _record(call, guild, member, before)


def _with_role(call: Call, guild_id: str, user_id: str, role_id: str) -> tuple[Guild, Member]:
    """A member and a role that the bot may manage; raises Refused 50028 for a bot's own role."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_ROLES)
    member = access.member(guild, user_id)
    if access.role_below_me(call.world, guild, role_id).bot_id or role_id == guild.id:
        raise Refused(codes.INVALID_ROLE)
    return guild, member


def kick(call: Call, guild_id: str, user_id: str) -> None:
    """Take a member below the bot out of the guild."""
    guild = access.guild(call.world, guild_id, permissions.KICK_MEMBERS)
    member = access.member(guild, user_id)
    if not permissions.stands_above(guild, guild.members[call.world.me.id], member):
        raise Refused(codes.MISSING_PERMISSIONS)
    take_out(guild, user_id)
    call.record(guild, Deed.MEMBER_KICK, user_id)


def take_out(guild: Guild, user_id: str) -> None:
    """Let the guild have a member no more."""
    guild.members.pop(user_id, None)
    guild.voice_states.pop(user_id, None)


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
        _check_voice(call, guild, member, fields.get("channel_id"))
    for role_id in set(fields.get("roles") or ()) ^ set(member.roles if "roles" in fields else ()):
        if access.role_below_me(call.world, guild, role_id).bot_id is not None:
            raise Refused(codes.INVALID_ROLE)
    if fields.get("communication_disabled_until"):
        _check_timeout(call, guild, member, fields["communication_disabled_until"])


def _check_voice(call: Call, guild: Guild, member: Member, channel_id: str | None) -> None:
    if member.user_id not in guild.voice_states:
        raise Refused(codes.NOT_IN_VOICE)
    if channel_id is None:
        return
    if access.channel(call.world, channel_id, permissions.CONNECT).type not in permissions.SPOKEN_IN:
        raise Refused(codes.WRONG_CHANNEL_TYPE)


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


def _apply(guild: Guild, member: Member, fields: JsonObject) -> None:
    changes: dict[str, Any] = {
        "nick": ("nick", fields.get("nick") or None),
        "roles": ("roles", list(dict.fromkeys(fields.get("roles") or ()))),
        "communication_disabled_until": ("timed_out_until", fields.get("communication_disabled_until")),
        "flags": ("flags", fields.get("flags") or 0),
        "mute": ("mute", bool(fields.get("mute"))),
        "deaf": ("deaf", bool(fields.get("deaf"))),
    }
    for name, (attribute, value) in changes.items():
        if name in fields:
            setattr(member, attribute, value)
    _move(guild, member, fields)


def _move(guild: Guild, member: Member, fields: JsonObject) -> None:
    """Take the member to another voice channel, or out of the one that the member is in."""
    if member.user_id not in guild.voice_states:
        return
    state = guild.voice_states[member.user_id]
    state |= {"mute": member.mute, "deaf": member.deaf}
    if fields.get("channel_id"):
        state["channel_id"] = fields["channel_id"]
    elif "channel_id" in fields:
        del guild.voice_states[member.user_id]


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
    Route("DELETE", "/guilds/{guild_id}/members/{user_id}", kick),
    Route("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", add_role),
    Route("DELETE", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", remove_role),
)
