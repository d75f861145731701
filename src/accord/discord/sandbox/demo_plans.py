"""What the demo world has planned, filtered and drawn: events, auto moderation rules, the bot's own emoji."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.world import Emoji

if TYPE_CHECKING:
    from accord.discord.sandbox.world import World

GLOW = "1196727031233671168"


def add_plans(world: World) -> None:
    """Put them into a world that has its guilds and people."""
    world.app_emojis[GLOW] = Emoji(GLOW, "glow", world.me.id)
