"""Threads as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from accord.discord.models.messages import MessageObject
from accord.discord.models.threads import (
    ArchivedThreads,
    FirstMessage,
    FoundThreads,
    PostCreated,
    Thread,
    ThreadMember,
    ThreadMembers,
)
from accord.discord.models.values import Page, Wire
from accord.discord.pages import goes_on
from accord.discord.results.members import member
from accord.discord.results.messages import ids_of, jump_url
from accord.discord.results.picking import each_picked, picked

__all__ = ["archived_threads", "found_threads", "post_created", "thread", "thread_member", "thread_members", "threads"]

Json: TypeAlias = Any


def thread(sent: Wire, *, joined: bool | None = None) -> Thread:
    """Return one thread, what its metadata says among the rest."""
    flat = {**sent, **sent.get("thread_metadata", {})}
    flat |= {"archived": flat.get("archived", False), "locked": flat.get("locked", False)}
    return picked(Thread, flat, joined="member" in sent if joined is None else joined)


def threads(sent: Wire) -> list[Thread]:
    """Return the threads of a list; who of them the bot is in, Discord says beside it."""
    joined = {one.get("id") for one in sent.get("members", ())}
    return [thread(one, joined=one["id"] in joined) for one in sent["threads"]]


def archived_threads(sent: Wire, channel_id: str, *, by_id: bool = False) -> ArchivedThreads:
    """Return a page of archived threads, which goes on before the last one's id, or the moment of its archiving."""
    shown = threads(sent)
    places = [one["id"] if by_id else one["archive_timestamp"] or "" for one in shown]
    onward = goes_on("before", places, has_more=sent.get("has_more", False))
    return {"threads": shown, "count": len(shown), "channel_id": channel_id, **onward}


def found_threads(sent: Wire, onward: Page) -> FoundThreads:
    """Return a page of found threads. One may hold fewer than were asked for, and still not be the last."""
    shown = threads(sent)
    return {
        "items": shown,
        "count": len(shown),
        "total_results": sent.get("total_results", len(shown)),
        "first_messages": each_picked(FirstMessage, sent.get("first_messages", ())),
        **onward,
    }


def post_created(sent: Wire, more: Sequence[MessageObject] = ()) -> PostCreated:
    """Return a new post, and `more` that holds the rest of its text.

    Its first message has its id, which Discord's answer does not always repeat.
    """
    guild_id, post_id = sent.get("guild_id"), sent["id"]
    message_id = sent.get("message", sent)["id"]
    shown: dict[str, Json] = {
        "thread_id": post_id,
        "parent_id": sent.get("parent_id"),
        "message_id": message_id,
        "guild_id": guild_id,
        "jump_url": jump_url(guild_id, post_id, message_id) if guild_id else None,
        "applied_tags": sent.get("applied_tags", []),
        **ids_of([message_id, *(one["id"] for one in more)]),
    }
    return cast("PostCreated", shown)


def thread_member(sent: Mapping[str, Json], thread_id: str) -> ThreadMember:
    """Return who is in a thread."""
    shown: ThreadMember = {
        "thread_id": str(thread_id),
        "user_id": sent["user_id"],
        "join_timestamp": sent.get("join_timestamp"),
        "flags": sent.get("flags"),
    }
    if found := sent.get("member"):
        shown["member"] = member(found, datetime.now(UTC))
    return shown


def thread_members(sent: list[Wire], thread_id: str, *, full: int | None) -> ThreadMembers:
    """Return who is in a thread: a page where `full` is its size, else all of them."""
    shown = [thread_member(one, thread_id) for one in sent]
    places = sorted((one["user_id"] for one in shown), key=int)
    onward = goes_on("after", places, has_more=full is not None and len(shown) >= full)
    return {"members": shown, "count": len(shown), "thread_id": thread_id, **onward}
