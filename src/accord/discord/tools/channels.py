"""channels: what channels there are and how each is set up."""

from __future__ import annotations

from accord.discord.models.channels import Channel, ChannelObject, Channels
from accord.discord.models.ids import ChannelId, GuildId
from accord.discord.rest.client import Discord
from accord.discord.results.channels import channel, channels
from accord.engine import Effect, Toolset

tools = Toolset("channels", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Channels: {count}.")
async def channels_list(discord: Discord, guild_id: GuildId) -> Channels:
    """List a guild's channels, categories and forums included: ids, names, types, overwrites. Threads are left out."""
    return channels(await discord.get("/guilds/{}/channels", guild_id, into=list[ChannelObject]))


@tools.tool(Effect.READ, say="Channel {id}, type {type}.")
async def channels_get(discord: Discord, channel_id: ChannelId) -> Channel:
    """Fetch one channel or thread: name, topic, type, overwrites, forum tags. `name` is null for DMs."""
    return channel(await discord.get("/channels/{}", channel_id, into=ChannelObject))
