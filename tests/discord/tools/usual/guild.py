"""Usual calls of guild."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusals, not_found

from accord.discord.sandbox import demo

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {
    "guild_get": lambda _: {"guild_id": demo.GUILD},
}

REFUSED: Refusals = {
    "guild_get": not_found({"guild_id": MISSING}),
}
