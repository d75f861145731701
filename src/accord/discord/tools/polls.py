"""polls: who voted, and ending one."""

from __future__ import annotations

from typing import Annotated

from accord.discord.access import needs
from accord.discord.conditions import always
from accord.discord.gates import CONSENT
from accord.discord.models.ids import ChannelId, MessageId, UserId
from accord.discord.models.messages import MessageObject
from accord.discord.models.polls import AnswerId, PollEnded, Voters, VotersObject
from accord.discord.models.users import Account
from accord.discord.models.values import Cursor
from accord.discord.pages import onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.rest.codes import POLL_EXPIRED
from accord.discord.rest.errors import code_of
from accord.discord.results.picking import each_picked
from accord.discord.results.polls import poll_ended
from accord.discord.rules import one_place
from accord.engine import Effect, Field, ToolError, Toolset

tools = Toolset("polls", fence="untrusted_discord")


@tools.tool(
    Effect.READ,
    say="Votes for answer {answer_id} of message {message_id}, on this page: {count}.",
    checks=(one_place,),
    facts=needs("VIEW_CHANNEL", "READ_MESSAGE_HISTORY"),
)
async def polls_get_voters(
    discord: Discord,
    channel_id: ChannelId,
    message_id: MessageId,
    answer_id: AnswerId,
    after: UserId | None = None,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 25,
    cursor: Cursor | None = None,
) -> Voters:
    """List who voted for one answer of a poll, ordered by user id."""
    query = {"after": after, "limit": limit, **place_of(cursor)}
    sent = await discord.get(
        "/channels/{}/polls/{}/answers/{}", channel_id, message_id, answer_id, into=VotersObject, query=query
    )
    users = sent["users"]
    names = "\n".join(user["username"] for user in users)
    ahead = onward(users, "after", full=limit)
    return {"voters": each_picked(Account, users), "count": len(users), "untrusted_text": names, **ahead}


@tools.tool(
    Effect.UPDATE,
    say="Ended the poll of message {message_id}.",
    facts=needs("VIEW_CHANNEL"),
    confirm_when=always("the poll ends for good"),
    reserved=CONSENT,
)
async def polls_end(discord: Discord, channel_id: ChannelId, message_id: MessageId) -> PollEnded:
    """End one of the bot's own polls now, for good. One that has ended stays as it is."""
    try:
        sent = await discord.post(
            "/channels/{}/polls/{}/expire", channel_id, message_id, into=MessageObject, idempotent=True
        )
    except ToolError as refusal:
        if code_of(refusal) != POLL_EXPIRED:
            raise
        sent = await discord.get("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject)
    return poll_ended(sent)
