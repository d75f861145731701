"""Stage instances as our tools show them."""

from __future__ import annotations

from accord.discord.models.stages import Stage
from accord.discord.models.values import Wire
from accord.discord.results.picking import picked

__all__ = ["stage"]


def stage(sent: Wire) -> Stage:
    """Return what is live."""
    return picked(Stage, sent, untrusted_text=sent["topic"])
