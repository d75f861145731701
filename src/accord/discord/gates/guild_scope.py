"""The guilds, the bot and the users that calls may reach, proven before anything is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from accord.discord.access import access_of, kind_at, reach_of
from accord.discord.application_lookup import own_application
from accord.discord.gates.identity import prove_identity
from accord.discord.gates.scope import ONLY_WITH_CONSENT, Scope, barred, guild_filters
from accord.discord.guild_lookup import FINDERS, learn_channels
from accord.discord.models.ids import ApplicationId, ChannelId, GuildId
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import BotScopeUnresolvedError, GuildNotAllowedError, GuildScopeUnresolvedError
from accord.engine import Call, Gate, Leaf, Next, Reply, Tool, leaves

__all__ = ["within_scope"]

Json: TypeAlias = Any

MANY_CHANNELS: Final = 3
"""From how many channels on all of the guild's are read at once."""


def within_scope(scope: Scope) -> Gate:
    """Let through what stays within the scope.

    What needs no request is checked first, then the bot's identity, then the rest by GETs alone.
    """
    free: dict[str, bool] = {}  # by tools that are not barred: whether they act on an application

    async def guild_scope(call: Call, following: Next) -> Reply:
        """Refuse a call out of scope, or of which it cannot be proven."""
        if call.tool.name not in free:
            if refusal := barred(call.tool, scope):
                raise refusal
            free[call.tool.name] = _acts_on_an_application(call.tool)
        named = list(_named(call)) if scope.is_limited else []
        _check_direct(call, named, scope)
        if scope.bot_id is not None and call.tool.open_world:
            await prove_identity(call.client, scope.bot_id)
        if free[call.tool.name]:
            await _check_application(call)
        await _check_behind(call.client, named, scope)
        return await following(call)

    return guild_scope


def _named(call: Call) -> Iterator[Leaf]:
    """Return everything that the call names, each kind as what it is."""
    for at in leaves(call.tool.shape.slots, call.arguments):
        kind = kind_at(at)
        if kind is GuildId or kind in FINDERS:
            yield at._replace(kind=kind)


# --- What the arguments tell by themselves ----------------------------------------------------------------------------


def _check_direct(call: Call, named: Sequence[Leaf], scope: Scope) -> None:
    if not scope.is_limited:
        return
    for guild_id in _guilds(named):
        _check_guild(guild_id, scope)
    filters = guild_filters(call.tool)
    if filters and not call.arguments.keys() & set(filters):
        hint = f"Give `{filters[0]}`: ALLOWED_GUILDS is set, so that only one guild's can be asked for."
        raise GuildScopeUnresolvedError(resource=f"tool {call.tool.name}", recovery_hint=hint)
    writes_to = access_of(call.tool).direct_message
    if writes_to in call.arguments and not scope.reaches_users:
        resource = f"tool {call.tool.name} with {writes_to}"
        raise GuildScopeUnresolvedError(resource=resource, recovery_hint=ONLY_WITH_CONSENT)


def _check_guild(guild_id: str, scope: Scope) -> None:
    if scope.guilds is not None and guild_id not in scope.guilds:
        raise GuildNotAllowedError(guild_id=guild_id)


def _guilds(named: Sequence[Leaf]) -> list[str]:
    return [str(at.value) for at in named if at.kind is GuildId]


# --- What only Discord can tell ---------------------------------------------------------------------------------------


def _acts_on_an_application(tool: Tool) -> bool:
    """Whether an application that a call names has to be the bot's own; one with a token is the token's matter."""
    return reach_of(tool) == "bot" or access_of(tool).auth == "bearer"


async def _check_application(call: Call) -> None:
    """Refuse another application than the bot's own."""
    for given in [value for value in call.arguments.values() if isinstance(value, ApplicationId)]:
        if not isinstance(call.client, Discord) or await own_application(call.client) != given:
            raise BotScopeUnresolvedError(resource=f"application {given}")


async def _check_behind(client: Any, named: Sequence[Leaf], scope: Scope) -> None:
    guilds = _guilds(named)
    behind = {(at.kind, at.value): at for at in named if at.kind is not GuildId and not _means_all(at, guilds)}
    if behind and not isinstance(client, Discord):
        raise _unproven(next(iter(behind.values())))
    unknown = [value for kind, value in behind if kind is ChannelId and not client.places.knows(("channel", value))]
    if guilds and len(unknown) >= MANY_CHANNELS:
        await learn_channels(client, guilds[0])
    for at in behind.values():
        await _check_one(client, at, scope)


def _means_all(at: Leaf, guilds: Sequence[str]) -> bool:
    """Whether it is Discord's word for all channels of a guild: the number before the guild's id."""
    return at.kind is ChannelId and any(at.value == str(int(guild_id) - 1) for guild_id in guilds)


async def _check_one(client: Discord, at: Leaf, scope: Scope) -> None:
    finder = FINDERS[at.kind]
    guild_id = await finder.guild_of(client, at)
    if guild_id is not None:
        _check_guild(guild_id, scope)
    elif finder.proving and not (at.kind is ChannelId and scope.users):
        raise _unproven(at)


def _unproven(at: Leaf) -> GuildScopeUnresolvedError:
    hint = ONLY_WITH_CONSENT if at.kind is ChannelId else None
    return GuildScopeUnresolvedError(resource=f"{FINDERS[at.kind].word} {at.value}", recovery_hint=hint)
