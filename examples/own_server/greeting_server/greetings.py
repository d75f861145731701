"""greetings: look at a channel, welcome a member in it, and take the welcome back."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from accord.discord import ChannelId, Discord, MessageId, UserId, define_tool
from accord.engine import Context, Effect, Field, Toolset, Untrusted

greetings = Toolset("greetings", fence="untrusted_discord")


class Posted(TypedDict):
    """What is read of Discord's message object."""

    id: str


class Welcomed(TypedDict):
    """A sent welcome."""

    message_id: str
    channel_id: str


class Withdrawn(TypedDict):
    """A deleted welcome."""

    withdrawn: bool
    message_id: str


class Description(TypedDict):
    """A channel in one line, with words that others wrote."""

    summary: Untrusted


class Place(TypedDict):
    """Which channel to describe."""

    channel_id: ChannelId


@greetings.tool(Effect.CREATE, say="Welcomed <@{user_id}> with message {message_id}.")
async def greetings_welcome(
    discord: Discord,
    channel_id: ChannelId,
    user_id: UserId,
    words: Annotated[str, Field(max_length=200, description="What follows the name")] = "Welcome!",
) -> Welcomed:
    """Greet a new member in a channel. It pings that member and nobody else. For other messages use messages_send."""
    body = {"content": f"<@{user_id}> {words}", "allowed_mentions": {"users": [user_id]}}
    posted = await discord.post("/channels/{}/messages", channel_id, into=Posted, body=body)
    return {"message_id": posted["id"], "channel_id": channel_id}


@greetings.tool(Effect.DELETE, say="Withdrew welcome {message_id}.")
async def greetings_withdraw(discord: Discord, channel_id: ChannelId, message_id: MessageId) -> Withdrawn:
    """Delete a welcome for good, given its channel and message id."""
    await discord.do("DELETE", "/channels/{}/messages/{}", channel_id, message_id)
    return {"withdrawn": True, "message_id": message_id}


async def _describe(args: dict[str, Any], context: Context) -> Description:
    channel = await context.invoke("channels_get", {"channel_id": args["channel_id"]})
    return {"summary": f"#{channel['name']}: {channel['topic'] or 'no topic'}"}


greetings_describe = define_tool(
    name="greetings_describe",
    description="Describe a channel in one line before greeting in it. For everything about it use channels_get.",
    category=greetings.category,
    input_schema=Place,
    output_schema=Description,
    annotations={"readOnly": True, "openWorld": True},
    idempotent=True,
    handler=_describe,
)
