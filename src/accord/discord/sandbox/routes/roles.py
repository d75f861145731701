"""A guild's roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, integer, listed, read, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Role

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MOST_ROLES = 250
_color = integer(0, 0xFFFFFF)
_fields = form(
    {
        "name": text(100, least=1),
        "permissions": integer(0, permissions.EVERYTHING),
        "color": _color,
        "colors": form({"primary_color": _color}),
        "hoist": truth,
        "mentionable": truth,
        "unicode_emoji": text(100),
    }
)
_places = listed(form({"id": snowflake, "position": integer(0, 2**31 - 1)}, required=("id",)), most=MOST_ROLES)
BLANKS: JsonObject = {
    "name": "new role", "permissions": 0, "color": 0, "hoist": False, "mentionable": False, "unicode_emoji": None,
}  # fmt: skip


def list_roles(call: Call, guild_id: str) -> list[JsonObject]:
    """All of a guild's roles."""
    return [payloads.role(each) for each in access.guild(call.world, guild_id).roles.values()]


def get_role(call: Call, guild_id: str, role_id: str) -> JsonObject:
    """One role."""
    return payloads.role(access.role(access.guild(call.world, guild_id), role_id))


def count_members(call: Call, guild_id: str) -> JsonObject:
    """How many members have each role; @everyone is left out."""
    guild = access.guild(call.world, guild_id)
    held = [role_id for member in guild.members.values() for role_id in member.roles]
    return {role_id: held.count(role_id) for role_id in guild.roles if role_id != guild.id}


def move_roles(call: Call, guild_id: str) -> list[JsonObject]:
    """Put roles at other positions; those that the bot may manage only."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_ROLES)
    for place in read(_places, call.body):
        role = access.role_below_me(call.world, guild, place["id"])
        before = role.position
        role.position = before if place.get("position") is None else place["position"]
        changes = changes_between({"position": before}, {"position": role.position})
        call.record(guild, Deed.ROLE_UPDATE, role.id, changes=changes)
    return list_roles(call, guild_id)


def create_role(call: Call, guild_id: str) -> JsonObject:
    """A new role, right above @everyone."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_ROLES)
    changes = _changes(call, guild)
    if len(guild.roles) >= MOST_ROLES:
        raise Refused(codes.MAXIMUM_ROLES)
    everyone = guild.roles[guild.id]
    given = {name: value for name, value in changes.items() if value is not None}
    role = Role(call.world.new_id(), position=1, **(BLANKS | {"permissions": everyone.permissions} | given))
    for other in guild.roles.values():
        other.position += other.position > 0
    guild.roles[role.id] = role
    call.record(guild, Deed.ROLE_CREATE, role.id, changes=changes_between({}, payloads.role(role)))
    return payloads.role(role)


def update_role(call: Call, guild_id: str, role_id: str) -> JsonObject:
    """Change a role that stands below the bot's own; null puts a field back."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_ROLES)
    role = access.role_below_me(call.world, guild, role_id)
    before = payloads.role(role)
    for name, value in _changes(call, guild).items():
        setattr(role, name, BLANKS[name] if value is None else value)
    call.record(guild, Deed.ROLE_UPDATE, role.id, changes=changes_between(before, payloads.role(role)))
    return payloads.role(role)


def _changes(call: Call, guild: Guild) -> JsonObject:
    """The checked fields; raises Refused 50013 for a permission that the bot has not itself."""
    fields: JsonObject = read(_fields, call.body)
    colors = fields.pop("colors", None)
    if colors:
        fields["color"] = colors.get("primary_color")
    own = permissions.in_guild(guild, guild.members[call.world.me.id])
    if (fields.get("permissions") or 0) & ~own:
        raise Refused(codes.MISSING_PERMISSIONS)
    return fields


def delete_role(call: Call, guild_id: str, role_id: str) -> None:
    """Delete a role and take it from its members and from every overwrite; @everyone and a bot's own role stay."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_ROLES)
    if access.role(guild, role_id).bot_id or role_id == guild.id:
        raise Refused(codes.INVALID_ROLE)
    role = access.role_below_me(call.world, guild, role_id)
    del guild.roles[role_id]
    for member in guild.members.values():
        member.roles = [each for each in member.roles if each != role_id]
    for channel in call.world.channels_of(guild_id):
        channel.overwrites.pop(role_id, None)
    call.record(guild, Deed.ROLE_DELETE, role_id, changes=changes_between(payloads.role(role), {}))


ROUTES = (
    Route("GET", "/guilds/{guild_id}/roles", list_roles),
    Route("GET", "/guilds/{guild_id}/roles/member-counts", count_members),
    Route("GET", "/guilds/{guild_id}/roles/{role_id}", get_role),
    Route("PATCH", "/guilds/{guild_id}/roles", move_roles),
    Route("POST", "/guilds/{guild_id}/roles", create_role),
    Route("PATCH", "/guilds/{guild_id}/roles/{role_id}", update_role),
    Route("DELETE", "/guilds/{guild_id}/roles/{role_id}", delete_role),
)
