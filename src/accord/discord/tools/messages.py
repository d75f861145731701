"""messages: reading, finding, sending, editing, deleting, pinning and publishing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.attachments import attachment_of, looked_at
from accord.discord.conditions import always
from accord.discord.gates import CONSENT, own_nonce
from accord.discord.guild_search import LAST_OFFSET, once_indexed, search_query
from accord.discord.links import readable_guild_of
from accord.discord.models.attachments import FetchedAttachment
from accord.discord.models.history import Matches, Pins, PinsObject
from accord.discord.models.ids import AttachmentId, ChannelId, GuildId, MessageId, MessagePlace
from accord.discord.models.messages import (
    Crossposted,
    Deleted,
    DeletedMany,
    Edited,
    MessageChanges,
    MessageObject,
    Messages,
    NewMessage,
    OneMessage,
    PinnedMessage,
    Sent,
    ThreadBegun,
    ThreadFromMessage,
    UnpinnedMessage,
    few_enough_files,
    flags_of_changed,
    reply_is_one,
    something_changes,
    two_or_more,
    young_enough,
)
from accord.discord.models.permissions import Permission
from accord.discord.models.search import FoundMessages, SearchFilters, SearchObject
from accord.discord.models.values import AuditReason, Cursor, Moment, Wire
from accord.discord.outgoing import given, nonce_of, rewritten, what_changed
from accord.discord.overflow import sent_in_order
from accord.discord.pages import goes_on, onward, place_of
from accord.discord.rest.client import Discord, Write
from accord.discord.rest.codes import ALREADY_PUBLISHED
from accord.discord.rest.errors import code_of
from accord.discord.results.history import found_messages, matches, pins
from accord.discord.results.messages import edited, fetched_attachment, messages, one_message, sent_parts, thread_begun
from accord.discord.rules import one_place
from accord.discord.sending import BODY_RULES, NEW_RULES, writes_of
from accord.discord.upload_limits import files_fit
from accord.engine import Effect, Field, ToolError, Toolset, WithBlocks

tools = Toolset("messages", fence="untrusted_discord")

READS_HISTORY = needs(
    "VIEW_CHANNEL", "READ_MESSAGE_HISTORY", when={"in a voice channel": "CONNECT"}, intents=("MESSAGE_CONTENT",)
)

OTHERS_MESSAGE: Mapping[str, Permission] = {"another author's message": "MANAGE_MESSAGES"}

SENDS = needs(
    "VIEW_CHANNEL",
    "SEND_MESSAGES",
    when={
        "in a thread, in place of SEND_MESSAGES": "SEND_MESSAGES_IN_THREADS",
        "reply_to": "READ_MESSAGE_HISTORY",
        "message_reference": "READ_MESSAGE_HISTORY",
        "embeds": "EMBED_LINKS",
        "files": "ATTACH_FILES",
        "poll": "SEND_POLLS",
        "tts is true": "SEND_TTS_MESSAGES",
        "to ping @everyone": "MENTION_EVERYONE",
    },
)


@tools.tool(
    Effect.READ,
    say="Messages in <#{channel_id}>, newest first: {count}.",
    checks=(one_place,),
    facts=READS_HISTORY,
)
async def messages_read(
    discord: Discord,
    channel_id: ChannelId,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 50,
    before: MessagePlace | None = None,
    after: MessagePlace | None = None,
    around: MessagePlace | None = None,
    cursor: Cursor | None = None,
) -> Messages:
    """Read a channel's or thread's history, newest first; before, after and around take a date too.

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
    facts=SENDS,
    checks=(reply_is_one, *NEW_RULES),
    reserved=CONSENT,
)
async def messages_send(discord: Discord, channel_id: ChannelId, **message: Unpack[NewMessage]) -> Sent:
    """Send a message to a channel, thread or DM: text, reply, embeds, buttons, poll, stickers, files.

    Nobody is pinged unless allowed_mentions says so. Text above 2000 characters needs on_overflow.
    """
    nonce = nonce_of(message)
    made = await sent_in_order(
        await writes_of(discord, message, channel_id, nonce=nonce),
        lambda write, _: discord.post("/channels/{}/messages", channel_id, into=MessageObject, **write),
        nonce=nonce,
    )
    return sent_parts(made, await readable_guild_of(discord, channel_id), nonce)


@tools.tool(
    Effect.UPDATE,
    say="Edited message {message_id} in <#{channel_id}>.",
    checks=(something_changes, flags_of_changed, few_enough_files, *BODY_RULES),
    facts=needs(
        when={
            "another author's message": "MANAGE_MESSAGES",
            "embeds": "EMBED_LINKS",
            "files": "ATTACH_FILES",
        }
    ),
    reserved=CONSENT,
)
async def messages_edit(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, **changes: Unpack[MessageChanges]
) -> Edited:
    """Edit one of the bot's own messages. What is left out stays; to remove something name it in clear."""
    write = await rewritten(
        discord,
        changes,
        lambda: discord.get("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject),
    )
    await files_fit(discord, channel_id, write)
    made = await discord.patch("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject, **write)
    return edited(made, what_changed(write))


@tools.tool(
    Effect.DELETE,
    say="Deleted message {message_id} from <#{channel_id}>.",
    facts=needs("VIEW_CHANNEL", when=OTHERS_MESSAGE),
)
async def messages_delete(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, audit_reason: AuditReason | None = None
) -> Deleted:
    """Delete one message for good. Others' messages need MANAGE_MESSAGES."""
    await discord.do("DELETE", "/channels/{}/messages/{}", channel_id, message_id, reason=audit_reason)
    return {"deleted": True, "message_id": message_id, "channel_id": channel_id}


@tools.tool(Effect.READ, say="Message {message_id} in <#{channel_id}>.", facts=READS_HISTORY)
async def messages_get(discord: Discord, channel_id: ChannelId, message_id: MessageId) -> OneMessage:
    """Fetch one message with all of its parts: text, files, embeds, components, reactions, poll."""
    sent_one = await discord.get("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject)
    return one_message(sent_one, discord.bot_id)


@tools.tool(
    Effect.UPDATE,
    say="Published message {message_id} of <#{channel_id}>.",
    facts=needs("VIEW_CHANNEL", "SEND_MESSAGES", when=OTHERS_MESSAGE),
    confirm_when=always("it reaches every channel that follows, and cannot be taken back"),
)
async def messages_crosspost(discord: Discord, channel_id: ChannelId, message_id: MessageId) -> Crossposted:
    """Publish an announcement channel's message to all channels that follow it. It cannot be taken back."""
    try:
        await discord.do("POST", "/channels/{}/messages/{}/crosspost", channel_id, message_id, idempotent=True)
    except ToolError as refusal:
        if code_of(refusal) != ALREADY_PUBLISHED:
            raise
    return {"message_id": message_id, "channel_id": channel_id, "crossposted": True}


@tools.tool(
    Effect.DELETE,
    say="Deleted {count} messages from <#{channel_id}>.",
    checks=(two_or_more, young_enough),
    facts=needs("VIEW_CHANNEL", "MANAGE_MESSAGES"),
)
async def messages_bulk_delete(
    discord: Discord,
    channel_id: ChannelId,
    message_ids: Annotated[list[MessageId], Field(min_items=2, max_items=100)],
    audit_reason: AuditReason | None = None,
) -> DeletedMany:
    """Delete 2 to 100 messages of one channel for good, none of them older than 14 days."""
    ids = list(dict.fromkeys(message_ids))
    write: Write = {"body": {"messages": ids}, "reason": audit_reason, "idempotent": True}
    await discord.do("POST", "/channels/{}/messages/bulk-delete", channel_id, **write)
    return {"deleted": True, "channel_id": channel_id, "count": len(ids)}


@tools.tool(
    Effect.UPDATE,
    say="Pinned message {message_id} in <#{channel_id}>.",
    facts=needs("VIEW_CHANNEL", "PIN_MESSAGES"),
    reserved=CONSENT,
)
async def messages_pin(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, audit_reason: AuditReason | None = None
) -> PinnedMessage:
    """Pin a message to its channel, at most 250 each. Pinning one twice changes nothing."""
    await discord.do("PUT", "/channels/{}/messages/pins/{}", channel_id, message_id, reason=audit_reason)
    return {"pinned": True, "channel_id": channel_id, "message_id": message_id}


@tools.tool(
    Effect.UPDATE,
    say="Unpinned message {message_id} in <#{channel_id}>.",
    facts=needs("VIEW_CHANNEL", "PIN_MESSAGES"),
)
async def messages_unpin(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, audit_reason: AuditReason | None = None
) -> UnpinnedMessage:
    """Take a message off its channel's pins; the message stays."""
    await discord.do("DELETE", "/channels/{}/messages/pins/{}", channel_id, message_id, reason=audit_reason)
    return {"unpinned": True, "channel_id": channel_id, "message_id": message_id}


@tools.tool(
    Effect.READ,
    say="Pinned messages in <#{channel_id}>, last pinned first: {count}.",
    checks=(one_place,),
    facts=READS_HISTORY,
)
async def messages_list_pins(
    discord: Discord,
    channel_id: ChannelId,
    limit: Annotated[int, Field(minimum=1, maximum=50)] = 50,
    before: Annotated[Moment, Field(description="those pinned before")] | None = None,
    cursor: Cursor | None = None,
) -> Pins:
    """List a channel's pinned messages, the last pinned first."""
    query = {"limit": limit, "before": before, **place_of(cursor, "time")}
    sent_page = await discord.get("/channels/{}/messages/pins", channel_id, into=PinsObject, query=query)
    items = sent_page["items"]
    ahead = goes_on("before", [row["pinned_at"] for row in items], has_more=sent_page["has_more"])
    return pins(items, channel_id, discord.bot_id, ahead)


@tools.tool(
    Effect.CREATE,
    say="Opened thread <#{thread_id}>.",
    facts=needs("VIEW_CHANNEL", "CREATE_PUBLIC_THREADS", "READ_MESSAGE_HISTORY"),
)
async def messages_create_thread(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, **thread: Unpack[ThreadFromMessage]
) -> ThreadBegun:
    """Open a public thread at a message of a text or announcement channel."""
    body, reason = given(thread)
    made = await discord.post(
        "/channels/{}/messages/{}/threads", channel_id, message_id, into=Wire, body=body, reason=reason
    )
    return thread_begun(made)


@tools.tool(
    Effect.READ,
    say="Found {count} of {scanned_count} messages looked at in <#{channel_id}>.",
    checks=(one_place,),
    facts=READS_HISTORY,
)
async def messages_search_recent(
    discord: Discord,
    channel_id: ChannelId,
    query: Annotated[str, Field(min_length=1, max_length=200, description="text to find, in any case")],
    limit: Annotated[int, Field(minimum=1, maximum=100, description="how many messages to look at")] = 100,
    before: MessagePlace | None = None,
    after: MessagePlace | None = None,
    cursor: Cursor | None = None,
) -> Matches:
    """Look for a text in one page of a channel's history. What is not found may be older: go on with cursor.

    messages_search covers a whole guild.
    """
    place = {"before": before, "after": after, **place_of(cursor)}
    page = await discord.get(
        "/channels/{}/messages", channel_id, into=list[MessageObject], query={"limit": limit, **place}
    )
    ahead = onward(page, "after" if place["after"] else "before", full=limit)
    return matches(page, query, channel_id, discord.bot_id, ahead)


@tools.tool(
    Effect.READ,
    say="Messages that fit: {total}, on this page: {count}.",
    checks=(one_place,),
    facts=needs("READ_MESSAGE_HISTORY", intents=("MESSAGE_CONTENT",)),
)
async def messages_search(
    discord: Discord,
    guild_id: GuildId,
    limit: Annotated[int, Field(minimum=1, maximum=25)] = 25,
    offset: Annotated[int, Field(minimum=0, maximum=LAST_OFFSET)] = 0,
    cursor: Cursor | None = None,
    **filters: Unpack[SearchFilters],
) -> FoundMessages:
    """Search a whole guild's messages by words, authors, channels, dates and more; newest first unless sorted.

    For the next page repeat the call with next_cursor as cursor. Beyond 10000 hits narrow it by date.
    """
    first = int(place_of(cursor, "offset").get("offset", offset))
    query = {**search_query(filters), "limit": limit, "offset": first}
    found = await once_indexed(
        discord,
        lambda: discord.get("/guilds/{}/messages/search", guild_id, into=SearchObject, query=query),
    )
    following = first + limit
    ahead = goes_on("offset", [following], has_more=following < min(found["total_results"], LAST_OFFSET + 1))
    return found_messages(found, guild_id, discord.bot_id, ahead)


@tools.tool(
    Effect.READ,
    say="Attachment {attachment_id} of message {message_id}: {shown}.",
    facts=READS_HISTORY,
)
async def messages_get_attachment(
    discord: Discord, channel_id: ChannelId, message_id: MessageId, attachment_id: AttachmentId
) -> WithBlocks[FetchedAttachment]:
    """Look at a file of a message: pictures come as images, texts as text; of others only what they are."""
    sent_one = await discord.get("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject)
    file = attachment_of(sent_one, attachment_id)
    look = await looked_at(discord, file)
    return WithBlocks(fetched_attachment(sent_one, file, look.facts), look.blocks)
