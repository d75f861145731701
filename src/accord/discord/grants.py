"""What a caller may do: scopes, how a request narrows its own, and the gate that holds every call against them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from accord.discord.access import PLACES, guild_source, kind_at
from accord.discord.models.ids import ChannelId
from accord.discord.rest.errors import NotGrantedError
from accord.engine import Call, Next, Reply, Tool, leaves

__all__ = ["EVERYTHING", "Scopes", "grants", "is_offered", "narrowed", "narrows", "within_grant"]

Scopes: TypeAlias = frozenset[str]
"""`read`, `write`, and both of one category (`write:messages`); a write also in one channel (`write:messages:<id>`).

A scope grants what begins with it, part by part.
"""

EVERYTHING: Scopes = frozenset({"read", "write"})
"""All that the server's own settings allow."""

READONLY_HEADER = "x-mcp-readonly"
CATEGORIES_HEADER = "x-mcp-categories"

OPEN_CATEGORIES = frozenset({"meta"})
"""Tools about tools do nothing themselves: each call that they make passes the gates by itself."""

FLAGS = {"true": True, "false": False}


async def within_grant(call: Call, following: Next) -> Reply:
    """Refuse a call beyond what its caller was granted; who was granted nothing may do nothing.

    Raises:
        NotGrantedError: It names the first scope that is missing.
    """
    granted = call.caller.scopes
    if grants(granted, whole_scope(call.tool)):
        return await following(call)  # and so is every part of it
    missing = [scope for scope in needed_by(call) if not grants(granted, scope)]
    if missing:
        raise NotGrantedError(tool=call.tool.name, required=missing[0], granted=sorted(granted))
    return await following(call)


def needed_by(call: Call) -> list[str]:
    """Return the narrowest scopes that the call needs, all of them.

    A write that acts in a channel needs a scope for that one and for every other channel that it names, however deep.
    One that acts in a guild, by a webhook or in whatever else, or that names such a thing, needs its whole category.
    """
    if call.tool.category in OPEN_CATEGORIES:
        return []
    whole = whole_scope(call.tool)
    channels = _channels_of(call) if _acts_in_a_channel(call.tool) else ()
    return [f"{whole}:{channel}" for channel in channels] or [whole]


def _acts_in_a_channel(tool: Tool) -> bool:
    return tool.effect.writes and guild_source(tool) == "channel"


def _channels_of(call: Call) -> list[str]:
    """Return the channels that the call names; none where it names a place of another kind, or one in plain text."""
    named = [at for at in leaves(call.tool.shape.slots, call.arguments) if kind_at(at) in PLACES]
    is_tied = all(kind_at(at) is ChannelId and at.kind is not str for at in named)
    return sorted({str(at.value) for at in named}) if is_tied else []


def whole_scope(tool: Tool) -> str:
    """Return the scope of the tool's kind and category."""
    return f"{'write' if tool.effect.writes else 'read'}:{tool.category}"


def grants(granted: Iterable[str], needed: str) -> bool:
    """Whether one of the scopes covers what is needed."""
    return any(needed == scope or needed.startswith(f"{scope}:") for scope in granted)


def is_offered(tool: Tool, granted: Scopes) -> bool:
    """Whether some call of the tool could be within the grant: what is not offered is not listed either."""
    whole = whole_scope(tool)
    if tool.category in OPEN_CATEGORIES or grants(granted, whole):
        return True
    return _acts_in_a_channel(tool) and any(scope.startswith(f"{whole}:") for scope in granted)


# --- What a request asks of its own accord ----------------------------------------------------------------------------


def narrows(headers: Mapping[str, str]) -> bool:
    """Whether a request's headers say anything of its rights."""
    return READONLY_HEADER in headers or CATEGORIES_HEADER in headers


def narrowed(granted: Scopes, headers: Mapping[str, str]) -> Scopes:
    """Return what is left of the scopes under the request's headers; never more than there was.

    Raises:
        ValueError: A header cannot be understood, and heeding half a restriction is heeding none.
    """
    if _asks_readonly(headers.get(READONLY_HEADER)):
        granted = frozenset(scope for scope in granted if scope.partition(":")[0] != "write")
    if CATEGORIES_HEADER in headers:
        granted = _within(granted, _names(headers[CATEGORIES_HEADER]))
    return granted


def _asks_readonly(value: str | None) -> bool:
    if value is None:
        return False
    try:
        return FLAGS[value.strip().lower()]
    except KeyError:
        raise ValueError("X-MCP-Readonly is `true` or `false`") from None


def _names(value: str) -> list[str]:
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise ValueError("X-MCP-Categories is a list of categories, separated by commas")
    return names


def _within(granted: Scopes, categories: Collection[str]) -> Scopes:
    """Return what the scopes and the categories have in common."""
    whole = {f"{scope}:{category}" for scope in granted if ":" not in scope for category in categories}
    parts = {scope for scope in granted if ":" in scope and scope.split(":")[1] in categories}
    return frozenset(whole | parts)
