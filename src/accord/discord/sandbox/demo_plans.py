"""What the demo world has planned, filtered and drawn: events, auto moderation rules, the bot's own emoji."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.world import Emoji

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, World

GLOW = "1196727031233671168"
SCAM_RULE = "1196727282892341248"


def add_plans(world: World, guild: Guild, alert_channel_id: str) -> None:
    """Put them into a world that has its guilds, channels and people."""
    world.app_emojis[GLOW] = Emoji(GLOW, "glow", world.me.id)
    guild.automod_rules[SCAM_RULE] = {
        "id": SCAM_RULE,
        "guild_id": guild.id,
        "creator_id": guild.owner_id,
        "name": "Scams",
        "event_type": 1,
        "trigger_type": 1,
        "trigger_metadata": {"keyword_filter": ["free nitro*"], "regex_patterns": [], "allow_list": ["no free nitro"]},
        "actions": [
            {"type": 1, "metadata": {"custom_message": "That looked like a scam."}},
            {"type": 2, "metadata": {"channel_id": alert_channel_id}},
        ],
        "enabled": True,
        "exempt_roles": [],
        "exempt_channels": [],
    }
