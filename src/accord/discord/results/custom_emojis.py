"""Custom emoji as our tools show them."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.models.custom_emojis import AppEmoji, AppEmojis, CustomEmoji, GuildEmojis
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked

__all__ = ["app_emojis", "guild_emojis"]


def guild_emojis(sent: Sequence[Wire] | None) -> GuildEmojis:
    """Return a guild's emoji."""
    shown = each_picked(CustomEmoji, sent or ())
    return {"emojis": shown, "count": len(shown), **WHOLE}


def app_emojis(sent: Sequence[Wire]) -> AppEmojis:
    """Return the application's emoji."""
    shown = each_picked(AppEmoji, sent)
    return {"emojis": shown, "count": len(shown), **WHOLE}
