"""How many of what a call concerns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord

__all__ = ["counts_of"]

Arguments: TypeAlias = Mapping[str, Any]
Counts: TypeAlias = dict[str, int]


async def counts_of(discord: Discord, tool: str, arguments: Arguments) -> Counts:
    """Return the length of each list among the arguments, and what of this tool's work only Discord can count.

    Raises:
        ToolError: Discord does not tell.
    """
    lists = {name: len(value) for name, value in arguments.items() if isinstance(value, list)}
    more = await COUNTED[tool](discord, arguments) if tool in COUNTED else {}
    return lists | more


async def _pruned(discord: Discord, arguments: Arguments) -> Counts:
    roles = arguments.get("include_roles")
    query = {"days": arguments["days"], "include_roles": ",".join(roles) if roles else None}
    found = await discord.get("/guilds/{}/prune", arguments["guild_id"], into=Wire, query=query)
    return {"members": found["pruned"]}


async def _with_role(discord: Discord, arguments: Arguments) -> Counts:
    found = await discord.get("/guilds/{}/roles/member-counts", arguments["guild_id"], into=dict[str, int])
    return {"members": found.get(arguments["role_id"], 0)}


async def _reactions(discord: Discord, arguments: Arguments) -> Counts:
    channel_id, message_id = arguments["channel_id"], arguments["message_id"]
    found = await discord.get("/channels/{}/messages/{}", channel_id, message_id, into=Wire)
    return {"reactions": sum(one["count"] for one in found.get("reactions", ()))}


COUNTED: Final[Mapping[str, Callable[[Discord, Arguments], Awaitable[Counts]]]] = {
    "guild_begin_prune": _pruned,
    "reactions_delete_all": _reactions,
    "roles_delete": _with_role,
}
"""Tools whose arguments do not say how much they concern."""
