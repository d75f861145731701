"""Usual calls of members."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusals, not_found

from accord.discord.sandbox import demo

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {
    "members_get": lambda _: {"guild_id": demo.GUILD, "user_id": demo.LENA},
}

REFUSED: Refusals = {
    "members_get": not_found({"guild_id": MISSING, "user_id": MISSING}),
}
