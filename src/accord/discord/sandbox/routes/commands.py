"""Application commands, global and of one guild, and their permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accord.discord.sandbox.wire import Route

ROUTES: tuple[Route, ...] = ()
