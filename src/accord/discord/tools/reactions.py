"""reactions: emoji on messages."""

from __future__ import annotations

from accord.discord.emoji_lookup import path_form
from accord.discord.models.emojis import EmojiText, emoji_is_one
from accord.discord.models.ids import ChannelId, MessageId
from accord.discord.models.messages import Reacted
from accord.discord.rest.client import Discord
from accord.engine import Effect, Toolset

tools = Toolset("reactions", fence="untrusted_discord")


@tools.tool(Effect.UPDATE, say="Reacted to message {message_id} in <#{channel_id}>.", checks=(emoji_is_one,))
async def reactions_create(discord: Discord, channel_id: ChannelId, message_id: MessageId, emoji: EmojiText) -> Reacted:
    """Add the bot's reaction to a message. Any form of emoji works; giving one twice changes nothing."""
    form = await path_form(discord, channel_id, emoji)
    await discord.do("PUT", "/channels/{}/messages/{}/reactions/{}/@me", channel_id, message_id, form)
    return {"reacted": True, "channel_id": channel_id, "message_id": message_id, "emoji": form}
