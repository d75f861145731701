"""Guild templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accord.discord.sandbox.wire import Route

ROUTES: tuple[Route, ...] = ()
