"""What is how now, and how it would be: an edit's fields one by one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias, cast

from accord.discord.application_lookup import application_of
from accord.discord.conditions import names_of
from accord.discord.merging import whole_onboarding
from accord.discord.models.commands import CommandFields, NewCommand
from accord.discord.models.onboarding import OnboardingChanges
from accord.discord.models.values import Wire
from accord.discord.overwrites import overwrite_after, sides_of
from accord.discord.previews.differences import apart, plain
from accord.discord.previews.names import Place, excerpt
from accord.discord.rest.client import Discord
from accord.discord.results.onboarding import onboarding
from accord.engine import Call

__all__ = ["PRESENT", "changes_of"]

Json: TypeAlias = Any
State: TypeAlias = Mapping[str, Json]
Change: TypeAlias = dict[str, Json]

ASIDE: Final = frozenset({"audit_reason", "clear"})
SETTABLE: Final = frozenset({"id", *NewCommand.__annotations__, *CommandFields.__annotations__, "name"})
USUAL: Final[State] = {"dm_permission": True, "default_permission": True, "integration_types": [0]}
"""What a command has of which nothing was said."""
BITS: Final = frozenset({"allow", "deny", "permissions"})


async def changes_of(discord: Discord, call: Call, place: Place) -> list[Change]:
    """Return each field that would be another than it is; none for what creates or deletes.

    Raises:
        ToolError: How it is now cannot be read.
    """
    if call.tool.name not in PRESENT:
        return []
    present, after = await PRESENT[call.tool.name](discord, call.arguments, call.preview(), place)
    return [_change(name, present.get(name), value) for name, value in after.items() if present.get(name) != value]


def _change(field: str, before: Json, after: Json) -> Change:
    change: Change = {"field": field, "before": _short(before), "after": _short(after)}
    if field in BITS and all(isinstance(value, str | None) for value in (before, after)):
        was, will = int(before or 0), int(after or 0)
        change |= {"adds": names_of(will & ~was), "takes": names_of(was & ~will)}
    return change


def _short(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {name: _short(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return excerpt(value) if isinstance(value, str) else value


def _given(preview: State, *aside: str) -> dict[str, Json]:
    """Return how the given fields would be; those to clear would be nothing."""
    kept = {name: value for name, value in preview.items() if name not in ASIDE.union(aside)}
    return kept | dict.fromkeys(preview.get("clear", ()))


Reading: TypeAlias = Awaitable[tuple[State, State]]
"""How it is, and how what would be set would be."""


async def _role(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    found = await discord.get("/guilds/{}/roles/{}", arguments["guild_id"], arguments["role_id"], into=Wire)
    return found, _given(preview, "guild_id", "role_id")


async def _member(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    found = await discord.get("/guilds/{}/members/{}", arguments["guild_id"], arguments["user_id"], into=Wire)
    return found, _given(preview, "guild_id", "user_id")


async def _with_role(discord: Discord, arguments: State, preview: State, place: Place) -> tuple[State, State]:
    found, _ = await _member(discord, arguments, preview, place)
    return found, {"roles": [*dict.fromkeys([*found["roles"], str(arguments["role_id"])])]}


async def _without_role(discord: Discord, arguments: State, preview: State, place: Place) -> tuple[State, State]:
    found, _ = await _member(discord, arguments, preview, place)
    return found, {"roles": [one for one in found["roles"] if one != arguments["role_id"]]}


async def _channel(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    found = await discord.get("/channels/{}", arguments["channel_id"], into=Wire)
    return {**found, **found.get("thread_metadata", {})}, _given(preview, "channel_id")


async def _overwrite(discord: Discord, arguments: State, _preview: State, _: Place) -> tuple[State, State]:
    channel = await discord.get("/channels/{}", arguments["channel_id"], into=Wire)
    target, kind = arguments["overwrite_id"], arguments.get("type")
    after = overwrite_after(channel, target, kind, arguments.get("allow"), arguments.get("deny"))
    return sides_of(channel, target), {side: after[side] for side in ("allow", "deny")}


async def _no_overwrite(discord: Discord, arguments: State, _preview: State, _: Place) -> tuple[State, State]:
    channel = await discord.get("/channels/{}", arguments["channel_id"], into=Wire)
    return sides_of(channel, arguments["overwrite_id"]), {"allow": "0", "deny": "0"}


async def _guild(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    found = await discord.get("/guilds/{}", arguments["guild_id"], into=Wire)
    return found, _given(preview, "guild_id")


async def _onboarding(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    """Return it whole, as it would be sent: what is left out of a prompt stays."""
    found = onboarding(await discord.get("/guilds/{}/onboarding", arguments["guild_id"], into=Wire))
    given = cast("OnboardingChanges", _given(preview, "guild_id"))
    before, after = (whole_onboarding(found, changes)[0] for changes in (OnboardingChanges(), given))
    return _differing(before, after)


def _differing(before: State, after: State) -> tuple[State, State]:
    """Return only where the two differ, each place by its path."""
    rows = [row for name in after for row in apart(name, plain(before.get(name)), plain(after[name]))]
    return {path: was for path, was, _ in rows}, {path: will for path, _, will in rows}


async def _application(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    own = await application_of(discord, arguments.get("application_id"))
    return await discord.get("/applications/{}", own, into=Wire), _given(preview, "application_id")


async def _command_permissions(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    own = await application_of(discord, arguments.get("application_id"))
    guild_id, command_id = arguments["guild_id"], arguments["command_id"]
    found = await discord.get(
        "/applications/{}/guilds/{}/commands/{}/permissions", own, guild_id, command_id, into=Wire
    )
    return found, {"permissions": preview["permissions"]}


async def _commands(discord: Discord, arguments: State, _preview: State, _: Place) -> tuple[State, State]:
    """Return all commands, whole: those that are not among the new ones go, and of the others what is left out."""
    own = await application_of(discord, arguments.get("application_id"))
    query = {"with_localizations": True}
    if guild_id := arguments.get("guild_id"):
        found = await discord.get("/applications/{}/guilds/{}/commands", own, guild_id, into=list[Wire], query=query)
    else:
        found = await discord.get("/applications/{}/commands", own, into=list[Wire], query=query)
    known = {(one["type"], one["name"]): one["id"] for one in map(_command, found)}
    wanted = [{"id": known.get((one["type"], one["name"])), **one} for one in map(_command, arguments["commands"])]
    return _differing({"commands": [_command(one) for one in found]}, {"commands": wanted})


def _command(command: State) -> State:
    """Return what can be set of a command; what is usual says nothing, whether it is given or not."""
    whole = {name: command[name] for name in SETTABLE if command.get(name) is not None}
    usual = {name for name, value in USUAL.items() if whole.get(name) == value}
    unusual = {name: value for name, value in whole.items() if name not in usual}
    return {"type": 1, **unusual, **_closed(whole)}


def _closed(command: State) -> State:
    """Return, in words that are not false, what a command that is usually open is closed for."""
    return {name: "false" for name in ("dm_permission", "default_permission") if command.get(name) is False}


async def _webhook(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    found = await discord.get("/webhooks/{}/{}", arguments["webhook_id"], arguments["token"], into=Wire)
    return found, _given(preview, "webhook_id", "token")


async def _lobby(discord: Discord, arguments: State, preview: State, _: Place) -> tuple[State, State]:
    found = await discord.get("/lobbies/{}", arguments["lobby_id"], into=Wire)
    members = [{**one, "flags": one.get("flags") or None} for one in found.get("members", ())]
    return _differing({**found, "members": members}, _given(preview, "lobby_id"))


PRESENT: Final[Mapping[str, Callable[[Discord, State, State, Place], Reading]]] = {
    "application_modify": _application,
    "application_modify_current": _application,
    "channels_delete_permissions": _no_overwrite,
    "channels_modify": _channel,
    "channels_modify_permissions": _overwrite,
    "commands_bulk_overwrite_global": _commands,
    "commands_bulk_overwrite_guild": _commands,
    "commands_edit_command_permissions": _command_permissions,
    "guild_modify": _guild,
    "lobbies_modify": _lobby,
    "members_add_role": _with_role,
    "members_modify": _member,
    "members_remove_role": _without_role,
    "onboarding_modify": _onboarding,
    "roles_modify": _role,
    "webhooks_modify_with_token": _webhook,
}
"""How it is now, by the tool that changes it and is asked about."""
