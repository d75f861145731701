"""A guild's custom emojis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, payloads
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject


def list_emojis(call: Call, guild_id: str) -> list[JsonObject]:
    """All of a guild's emojis."""
    guild = access.guild(call.world, guild_id)
    return [payloads.emoji(call.world, each) for each in guild.emojis.values()]


ROUTES = (Route("GET", "/guilds/{guild_id}/emojis", list_emojis),)
