"""Searching a guild's messages."""

# The parameters: https://discord.com/developers/docs/resources/message#search-guild-messages

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, payloads, permissions
from accord.discord.sandbox.forms import integer, one_of, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from accord.discord.sandbox.world import Channel, JsonObject, Message

MOST_FOUND = 25
LAST_OFFSET = 9975
HAS: Mapping[str, Callable[[Message], bool]] = {
    "link": lambda message: "https://" in message.content or "http://" in message.content,
    "embed": lambda message: bool(message.embeds),
    "file": lambda message: bool(message.attachments),
    "image": lambda message: any(each["content_type"].startswith("image/") for each in message.attachments),
    "poll": lambda message: message.poll is not None,
    "sticker": lambda message: bool(message.sticker_ids),
}


def search_messages(call: Call, guild_id: str) -> JsonObject:
    """Messages in channels that the bot can read, newest first unless asked otherwise, each in a list of its own."""
    guild = access.guild(call.world, guild_id, permissions.READ_MESSAGE_HISTORY)
    asked = call.asked(
        content=text(1024), min_id=snowflake, max_id=snowflake, pinned=truth, limit=integer(1, MOST_FOUND),
        offset=integer(0, LAST_OFFSET), sort_by=one_of("timestamp", "relevance"), sort_order=one_of("asc", "desc"),
    )  # fmt: skip
    fits = _filter(call, asked)
    every = [each for each in call.world.channels.values() if each.guild_id == guild.id]
    readable = [each for each in every if access.may(call.world, each, permissions.READ_MESSAGE_HISTORY)]
    found = [(channel, one) for channel in readable for one in channel.messages.values() if fits(channel, one)]
    found.sort(key=lambda pair: int(pair[1].id), reverse=asked.get("sort_order") != "asc")
    first = asked.get("offset", 0)
    page = found[first : first + asked.get("limit", MOST_FOUND)]
    return {
        "messages": [[payloads.message(call.world, channel, one) | {"hit": True}] for channel, one in page],
        "total_results": len(found),
        "doing_deep_historical_index": False,
    }


def _filter(call: Call, asked: JsonObject) -> Callable[[Channel, Message], bool]:
    words = asked.get("content", "").casefold().split()
    authors, channels = call.asked_all("author_id", snowflake), call.asked_all("channel_id", snowflake)
    mentioned = call.asked_all("mentions", snowflake)
    has = call.asked_all("has", one_of(*HAS))

    def fits(channel: Channel, one: Message) -> bool:
        return (
            all(word in one.content.casefold() for word in words)
            and (not authors or one.author_id in authors)
            and (not channels or channel.id in channels)
            and (not mentioned or not set(mentioned).isdisjoint(one.mentions))
            and all(HAS[name](one) for name in has)
            and int(asked.get("min_id", 0)) <= int(one.id) <= int(asked.get("max_id", one.id))
            and asked.get("pinned", one.id in channel.pins) == (one.id in channel.pins)
        )

    return fits


ROUTES = (Route("GET", "/guilds/{guild_id}/messages/search", search_messages),)
