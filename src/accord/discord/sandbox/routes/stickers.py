"""Stickers: a guild's own, and the packs that everybody has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accord.discord.sandbox.wire import Route

ROUTES: tuple[Route, ...] = ()
