"""Application commands, global and of one guild, and who may use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, permissions
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content.commands import ENTRY_POINT, SLASH, all_commands, changes, command
from accord.discord.sandbox.forms import Complaints, form, listed, one_of, read, snowflake, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

MOST_OF_A_TYPE = {1: 100, 2: 15, 3: 15, ENTRY_POINT: 1}
LOCALIZED = ("name_localizations", "description_localizations")
BLANKS: JsonObject = {
    "type": SLASH, "description": "", "default_member_permissions": None, "nsfw": False, "contexts": None,
    "integration_types": [0], "name_localizations": None, "description_localizations": None,
}  # fmt: skip

_permission = form(
    {"id": snowflake, "type": one_of(1, 2, 3), "permission": truth}, required=("id", "type", "permission")
)
_permissions = form({"permissions": listed(_permission, most=100)})


def list_commands(call: Call, application_id: str, guild_id: str | None = None) -> list[JsonObject]:
    """The commands of one scope; their translations only where these are asked for."""
    asked = call.asked(with_localizations=truth)
    hidden = () if asked.get("with_localizations") else LOCALIZED
    found = _scope(call, application_id, guild_id).values()
    return [{name: value for name, value in one.items() if name not in hidden} for one in found]


def get_command(call: Call, application_id: str, *place: str) -> JsonObject:
    """One command."""
    return _found(call, application_id, *place)


def create_command(call: Call, application_id: str, guild_id: str | None = None) -> JsonObject:
    """A new command, or one that there is of this type and name anew."""
    scope = _scope(call, application_id, guild_id)
    fields = read(command, call.body)
    fields.pop("id", None)
    return _put(call, scope, fields, guild_id)


def update_command(call: Call, application_id: str, *place: str) -> JsonObject:
    """Change a command in part; null puts a field back."""
    found = _found(call, application_id, *place)
    fields = read(changes, call.body)
    read(command, {**found, **_plain(fields)})
    found |= _plain(fields) | {"version": call.world.new_id()}
    return _settled(found)


def delete_command(call: Call, application_id: str, *place: str) -> None:
    """Delete a command, and who may use it."""
    _forget(call, _found(call, application_id, *place)["id"])


def overwrite_commands(call: Call, application_id: str, guild_id: str | None = None) -> list[JsonObject]:
    """Make these all commands of a scope; those that are named by their id stay the same."""
    scope = _scope(call, application_id, guild_id)
    wanted = read(all_commands, call.body)
    for one in wanted:
        if one.get("id") not in {None, *scope}:
            raise Refused(codes.UNKNOWN_COMMAND)
    kept = [_put(call, scope, one, guild_id) for one in wanted]
    for gone in scope.keys() - {one["id"] for one in kept}:
        _forget(call, gone)
    return kept


def list_permissions(call: Call, application_id: str, guild_id: str) -> list[JsonObject]:
    """Who may use which command in a guild, where it was set."""
    _scope(call, application_id, guild_id)
    known = call.world.command_permissions
    return [_shown(call, guild, which) for guild, which in known if guild == guild_id]


def get_permissions(call: Call, application_id: str, guild_id: str, command_id: str) -> JsonObject:
    """Who may use a command; unknown where nobody has set it."""
    _usable(call, application_id, guild_id, command_id)
    if (guild_id, command_id) not in call.world.command_permissions:
        raise Refused(codes.UNKNOWN_COMMAND_PERMISSIONS)
    return _shown(call, guild_id, command_id)


def set_permissions(call: Call, application_id: str, guild_id: str, command_id: str) -> JsonObject:
    """Say who may use a command, as a user who manages the guild and its roles."""
    _usable(call, application_id, guild_id, command_id)
    if call.user_id == call.world.me.id:
        raise Refused(codes.NOT_FOR_BOTS)
    guild = call.world.guilds[guild_id]
    needed = permissions.MANAGE_GUILD | permissions.MANAGE_ROLES
    if needed & ~permissions.in_guild(guild, access.member(guild, call.user_id)):
        raise Refused(codes.MISSING_PERMISSIONS)
    rows = read(_permissions, call.body).get("permissions") or []
    call.world.command_permissions[guild_id, command_id] = rows
    call.record(guild, Deed.COMMAND_PERMISSION_UPDATE, command_id)
    return _shown(call, guild_id, command_id)


def _scope(call: Call, application_id: str, guild_id: str | None) -> dict[str, JsonObject]:
    access.application(call.world, application_id)
    if guild_id is not None:
        access.guild(call.world, guild_id)
    return {one["id"]: one for one in call.world.commands.values() if one.get("guild_id") == guild_id}


def _found(call: Call, application_id: str, *place: str) -> JsonObject:
    """The command of `(command id)` or `(guild id, command id)`."""
    *guild_id, command_id = place
    scope = _scope(call, application_id, guild_id[0] if guild_id else None)
    if command_id not in scope:
        raise Refused(codes.UNKNOWN_COMMAND)
    return scope[command_id]


def _usable(call: Call, application_id: str, guild_id: str, command_id: str) -> None:
    """Refuse a command that the guild has not; the application's id stands for all of them."""
    usable = _scope(call, application_id, None) | _scope(call, application_id, guild_id)
    if command_id not in {application_id, *usable}:
        raise Refused(codes.UNKNOWN_COMMAND)


def _put(call: Call, scope: dict[str, JsonObject], fields: JsonObject, guild_id: str | None) -> JsonObject:
    kind = fields.get("type", SLASH)
    if guild_id is not None and kind == ENTRY_POINT:
        complaints = Complaints()
        complaints.at("type").say("BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3).")
        complaints.settle()
    same = next((one for one in scope.values() if (one["type"], one["name"]) == (kind, fields["name"])), None)
    known = scope.get(fields.get("id", ""), same)
    if known is None and sum(one["type"] == kind for one in scope.values()) >= MOST_OF_A_TYPE[kind]:
        raise Refused(codes.MAXIMUM_COMMANDS)
    command_id = known["id"] if known else call.world.new_id()
    place = {"id": command_id, "application_id": call.world.application_id, "version": call.world.new_id()}
    made = {**BLANKS, **_plain(fields), **place, **({} if guild_id is None else {"guild_id": guild_id})}
    call.world.commands[command_id] = _settled(made)
    return call.world.commands[command_id]


def _plain(fields: JsonObject) -> JsonObject:
    """The fields with null as what stands for nothing."""
    nothing = {**BLANKS, "options": []}
    return {name: nothing.get(name) if value is None else value for name, value in fields.items()}


def _settled(made: JsonObject) -> JsonObject:
    """The command without what is empty, its permissions as a string of digits."""
    allowed = made["default_member_permissions"]
    made["default_member_permissions"] = None if allowed is None else str(allowed)
    for name in ("options", "handler", "dm_permission", "default_permission"):
        if made.get(name) in (None, []):
            made.pop(name, None)
    return made


def _forget(call: Call, command_id: str) -> None:
    del call.world.commands[command_id]
    for key in [key for key in call.world.command_permissions if key[1] == command_id]:
        del call.world.command_permissions[key]


def _shown(call: Call, guild_id: str, command_id: str) -> JsonObject:
    rows = call.world.command_permissions[guild_id, command_id]
    own = {"id": command_id, "application_id": call.world.application_id, "guild_id": guild_id}
    return {**own, "permissions": rows}


_GLOBAL = "/applications/{application_id}/commands"
_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"

ROUTES: tuple[Route, ...] = (
    Route("GET", f"{_GUILD}/permissions", list_permissions),
    Route("GET", f"{_GUILD}/{{command_id}}/permissions", get_permissions),
    Route("PUT", f"{_GUILD}/{{command_id}}/permissions", set_permissions, auth="bearer"),
    *(
        route
        for scope in (_GLOBAL, _GUILD)
        for route in (
            Route("GET", scope, list_commands),
            Route("POST", scope, create_command),
            Route("PUT", scope, overwrite_commands),
            Route("GET", f"{scope}/{{command_id}}", get_command),
            Route("PATCH", f"{scope}/{{command_id}}", update_command),
            Route("DELETE", f"{scope}/{{command_id}}", delete_command),
        )
    ),
)
