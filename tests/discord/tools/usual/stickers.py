"""Usual calls of stickers."""

from __future__ import annotations

import base64

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_guild import STICKER_PACK
from accord.discord.sandbox.world import Sticker

__all__ = ["EXAMPLES", "REFUSED"]


def _sticker(sandbox: Sandbox) -> Arguments:
    """A sticker of this call's own."""
    made = Sticker(sandbox.world.new_id(), "Glow", "A lantern that glows", "🏮", creator_id=demo.BOT)
    sandbox.world.guilds[demo.GUILD].stickers[made.id] = made
    return {"guild_id": demo.GUILD, "sticker_id": made.id}


NEW = {
    "name": "Paper fish",
    "tags": "fish",
    "description": "It swims in the air",
    "file_data": "data:image/png;base64," + base64.b64encode(demo.ONE_PIXEL).decode(),
}
NOWHERE = {"guild_id": demo.GUILD, "sticker_id": MISSING}

EXAMPLES: Examples = {
    "stickers_get": lambda _: {"sticker_id": demo.WAVE_STICKER},
    "stickers_list_packs": lambda _: {},
    "stickers_get_pack": lambda _: {"pack_id": STICKER_PACK},
    "stickers_list_guild": lambda _: {"guild_id": demo.GUILD},
    "stickers_get_guild_sticker": lambda _: {"guild_id": demo.GUILD, "sticker_id": demo.WAVE_STICKER},
    "stickers_create_guild_sticker": lambda _: {"guild_id": demo.GUILD, **NEW},
    "stickers_modify_guild_sticker": lambda sandbox: {**_sticker(sandbox), "name": "Gleam"},
    "stickers_delete_guild_sticker": lambda sandbox: {**_sticker(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "stickers_get": not_found({"sticker_id": MISSING}),
    "stickers_list_packs": Refusal({"limit": 1}, "VALIDATION_FAILED"),
    "stickers_get_pack": not_found({"pack_id": MISSING}),
    "stickers_list_guild": not_found({"guild_id": MISSING}),
    "stickers_get_guild_sticker": not_found(NOWHERE),
    "stickers_create_guild_sticker": not_found({"guild_id": MISSING, **NEW}),
    "stickers_modify_guild_sticker": not_found({**NOWHERE, "name": "Gleam"}),
    "stickers_delete_guild_sticker": not_found({**NOWHERE, "__confirm": True}),
}
