"""Usual calls of channels."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusals, not_found

from accord.discord.sandbox import demo

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {
    "channels_list": lambda _: {"guild_id": demo.GUILD},
    "channels_get": lambda _: {"channel_id": demo.GENERAL},
}

REFUSED: Refusals = {
    "channels_list": not_found({"guild_id": MISSING}),
    "channels_get": not_found({"channel_id": MISSING}),
}
