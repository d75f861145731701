"""What is to be heard in the demo's guilds: a guild's own sound, and a stage that is live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.channel_settings import STAGE, settings_at_first
from accord.discord.sandbox.world import Channel

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, World

SOUND = "1201650322144309248"
STAGE_CHANNEL = "1203407809416085538"
LIVE = "1218924060282085376"


def add_sound(guild: Guild, user_id: str) -> None:
    """Add what rings when a lantern is lit."""
    guild.sounds[SOUND] = {
        "name": "first light", "sound_id": SOUND, "volume": 0.8, "emoji_id": None, "emoji_name": "🏮",
        "guild_id": guild.id, "available": True, "user_id": user_id,
    }  # fmt: skip


def add_stage(world: World, guild: Guild) -> None:
    """Add a stage channel in which somebody reads."""
    world.channels[STAGE_CHANNEL] = Channel(
        STAGE_CHANNEL, STAGE, "reading-aloud", guild.id, position=1, settings=settings_at_first(STAGE)
    )
    world.stages[STAGE_CHANNEL] = {
        "id": LIVE, "guild_id": guild.id, "channel_id": STAGE_CHANNEL, "topic": "Chapter one, read by Lena",
        "privacy_level": 2, "discoverable_disabled": True, "guild_scheduled_event_id": None,
    }  # fmt: skip
