"""messages: read, send, edit, delete."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.gates import own_nonce
from accord.discord.links import readable_guild_of
from accord.discord.models.components import buttons_are_whole
from accord.discord.models.embeds import embeds_fit
from accord.discord.models.files import files_are_one
from accord.discord.models.ids import ChannelId, MessageId
from accord.discord.models.mentions import mentions_are_one
from accord.discord.models.messages import (
    Deleted,
    Edited,
    MessageChanges,
    MessageObject,
    Messages,
    NewMessage,
    Sent,
    flags_of_changed,
    flags_of_new,
    reply_is_one,
    something_changes,
    something_to_send,
)
from accord.discord.models.values import AuditReason, Cursor
from accord.discord.outgoing import changes_of, nonce_of, sendable
from accord.discord.pages import onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.messages import edited, messages, sent
from accord.discord.rules import one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("messages", fence="untrusted_discord")

BODY_RULES = (embeds_fit, buttons_are_whole, mentions_are_one, files_are_one)


@tools.tool(Effect.READ, say="Messages in <#{channel_id}>, newest first: {count}.", checks=(one_place,))
async def messages_read(
    discord: Discord,
    channel_id: ChannelId,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 50,
    before: MessageId | None = None,
    after: MessageId | None = None,
    around: MessageId | None = None,
    cursor: Cursor | None = None,
) -> Messages:
    """Read a channel's or thread's history, newest first.

    For the next page (older, or newer after `after`) pass next_cursor as cursor.
    """
    place = {"before": before, "after": after, "around": around, **place_of(cursor)}
    query = {"limit": limit, **place}
    page = await discord.get("/channels/{}/messages", channel_id, into=list[MessageObject], query=query)
    full = max(1, limit // 2) if around else limit  # half of what is around a message is older
    return messages(page, channel_id, discord.bot_id, onward(page, "after" if place["after"] else "before", full=full))


@tools.tool(
    Effect.CREATE,
    say="Sent message {message_id} to <#{channel_id}>.",
    gates=(own_nonce,),
    checks=(something_to_send, reply_is_one, flags_of_new, *BODY_RULES),
)
async def messages_send(discord: Discord, channel_id: ChannelId, **message: Unpack[NewMessage]) -> Sent:
    """Send a message to a channel, thread or DM: text, reply, embeds, buttons, poll, stickers, files.

    Nobody is pinged unless allowed_mentions says so.
    """
    nonce = nonce_of(message)
    write = await sendable(discord, message, nonce=nonce)
    made = await discord.post("/channels/{}/messages", channel_id, into=MessageObject, **write)
    return sent(made, await readable_guild_of(discord, channel_id), nonce)


@tools.tool(
    Effect.UPDATE,
    say="Edited message {message_id} in <#{channel_id}>.",
    checks=(something_changes, flags_of_changed, *BODY_RULES),
)
async def messages_edit(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, **changes: Unpack[MessageChanges]
) -> Edited:
    """Edit one of the bot's own messages. What is left out stays; to remove something name it in clear."""
    body = changes_of(changes)
    made = await discord.patch(
        "/channels/{}/messages/{}", channel_id, message_id, into=MessageObject, body=body, idempotent=True
    )
    return edited(made, body.keys() - {"allowed_mentions"})


@tools.tool(Effect.DELETE, say="Deleted message {message_id} from <#{channel_id}>.")
async def messages_delete(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, audit_reason: AuditReason | None = None
) -> Deleted:
    """Delete one message for good. Others' messages need MANAGE_MESSAGES."""
    await discord.do("DELETE", "/channels/{}/messages/{}", channel_id, message_id, reason=audit_reason)
    return {"deleted": True, "message_id": message_id, "channel_id": channel_id}
