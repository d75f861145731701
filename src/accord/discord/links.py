"""Where a channel lies, for links to its messages."""

from __future__ import annotations

from accord.discord.models.channels import ChannelObject
from accord.discord.models.ids import ChannelId
from accord.discord.rest.client import Discord
from accord.engine import ToolError

__all__ = ["guild_of"]


async def guild_of(discord: Discord, channel_id: ChannelId) -> str | None:
    """Return the channel's guild, asking Discord once; None for a DM, or where it cannot be told."""
    if channel_id not in discord.places:
        try:
            found = await discord.get("/channels/{}", channel_id, into=ChannelObject)
        except ToolError:
            return None
        discord.places.learn(channel_id, found.get("guild_id"))
    return discord.places.guild_of(channel_id)
