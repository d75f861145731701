"""Polls: who voted for an answer, and ending one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, integer, snowflake
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Message, pointing_at

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Channel, JsonObject

POLL_RESULT = 46
MOST_VOTERS, USUAL_VOTERS = 100, 25
MOST_ANSWERS = 10


def list_voters(call: Call, channel_id: str, message_id: str, answer: str) -> JsonObject:
    """Who voted for an answer, in the order of user ids."""
    _channel, message = _with_poll(call, channel_id, message_id)
    complaints = Complaints()
    number = integer(1, MOST_ANSWERS)(answer, complaints.at("answer_id"))
    complaints.settle()
    asked = call.asked(after=snowflake, limit=integer(1, MOST_VOTERS))
    voters = sorted((each for each in message.votes.get(number, ()) if int(each) > int(asked.get("after", 0))), key=int)
    shown = voters[: asked.get("limit", USUAL_VOTERS)]
    return {"users": [payloads.user(call.world.users[each]) for each in shown]}


def end_poll(call: Call, channel_id: str, message_id: str) -> JsonObject:
    """End one of the bot's own polls; the channel shows a message with its result."""
    channel, message = _with_poll(call, channel_id, message_id)
    if message.author_id != call.world.me.id:
        raise Refused(codes.NOT_YOUR_MESSAGE)
    if message.poll is None or message.poll["expiry"] <= call.world.now():
        raise Refused(codes.POLL_EXPIRED)
    message.poll = message.poll | {"expiry": call.world.now(), "results": {"is_finalized": True}}
    reference = pointing_at(channel, message_id)
    channel.add(Message(call.world.new_id(), channel_id, message.author_id, type=POLL_RESULT, reference=reference))
    return payloads.message(call.world, channel, message)


def _with_poll(call: Call, channel_id: str, message_id: str) -> tuple[Channel, Message]:
    channel = access.channel(call.world, channel_id, permissions.READ_MESSAGE_HISTORY)
    message = access.message(channel, message_id)
    if message.poll is None:
        raise Refused(codes.NO_POLL)
    return channel, message


ROUTES = (
    Route("GET", "/channels/{channel_id}/polls/{message_id}/answers/{answer}", list_voters),
    Route("POST", "/channels/{channel_id}/polls/{message_id}/expire", end_poll),
)
