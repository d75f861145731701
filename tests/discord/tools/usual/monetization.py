"""Usual calls of monetization."""

from __future__ import annotations

from tests.discord.tools.usual.calling import Examples, Refusals

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {}

REFUSED: Refusals = {}
