"""Stickers as our tools show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from accord.discord.models.stickers import (
    GuildStickers,
    PackListed,
    Sticker,
    StickerPack,
    StickerPacks,
)
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked, picked

__all__ = ["guild_stickers", "pack", "packs", "sticker"]


def sticker(sent: Wire) -> Sticker:
    """Return one sticker; of Discord's own nothing is said of whether they can be used: they can."""
    return picked(Sticker, {"available": True, **sent}, **_uploader(sent))


def _uploader(sent: Wire) -> Mapping[str, Any]:
    user = sent.get("user")
    return {"user_id": user["id"]} if user else {}


def guild_stickers(sent: Iterable[Wire]) -> GuildStickers:
    """Return a guild's stickers."""
    shown = _stickers(sent)
    return {"stickers": shown, "count": len(shown), **WHOLE}


def _stickers(sent: Iterable[Wire]) -> list[Sticker]:
    return [sticker(one) for one in sent if one is not None]


def pack(sent: Wire) -> StickerPack:
    """Return one pack."""
    return picked(StickerPack, sent, stickers=_stickers(sent["stickers"]))


def packs(sent: Wire) -> StickerPacks:
    """Return all packs, in Discord's order."""
    shown = each_picked(PackListed, sent["sticker_packs"])
    return {"packs": shown, "count": len(shown), **WHOLE}
