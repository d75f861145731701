"""Searching a guild's messages."""

# The parameters: https://discord.com/developers/docs/resources/message#search-guild-messages

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from accord.discord.sandbox import access, payloads, permissions
from accord.discord.sandbox.forms import integer, one_of, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from accord.discord.sandbox.world import Channel, JsonObject, Message

MOST_FOUND = 25
LAST_OFFSET = 9975


def _is_of(kind: str) -> Callable[[Message], bool]:
    return lambda message: any(each["content_type"].startswith(kind) for each in message.attachments)


HAS: Mapping[str, Callable[[Message], bool]] = {
    "link": lambda message: any(_addresses(message)),
    "embed": lambda message: bool(message.embeds),
    "file": lambda message: bool(message.attachments),
    "image": _is_of("image/"),
    "video": _is_of("video/"),
    "sound": _is_of("audio/"),
    "poll": lambda message: message.poll is not None,
    "sticker": lambda message: bool(message.sticker_ids),
    "snapshot": lambda _message: False,  # nobody forwards messages here
}
AUTHORS = ("user", "bot", "webhook")
EMBED_TYPES = ("image", "video", "gif", "sound", "article")


def search_messages(call: Call, guild_id: str) -> JsonObject:
    """Messages in channels that the bot can read, newest first unless asked otherwise, each in a list of its own."""
    guild = access.guild(call.world, guild_id, permissions.READ_MESSAGE_HISTORY)
    asked = call.asked(
        content=text(1024), slop=integer(0, 100), min_id=snowflake, max_id=snowflake, pinned=truth,
        mention_everyone=truth, include_nsfw=truth, limit=integer(1, MOST_FOUND), offset=integer(0, LAST_OFFSET),
        sort_by=one_of("timestamp", "relevance"), sort_order=one_of("asc", "desc"),
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
    """Whether a message fits all that was asked, and one of each list."""
    words = asked.get("content", "").casefold().split()
    channels = call.asked_all("channel_id", snowflake)
    lists = list(_lists(call))

    def fits(channel: Channel, one: Message) -> bool:
        return (
            all(word in one.content.casefold() for word in words)
            and (not channels or channel.id in channels)
            and all(_one_fits(wanted, has(channel, one)) for wanted, has in lists)
            and int(asked.get("min_id", 0)) <= int(one.id) <= int(asked.get("max_id", one.id))
            and asked.get("pinned", one.id in channel.pins) == (one.id in channel.pins)
            and asked.get("mention_everyone", one.mention_everyone) == one.mention_everyone
        )

    return fits


def _one_fits(wanted: tuple[str, ...], has: set[str]) -> bool:
    """Whether one of these is there, and none of those with a hyphen before them."""
    without = {each.removeprefix("-") for each in wanted if each.startswith("-")}
    with_one = {each for each in wanted if not each.startswith("-")}
    return not without & has and (not with_one or bool(with_one & has))


def _lists(call: Call) -> Iterator[tuple[tuple[str, ...], Callable[[Channel, Message], set[str]]]]:
    """What was asked for in lists, each with what a message has of it."""
    users, words = call.world.users, text(1024, least=1)
    rows: Mapping[str, tuple[Any, Callable[[Channel, Message], set[str]]]] = {
        "author_id": (snowflake, lambda _, one: {one.author_id}),
        "author_type": (_or_not(*AUTHORS), lambda _, one: {"bot" if users[one.author_id].bot else "user"}),
        "mentions": (snowflake, lambda _, one: set(one.mentions)),
        "mentions_role_id": (snowflake, lambda _, one: set(one.mention_roles)),
        "replied_to_message_id": (snowflake, lambda _, one: {(one.reference or {}).get("message_id", "")}),
        "replied_to_user_id": (snowflake, _replied_to),
        "has": (_or_not(*HAS), lambda _, one: {name for name, has in HAS.items() if has(one)}),
        "link_hostname": (words, lambda _, one: {urlsplit(each).hostname or "" for each in _addresses(one)}),
        "embed_provider": (words, lambda _, one: {each.get("provider", {}).get("name", "") for each in one.embeds}),
        "embed_type": (one_of(*EMBED_TYPES), lambda _, one: {each.get("type", "") for each in one.embeds}),
        "attachment_filename": (words, lambda _, one: {each["filename"] for each in one.attachments}),
        "attachment_extension": (
            words,
            lambda _, one: {each["filename"].rpartition(".")[2] for each in one.attachments},
        ),
    }
    for name, (check, has) in rows.items():
        if wanted := call.asked_all(name, check):
            yield wanted, has


def _or_not(*names: str) -> Any:
    return one_of(*names, *(f"-{name}" for name in names))


def _replied_to(channel: Channel, one: Message) -> set[str]:
    answered = channel.messages.get((one.reference or {}).get("message_id", ""))
    return {answered.author_id} if answered else set()


def _addresses(message: Message) -> list[str]:
    return [word for word in message.content.split() if word.startswith(("https://", "http://"))]


ROUTES = (Route("GET", "/guilds/{guild_id}/messages/search", search_messages),)
