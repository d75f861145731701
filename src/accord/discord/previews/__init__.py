"""What a call would do, for whoever confirms it: read from Discord at that moment, and nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, TypeAlias, TypeVar

from accord.discord.grants import grants
from accord.discord.links import guild_of
from accord.discord.models.ids import ChannelId, GuildId
from accord.discord.previews.changes import changes_of
from accord.discord.previews.counts import counts_of
from accord.discord.previews.names import NAMED, Place, named
from accord.discord.rest.client import Discord
from accord.discord.targets import Target, targets_of
from accord.engine import Call

__all__ = ["shown"]

Json: TypeAlias = Any
T = TypeVar("T")

MOST_SECONDS: Final = 5.0
"""A preview without names is better than none, and than one that comes late."""

MOST_LOOKED_UP: Final = 10
"""How many things are named; of more there is the count."""

FINAL: Final = frozenset({"entitlements_consume", "messages_crosspost", "polls_end", "templates_sync"})
"""Tools that destroy nothing and whose work cannot be undone."""

UNDONE: Final = frozenset({"members_ban", "members_bulk_ban"})
"""Tools that count as destroying and whose work another one undoes."""


async def shown(call: Call) -> dict[str, Json]:
    """Return the call's own arguments, and beside them what they mean.

    `will` is what the tool does, `irreversible` whether it is for good, `targets` what the ids are, `counts` how many
    of what, `changes` what is how now and how it would be. What cannot be read in time is left out, and all that is
    read is for a caller who may only write.
    """
    own = call.preview()
    meant = {"will": _does(call), "irreversible": _is_final(call), **await _seen(call)}
    return own | {name: value for name, value in meant.items() if name not in own}


def _does(call: Call) -> str:
    return call.tool.description.split(". ")[0].split("\n")[0].rstrip(".") + "."


def _is_final(call: Call) -> bool:
    return call.tool.name in FINAL or (call.tool.effect.destroys and call.tool.name not in UNDONE)


async def _seen(call: Call) -> dict[str, Json]:
    may_read = grants(call.caller.scopes, f"read:{call.tool.category}")
    if not may_read or not isinstance(call.client, Discord):
        return {}
    soon = min(call.deadline, asyncio.get_running_loop().time() + MOST_SECONDS)
    read = await _read(call, call.client.until(soon))
    return {name: value for name, value in read.items() if value}


async def _read(call: Call, discord: Discord) -> dict[str, Json]:
    found = list(targets_of(call.tool.shape.slots, call.arguments))
    place = await _place(call, discord, found)
    targets, counts, changes = await asyncio.gather(
        _named(discord, found, place),
        _softly(counts_of(discord, call.tool.name, call.arguments)),
        _softly(changes_of(discord, call, place)),
    )
    return {"targets": targets, "counts": counts, "changes": changes}


async def _place(call: Call, discord: Discord, found: list[Target]) -> Place:
    """Return where the call acts: the guild that it names, or that of the first channel."""
    guild_id, channel_id = _first(found, GuildId), _first(found, ChannelId)
    if guild_id is None and channel_id is not None:
        guild_id = await _softly(guild_of(discord, ChannelId(channel_id)))
    return Place(guild_id, call.arguments)


def _first(found: list[Target], kind: type) -> str | None:
    return next((one.value for one in found if one.kind is kind), None)


async def _named(discord: Discord, found: list[Target], place: Place) -> list[dict[str, Json]]:
    distinct = {(one.kind, one.value): one for one in reversed(found) if one.kind in NAMED}
    first = list(reversed(distinct.values()))[:MOST_LOOKED_UP]
    facts = await asyncio.gather(*(_softly(named(discord, one, place)) for one in first))
    return [{"argument": one.path, "id": one.value, **(known or {})} for one, known in zip(first, facts, strict=True)]


async def _softly(reading: Awaitable[T]) -> T | None:
    """Return what was read, or None where it could not be."""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return await reading
    except Exception:  # noqa: BLE001 - whatever it is, it must not keep what can be shown from being shown
        return None
