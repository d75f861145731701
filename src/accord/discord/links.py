"""Where a channel lies, for links to its messages and for what its guild has; and who the bot is."""

from __future__ import annotations

from functools import partial

from accord.discord.models.ids import ChannelId
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.engine import ToolError

__all__ = ["guild_of", "own_id", "readable_guild_of"]


async def guild_of(discord: Discord, channel_id: ChannelId) -> str | None:
    """Return the channel's guild, asking Discord once; None for a DM.

    Raises:
        ToolError: The channel cannot be read.
    """
    return await discord.places.find(("channel", channel_id), partial(_asked, discord.lasting(), channel_id))


async def _asked(discord: Discord, channel_id: ChannelId) -> str | None:
    return (await discord.get("/channels/{}", channel_id, into=Wire)).get("guild_id")


async def readable_guild_of(discord: Discord, channel_id: ChannelId) -> str | None:
    """Return the same, and None where it cannot be told: a link is not worth a failure."""
    try:
        return await guild_of(discord, channel_id)
    except ToolError:
        return None


async def own_id(discord: Discord) -> str:
    """Return the bot's user id, asking Discord only where the token does not tell it.

    Raises:
        ToolError: Discord does not tell it either.
    """
    return discord.bot_id or (await discord.get("/users/@me", into=Wire))["id"]
