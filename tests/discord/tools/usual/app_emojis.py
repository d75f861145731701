"""Usual calls of app_emojis."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found, not_own
from tests.discord.tools.usual.emojis import PICTURE

from accord.discord.sandbox import Sandbox, demo, demo_plans
from accord.discord.sandbox.world import Emoji

__all__ = ["EXAMPLES", "REFUSED"]


def _emoji(sandbox: Sandbox) -> Arguments:
    """An emoji of this call's own."""
    made = Emoji(sandbox.world.new_id(), "lantern", demo.BOT)
    sandbox.world.app_emojis[made.id] = made
    return {"application_id": demo.APPLICATION, "emoji_id": made.id}


NOWHERE = {"application_id": demo.APPLICATION, "emoji_id": MISSING}

EXAMPLES: Examples = {
    "app_emojis_list": lambda _: {"application_id": demo.APPLICATION},
    "app_emojis_get": lambda _: {"emoji_id": demo_plans.GLOW},
    "app_emojis_create": lambda _: {"application_id": demo.APPLICATION, "name": "paper_fish", "image": PICTURE},
    "app_emojis_modify": lambda sandbox: {**_emoji(sandbox), "name": "lamp"},
    "app_emojis_delete": lambda sandbox: {**_emoji(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "app_emojis_list": not_own({"application_id": MISSING}),
    "app_emojis_get": not_found(NOWHERE),
    "app_emojis_create": not_own({"application_id": MISSING, "name": "paper_fish", "image": PICTURE}),
    "app_emojis_modify": not_found({**NOWHERE, "name": "lamp"}),
    "app_emojis_delete": not_found({**NOWHERE, "__confirm": True}),
}
