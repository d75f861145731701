"""The pinned messages of a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import integer, moment
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Channel, Message, pointing_at

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

MOST_PINS = 250
MOST_SHOWN = 50
PINNED_MESSAGE = 6


def list_pins(call: Call, channel_id: str) -> JsonObject:
    """Pinned messages, the last pinned first, those pinned before a time if asked for."""
    channel = access.channel(call.world, channel_id, permissions.READ_MESSAGE_HISTORY)
    asked = call.asked(before=moment, limit=integer(1, MOST_SHOWN))
    limit = asked.get("limit", MOST_SHOWN)
    newest_first = sorted(channel.pins.items(), key=lambda pin: pin[1], reverse=True)
    fitting = [pin for pin in newest_first if pin[1] < asked.get("before", "~")]
    return {
        "items": [
            {"pinned_at": when, "message": payloads.message(call.world, channel, channel.messages[message_id])}
            for message_id, when in fitting[:limit]
        ],
        "has_more": len(fitting) > limit,
    }


def pin_message(call: Call, channel_id: str, message_id: str) -> None:
    """Pin a message; the channel shows a system message that says so."""
    channel = access.channel(call.world, channel_id, permissions.PIN_MESSAGES)
    access.message(channel, message_id)
    access.open_for_changes(channel)
    if message_id in channel.pins:
        return
    if len(channel.pins) >= MOST_PINS:
        raise Refused(codes.MAXIMUM_PINS)
    channel.pins[message_id] = call.world.now()
    reference = pointing_at(channel, message_id)
    channel.add(Message(call.world.new_id(), channel.id, call.world.me.id, type=PINNED_MESSAGE, reference=reference))
    _record(call, Deed.MESSAGE_PIN, channel, message_id)


def unpin_message(call: Call, channel_id: str, message_id: str) -> None:
    """Take a message off the pins."""
    channel = access.channel(call.world, channel_id, permissions.PIN_MESSAGES)
    access.message(channel, message_id)
    access.open_for_changes(channel)
    if channel.pins.pop(message_id, None) is not None:
        _record(call, Deed.MESSAGE_UNPIN, channel, message_id)


def _record(call: Call, deed: Deed, channel: Channel, message_id: str) -> None:
    if channel.guild_id is None:
        return
    options = {"channel_id": channel.id, "message_id": message_id}
    author_id = channel.messages[message_id].author_id
    call.record(call.world.guilds[channel.guild_id], deed, author_id, options=options)


ROUTES = (
    Route("GET", "/channels/{channel_id}/messages/pins", list_pins),
    Route("PUT", "/channels/{channel_id}/messages/pins/{message_id}", pin_message),
    Route("DELETE", "/channels/{channel_id}/messages/pins/{message_id}", unpin_message),
)
