"""A guild as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, payloads
from accord.discord.sandbox.forms import truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject


def get_guild(call: Call, guild_id: str) -> JsonObject:
    """A guild with its roles and emojis, and its counts if asked for."""
    with_counts = call.asked(with_counts=truth).get("with_counts", False)
    return payloads.guild(call.world, access.guild(call.world, guild_id), with_counts=with_counts)


ROUTES = (Route("GET", "/guilds/{guild_id}", get_guild),)
