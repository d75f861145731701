"""Usual calls of emojis."""

from __future__ import annotations

import base64

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Emoji

__all__ = ["EXAMPLES", "PICTURE", "REFUSED"]

PICTURE = "data:image/png;base64," + base64.b64encode(demo.ONE_PIXEL).decode()


def _emoji(sandbox: Sandbox) -> Arguments:
    """An emoji of this call's own."""
    made = Emoji(sandbox.world.new_id(), "lantern", demo.BOT)
    sandbox.world.guilds[demo.GUILD].emojis[made.id] = made
    return {"guild_id": demo.GUILD, "emoji_id": made.id}


NOWHERE = {"guild_id": demo.GUILD, "emoji_id": MISSING}

EXAMPLES: Examples = {
    "emojis_list_guild": lambda _: {"guild_id": demo.GUILD},
    "emojis_get": lambda _: {"guild_id": demo.GUILD, "emoji_id": demo.BLOB},
    "emojis_create": lambda _: {"guild_id": demo.GUILD, "name": "paper_fish", "image": PICTURE},
    "emojis_modify": lambda sandbox: {**_emoji(sandbox), "name": "lamp", "roles": [demo.MEMBER_ROLE]},
    "emojis_delete": lambda sandbox: {**_emoji(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "emojis_list_guild": not_found({"guild_id": MISSING}),
    "emojis_get": not_found(NOWHERE),
    "emojis_create": not_found({"guild_id": MISSING, "name": "paper_fish", "image": PICTURE}),
    "emojis_modify": not_found({**NOWHERE, "name": "lamp"}),
    "emojis_delete": not_found({**NOWHERE, "__confirm": True}),
}
