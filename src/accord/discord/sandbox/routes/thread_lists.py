"""Threads in lists: archived ones, page by page, and those that a search finds."""

# The rules: https://discord.com/developers/docs/resources/channel#list-public-archived-threads

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, payloads, permissions
from accord.discord.sandbox.channel_settings import FORUM, PRIVATE_THREAD
from accord.discord.sandbox.forms import integer, moment, one_of, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.discord.sandbox.world import Channel, JsonObject, Thread

MOST_ARCHIVED = 100
MOST_FOUND = 25
LAST_OFFSET = 9975
ALL, SOME = "match_all", "match_some"
_limit = integer(2, MOST_ARCHIVED)


def public_archived(call: Call, channel_id: str) -> JsonObject:
    """A channel's archived public threads, last archived first."""
    return _archived(call, channel_id, permissions.READ_MESSAGE_HISTORY, private=False)


def private_archived(call: Call, channel_id: str) -> JsonObject:
    """A channel's archived private threads, for moderators, last archived first."""
    return _archived(call, channel_id, permissions.READ_MESSAGE_HISTORY | permissions.MANAGE_THREADS, private=True)


def _archived(call: Call, channel_id: str, needs: int, *, private: bool) -> JsonObject:
    _guild, channel = access.guild_channel(call.world, channel_id, needs)
    asked = call.asked(before=moment, limit=_limit)
    fitting = [
        each
        for each, thread in _threads_of(call, channel)
        if thread.metadata["archived"] and (each.type == PRIVATE_THREAD) == private
    ]
    fitting.sort(key=_archived_at, reverse=True)
    before = asked.get("before", "~")
    return _page(call, [each for each in fitting if _archived_at(each) < before], asked.get("limit", 50))


def joined_archived(call: Call, channel_id: str) -> JsonObject:
    """A channel's archived private threads that the bot is in, newest first."""
    _guild, channel = access.guild_channel(call.world, channel_id, permissions.READ_MESSAGE_HISTORY)
    asked = call.asked(before=snowflake, limit=_limit)
    fitting = [
        each
        for each, thread in _threads_of(call, channel)
        if thread.metadata["archived"] and each.type == PRIVATE_THREAD and call.world.me.id in thread.members
    ]
    fitting.sort(key=lambda each: int(each.id), reverse=True)
    before = int(asked.get("before", 2**64))
    return _page(call, [each for each in fitting if int(each.id) < before], asked.get("limit", 50))


def search_threads(call: Call, channel_id: str) -> JsonObject:
    """The threads of a channel that fit, with the messages that they began with."""
    _guild, channel = access.guild_channel(call.world, channel_id, permissions.READ_MESSAGE_HISTORY)
    asked = call.asked(
        name=text(100), slop=integer(0, 100), min_id=snowflake, max_id=snowflake, tag_setting=one_of(ALL, SOME),
        archived=truth, sort_by=one_of("relevance", "creation_time", "last_message_time", "archive_time"),
        sort_order=one_of("asc", "desc"), limit=integer(1, MOST_FOUND), offset=integer(0, LAST_OFFSET),
    )  # fmt: skip
    tags = set(call.asked_all("tag", snowflake))
    found = [each for each, thread in _threads_of(call, channel) if _fits(each, thread, asked, tags)]
    found.sort(key=_order(asked.get("sort_by", "last_message_time")), reverse=asked.get("sort_order") != "asc")
    first = asked.get("offset", 0)
    page = _page(call, found[first:], asked.get("limit", MOST_FOUND))
    began = [call.world.channels[each["id"]] for each in page["threads"]]
    firsts = [payloads.message(call.world, each, each.messages[each.id]) for each in began if each.id in each.messages]
    shown = firsts if channel.type == FORUM else []
    return page | {"total_results": len(found), "first_messages": shown}


def _fits(channel: Channel, thread: Thread, asked: JsonObject, tags: set[str]) -> bool:
    words = asked.get("name", "").casefold().split()
    given = tags & set(thread.applied_tags)
    return (
        all(word in channel.name.casefold() for word in words)
        and (not tags or (given == tags if asked.get("tag_setting") == ALL else bool(given)))
        and asked.get("archived", thread.metadata["archived"]) == thread.metadata["archived"]
        and int(asked.get("min_id", 0)) <= int(channel.id) <= int(asked.get("max_id", channel.id))
    )


def _order(sort_by: str) -> Callable[[Channel], int | str]:
    if sort_by == "archive_time":
        return _archived_at
    if sort_by == "last_message_time":
        return lambda each: int(each.last_message_id or each.id)
    return lambda each: int(each.id)


def _archived_at(channel: Channel) -> str:
    return str(channel.thread.metadata["archive_timestamp"]) if channel.thread else ""


def _threads_of(call: Call, channel: Channel) -> list[tuple[Channel, Thread]]:
    """The threads of a channel that the bot can see."""
    every = [each for each in call.world.threads_of(str(channel.guild_id)) if each.parent_id == channel.id]
    return [
        (each, each.thread)
        for each in every
        if each.thread is not None and access.may(call.world, each, permissions.VIEW_CHANNEL)
    ]


def _page(call: Call, fitting: list[Channel], limit: int) -> JsonObject:
    threads = [payloads.thread(call.world, each) for each in fitting[:limit]]
    joined = [each["member"] for each in threads if "member" in each]
    return {"threads": threads, "members": joined, "has_more": len(fitting) > limit}


ROUTES = (
    Route("GET", "/channels/{channel_id}/threads/archived/public", public_archived),
    Route("GET", "/channels/{channel_id}/threads/archived/private", private_archived),
    Route("GET", "/channels/{channel_id}/users/@me/threads/archived/private", joined_archived),
    Route("GET", "/channels/{channel_id}/threads/search", search_threads),
)
