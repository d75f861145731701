"""reactions: emoji on messages."""

from __future__ import annotations

from typing import Annotated

from accord.discord.access import needs
from accord.discord.emoji_lookup import path_form
from accord.discord.gates import CONSENT
from accord.discord.models.emojis import EmojiText, emoji_is_one
from accord.discord.models.ids import ChannelId, MessageId, UserId
from accord.discord.models.reactions import (
    Reacted,
    ReactionKind,
    Reactors,
    Unreacted,
    UnreactedAll,
    UnreactedUser,
)
from accord.discord.models.users import Account, UserObject
from accord.discord.models.values import Cursor
from accord.discord.pages import onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.picking import each_picked
from accord.discord.rules import one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("reactions", fence="untrusted_discord")


@tools.tool(
    Effect.UPDATE,
    say="Reacted to message {message_id} in <#{channel_id}>.",
    checks=(emoji_is_one,),
    facts=needs("READ_MESSAGE_HISTORY", when={"first to use the emoji": "ADD_REACTIONS"}),
    reserved=CONSENT,
)
async def reactions_create(discord: Discord, channel_id: ChannelId, message_id: MessageId, emoji: EmojiText) -> Reacted:
    """Add the bot's reaction to a message. Any form of emoji works; giving one twice changes nothing."""
    form = await path_form(discord, channel_id, emoji)
    await discord.do("PUT", "/channels/{}/messages/{}/reactions/{}/@me", channel_id, message_id, form)
    return {"reacted": True, "channel_id": channel_id, "message_id": message_id, "emoji": form}


@tools.tool(
    Effect.UPDATE,
    say="Took the bot's reaction off message {message_id}.",
    checks=(emoji_is_one,),
    facts=needs("READ_MESSAGE_HISTORY"),
)
async def reactions_delete_own(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, emoji: EmojiText
) -> Unreacted:
    """Take back the bot's own reaction."""
    form = await path_form(discord, channel_id, emoji)
    await discord.do("DELETE", "/channels/{}/messages/{}/reactions/{}/@me", channel_id, message_id, form)
    return {"deleted": True, "channel_id": channel_id, "message_id": message_id, "emoji": form}


@tools.tool(
    Effect.UPDATE,
    say="Took a reaction of user {user_id} off message {message_id}.",
    checks=(emoji_is_one,),
    facts=needs("READ_MESSAGE_HISTORY", "MANAGE_MESSAGES"),
)
async def reactions_delete_user(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, emoji: EmojiText, user_id: UserId
) -> UnreactedUser:
    """Take one user's reaction off a message."""
    form = await path_form(discord, channel_id, emoji)
    await discord.do("DELETE", "/channels/{}/messages/{}/reactions/{}/{}", channel_id, message_id, form, user_id)
    return {"deleted": True, "channel_id": channel_id, "message_id": message_id, "emoji": form, "user_id": user_id}


@tools.tool(
    Effect.READ,
    say="Users who reacted to message {message_id}: {count}.",
    checks=(emoji_is_one, one_place),
    facts=needs("READ_MESSAGE_HISTORY"),
)
async def reactions_list(
    discord: Discord,
    channel_id: ChannelId,
    message_id: MessageId,
    emoji: EmojiText,
    type: ReactionKind = 0,  # noqa: A002 - Discord's name
    after: UserId | None = None,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 25,
    cursor: Cursor | None = None,
) -> Reactors:
    """List who reacted to a message with one emoji, ordered by user id."""
    form = await path_form(discord, channel_id, emoji)
    query = {"type": type, "after": after, "limit": limit, **place_of(cursor)}
    users = await discord.get(
        "/channels/{}/messages/{}/reactions/{}", channel_id, message_id, form, into=list[UserObject], query=query
    )
    return {
        "users": each_picked(Account, users), "count": len(users), **onward(users, "after", full=limit),
        "channel_id": channel_id, "message_id": message_id, "emoji": form,
    }  # fmt: skip


@tools.tool(
    Effect.DELETE,
    say="Took reactions off message {message_id}: {scope}.",
    checks=(emoji_is_one,),
    facts=needs("READ_MESSAGE_HISTORY", "MANAGE_MESSAGES"),
)
async def reactions_delete_all(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, emoji: EmojiText | None = None
) -> UnreactedAll:
    """Take everybody's reactions with one emoji off a message; without emoji all reactions."""
    if emoji is None:
        await discord.do("DELETE", "/channels/{}/messages/{}/reactions", channel_id, message_id)
        return {"deleted": True, "channel_id": channel_id, "message_id": message_id, "scope": "all"}
    form = await path_form(discord, channel_id, emoji)
    await discord.do("DELETE", "/channels/{}/messages/{}/reactions/{}", channel_id, message_id, form)
    return {"deleted": True, "channel_id": channel_id, "message_id": message_id, "scope": "emoji", "emoji": form}
