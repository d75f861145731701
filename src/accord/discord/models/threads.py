"""Threads: conversations beside a channel, and the posts of forums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from accord.discord.models.channels import ArchiveMinutes, ChannelName, SlowMode, TagNames
from accord.discord.models.ids import MessagePlace
from accord.discord.models.members import Member
from accord.discord.models.messages import PostMessage
from accord.discord.models.values import AuditReason, Page, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "ActiveThreads",
    "Added",
    "ArchivedThreads",
    "FoundThreads",
    "Joined",
    "Left",
    "NewPost",
    "NewThread",
    "PostCreated",
    "Removed",
    "Thread",
    "ThreadMember",
    "ThreadMembers",
    "ThreadSearch",
    "only_private_is_closed",
    "pages_with_members",
]

Json: TypeAlias = Any

PRIVATE = 12


class Opening(TypedDict, total=False):
    """What every new thread can be given."""

    name: Required[ChannelName]
    auto_archive_duration: ArchiveMinutes
    rate_limit_per_user: SlowMode
    audit_reason: AuditReason


class NewThread(Opening, total=False):
    """A thread that begins with no message."""

    type: Required[Annotated[Literal[10, 11, 12], Field(description="11 public, 12 private, 10 in news channels")]]
    invitable: Annotated[bool, Field(description="private: whether members may add others")]


class NewPost(Opening, total=False):
    """A post of a forum: a thread that begins with a message."""

    message: Required[
        Annotated[
            PostMessage,
            Field(description="as messages_send takes it, without reply_to, tts and nonce"),
        ]
    ]
    applied_tags: TagNames


class ThreadSearch(TypedDict, total=False):
    """What the threads looked for are like."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    slop: Annotated[int, Field(minimum=0, maximum=100, description="words that may stand between those of name")]
    min_id: Annotated[MessagePlace, Field(description="id or date")]
    max_id: Annotated[MessagePlace, Field(description="id or date")]
    tag: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=50)]],
        Field(min_items=1, max_items=20, description="forum tags, by name or id"),
    ]
    tag_setting: Literal["match_all", "match_some"]
    archived: bool
    sort_by: Literal["relevance", "creation_time", "last_message_time", "archive_time"]
    sort_order: Literal["asc", "desc"]


class Thread(TypedDict):
    """One thread; times in ISO 8601, `joined` is whether the bot is in it."""

    id: str
    name: Untrusted
    type: int
    parent_id: str | None
    owner_id: str | None
    archived: bool
    locked: bool
    archive_timestamp: Timestamp | None
    message_count: NotRequired[int]
    member_count: NotRequired[int]
    last_message_id: NotRequired[str | None]
    applied_tags: NotRequired[list[str]]
    flags: NotRequired[int]
    joined: bool


class ActiveThreads(Page):
    """A guild's threads that are not archived, the newest first."""

    threads: list[Thread]
    count: int
    guild_id: str


class ArchivedThreads(Page):
    """A page of a channel's archived threads."""

    threads: list[Thread]
    count: int
    channel_id: str


class FirstMessage(TypedDict):
    """What a thread began with."""

    id: str
    channel_id: str
    content: Untrusted


class FoundThreads(Page):
    """Threads that were found, and what some of them began with."""

    items: list[Thread]
    count: int
    total_results: int
    first_messages: list[FirstMessage]


class PostCreated(TypedDict):
    """A post that was made, and its first message; `message_ids` are all where its text was split."""

    thread_id: str
    parent_id: str | None
    message_id: str | None
    message_ids: NotRequired[list[str]]
    guild_id: str | None
    jump_url: str | None
    applied_tags: list[str]


class Joined(TypedDict):
    """A thread that the bot is in."""

    joined: bool
    thread_id: str


class Left(TypedDict):
    """A thread that the bot is not in."""

    left: bool
    thread_id: str


class Added(TypedDict):
    """A member who is in the thread."""

    added: bool
    thread_id: str
    user_id: str


class Removed(TypedDict):
    """A member who is not in the thread."""

    removed: bool
    thread_id: str
    user_id: str


class ThreadMember(TypedDict):
    """Who is in a thread, since when; with the guild's member where that was asked for."""

    thread_id: str
    user_id: str
    join_timestamp: Timestamp | None
    flags: int | None
    member: NotRequired[Member]


class ThreadMembers(Page):
    """Who is in a thread."""

    members: list[ThreadMember]
    count: int
    thread_id: str


def only_private_is_closed(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse to say of a public thread whom its members may add: anybody can come in."""
    if "invitable" in arguments and arguments["type"] != PRIVATE:
        yield Issue(path="invitable", message=f"is for private threads, type {PRIVATE}", code="conflict")


def pages_with_members(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a place or a size of a page where Discord sends all at once."""
    for name in ("after", "limit", "cursor"):
        if name in arguments and not arguments.get("with_member"):
            yield Issue(path=name, message="needs with_member: without it all come at once", code="conflict")
