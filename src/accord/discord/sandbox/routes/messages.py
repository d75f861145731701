"""Messages: reading, sending, editing and deleting them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.channel_settings import ANNOUNCEMENT, DIRECT_MESSAGE, WITHOUT_MESSAGES
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content.composing import SUPPRESS_EMBEDS, composed, edit, post
from accord.discord.sandbox.content.message_form import changed_message
from accord.discord.sandbox.forms import Complaints, form, integer, listed, read, snowflake
from accord.discord.sandbox.snowflakes import created_at
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Channel, JsonObject, Message

CROSSPOSTED = 1 << 0
MOST_MESSAGES, USUAL_MESSAGES = 100, 50
BULK_DELETE_SECONDS = 14 * 24 * 60 * 60
ORDINARY_TYPES = (0, 19, 20, 23)  # the types that Discord lets their author change
UNDELETABLE_TYPES = (1, 2, 3, 4, 5, 14, 15, 16, 17, 21)
_several = form({"messages": listed(snowflake, most=100, least=2)}, required=("messages",))


def list_messages(call: Call, channel_id: str) -> list[JsonObject]:
    """A page of a channel, newest first; empty without the right to read history."""
    channel = _with_messages(call, channel_id)
    asked = call.asked(limit=integer(1, MOST_MESSAGES), before=snowflake, after=snowflake, around=snowflake)
    if not access.may(call.world, channel, permissions.READ_MESSAGE_HISTORY):
        return []
    page = _page(list(channel.messages.values()), asked)
    return [payloads.message(call.world, channel, each) for each in reversed(page)]


def _page(messages: list[Message], asked: JsonObject) -> list[Message]:
    """The asked part of messages that are in order of age, still in that order."""
    limit = asked.get("limit", USUAL_MESSAGES)
    if "around" in asked:
        middle = int(asked["around"])
        older = [each for each in messages if int(each.id) <= middle][-(limit // 2 + 1) :]
        newer = [each for each in messages if int(each.id) > middle]
        return (older + newer)[:limit]
    if "before" in asked:
        return [each for each in messages if int(each.id) < int(asked["before"])][-limit:]
    if "after" in asked:
        return [each for each in messages if int(each.id) > int(asked["after"])][:limit]
    return messages[-limit:]


def _with_messages(call: Call, channel_id: str, needs: int = 0) -> Channel:
    channel = access.channel(call.world, channel_id, needs)
    if channel.type in WITHOUT_MESSAGES:
        raise Refused(codes.NOT_A_TEXT_CHANNEL)
    return channel


def get_message(call: Call, channel_id: str, message_id: str) -> JsonObject:
    """One message."""
    channel = _with_messages(call, channel_id, permissions.READ_MESSAGE_HISTORY)
    return payloads.message(call.world, channel, access.message(channel, message_id))


def create_message(call: Call, channel_id: str) -> JsonObject:
    """Send a message; one with an enforced nonce that was sent before is given back instead."""
    channel = _with_messages(call, channel_id, permissions.SEND_MESSAGES)
    _check_reaches(call, channel)
    message = composed(call, channel, call.body)
    if message.nonce is None or not call.body.get("enforce_nonce"):
        return payloads.message(call.world, channel, post(call, channel, message))
    earlier = call.world.sent_before(channel, message.nonce)
    if earlier is None:
        call.world.remember_nonce(post(call, channel, message))
    return payloads.message(call.world, channel, earlier or message)


def _check_reaches(call: Call, channel: Channel) -> None:
    """A locked thread needs a moderator, a person can refuse direct messages, and a sent message wakes a thread."""
    if channel.type == DIRECT_MESSAGE and not call.world.users[str(channel.recipient_id)].accepts_direct_messages:
        raise Refused(codes.CANNOT_DM)
    if channel.thread is None:
        return
    if channel.thread.metadata["locked"] and not access.may(call.world, channel, permissions.MANAGE_THREADS):
        raise Refused(codes.THREAD_LOCKED)
    channel.thread.metadata["archived"] = False


def edit_message(call: Call, channel_id: str, message_id: str) -> JsonObject:
    """Edit the bot's own message; of another's only the embeds can be hidden, by a moderator."""
    channel = _with_messages(call, channel_id)
    message = access.message(channel, message_id)
    access.open_for_changes(channel)
    if message.author_id != call.world.me.id:
        _edit_flags_only(call, channel, message)
    elif message.type not in ORDINARY_TYPES:
        raise Refused(codes.SYSTEM_MESSAGE)
    else:
        edit(call, channel, message, call.body)
    return payloads.message(call.world, channel, channel.messages[message_id])


def _edit_flags_only(call: Call, channel: Channel, message: Message) -> None:
    fields = changed_message(call.body, message.flags)
    if set(fields) != {"flags"} or not access.may(call.world, channel, permissions.MANAGE_MESSAGES):
        raise Refused(codes.NOT_YOUR_MESSAGE)
    hidden = (fields["flags"] or 0) & SUPPRESS_EMBEDS
    channel.messages[message.id] = replace(message, flags=message.flags & ~SUPPRESS_EMBEDS | hidden)


def delete_message(call: Call, channel_id: str, message_id: str) -> None:
    """Delete a message; another's needs the right to manage messages, and is logged."""
    channel = _with_messages(call, channel_id)
    message = access.message(channel, message_id)
    access.open_for_changes(channel)
    if message.type in UNDELETABLE_TYPES:
        raise Refused(codes.SYSTEM_MESSAGE)
    if message.author_id != call.world.me.id:
        guild, channel = access.guild_channel(call.world, channel_id, permissions.MANAGE_MESSAGES)
        call.record(guild, Deed.MESSAGE_DELETE, message.author_id, options={"channel_id": channel.id, "count": "1"})
    _remove(channel, message_id)


def delete_messages(call: Call, channel_id: str) -> None:
    """Delete 2 to 100 messages, none of them older than 14 days; unknown ids are passed over."""
    guild, channel = access.guild_channel(call.world, channel_id, permissions.MANAGE_MESSAGES)
    ids = read(_several, call.body)["messages"]
    _check_distinct(ids)
    if any(created_at(each) < call.world.clock() - BULK_DELETE_SECONDS for each in ids):
        raise Refused(codes.TOO_OLD_TO_BULK_DELETE)
    found = [each for each in ids if each in channel.messages]
    for each in found:
        _remove(channel, each)
    call.record(guild, Deed.MESSAGE_BULK_DELETE, channel.id, options={"count": str(len(found))})


def crosspost_message(call: Call, channel_id: str, message_id: str) -> JsonObject:
    """Publish a message of an announcement channel, once; another's needs the right to manage messages."""
    channel = _with_messages(call, channel_id, permissions.SEND_MESSAGES)
    message = access.message(channel, message_id)
    if channel.type != ANNOUNCEMENT:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    if message.author_id != call.world.me.id:
        access.channel(call.world, channel_id, permissions.MANAGE_MESSAGES)
    if message.flags & CROSSPOSTED:
        raise Refused(codes.ALREADY_CROSSPOSTED)
    message.flags |= CROSSPOSTED
    return payloads.message(call.world, channel, message)


def _check_distinct(ids: list[str]) -> None:
    complaints = Complaints()
    if len(set(ids)) < len(ids):
        complaints.at("messages").say("SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
    complaints.settle()


def _remove(channel: Channel, message_id: str) -> None:
    del channel.messages[message_id]
    channel.pins.pop(message_id, None)


ROUTES = (
    Route("GET", "/channels/{channel_id}/messages", list_messages),
    Route("POST", "/channels/{channel_id}/messages", create_message),
    Route("GET", "/channels/{channel_id}/messages/{message_id}", get_message),
    Route("PATCH", "/channels/{channel_id}/messages/{message_id}", edit_message),
    Route("DELETE", "/channels/{channel_id}/messages/{message_id}", delete_message),
    Route("POST", "/channels/{channel_id}/messages/bulk-delete", delete_messages),
    Route("POST", "/channels/{channel_id}/messages/{message_id}/crosspost", crosspost_message),
)
