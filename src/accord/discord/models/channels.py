"""Channels of every kind: text, voice, category, forum, thread, DM."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.values import Page, Timestamp
from accord.engine import Untrusted

__all__ = ["ArchiveMinutes", "Channel", "ChannelObject", "Channels", "ForumTag", "Overwrite", "ThreadMetadata"]

Json: TypeAlias = Any

ArchiveMinutes: TypeAlias = Literal[60, 1440, 4320, 10080]
"""After how many minutes without a message a thread is archived: an hour, a day, three, seven."""


class Overwrite(TypedDict):
    """What a role (type 0) or a member (type 1) may do here beyond the guild's rules; bit sets as decimal strings."""

    id: str
    type: int
    allow: str
    deny: str


class ForumTag(TypedDict):
    """A tag for posts of a forum."""

    id: str
    name: Untrusted
    moderated: bool
    emoji_id: str | None
    emoji_name: Untrusted | None


class ThreadMetadata(TypedDict, total=False):
    """What only a thread has."""

    archived: bool
    archive_timestamp: Timestamp | None
    auto_archive_duration: int
    locked: bool
    invitable: bool
    create_timestamp: Timestamp | None


class ChannelObject(TypedDict):
    """https://discord.com/developers/docs/resources/channel#channel-object. Which fields come depends on the type."""

    id: str
    type: int
    guild_id: NotRequired[str]
    name: NotRequired[str | None]
    position: NotRequired[int]
    parent_id: NotRequired[str | None]
    topic: NotRequired[str | None]
    nsfw: NotRequired[bool]
    rate_limit_per_user: NotRequired[int]
    permission_overwrites: NotRequired[list[dict[str, Json]]]
    bitrate: NotRequired[int]
    user_limit: NotRequired[int]
    last_message_id: NotRequired[str | None]
    owner_id: NotRequired[str]
    flags: NotRequired[int]
    available_tags: NotRequired[list[dict[str, Json]]]
    applied_tags: NotRequired[list[str]]
    thread_metadata: NotRequired[dict[str, Json]]
    message_count: NotRequired[int]
    member_count: NotRequired[int]
    default_auto_archive_duration: NotRequired[int]


class Channel(TypedDict):
    """One channel; `name` is null for DMs, and fields that its type does not have are left out."""

    id: str
    name: Untrusted | None
    type: int
    nsfw: bool
    topic: Untrusted | None
    rate_limit_per_user: int
    parent_id: str | None
    position: NotRequired[int]
    guild_id: NotRequired[str]
    permission_overwrites: NotRequired[list[Overwrite]]
    bitrate: NotRequired[int]
    user_limit: NotRequired[int]
    last_message_id: NotRequired[str | None]
    owner_id: NotRequired[str]
    flags: NotRequired[int]
    available_tags: NotRequired[list[ForumTag]]
    applied_tags: NotRequired[list[str]]
    thread_metadata: NotRequired[ThreadMetadata]
    message_count: NotRequired[int]
    member_count: NotRequired[int]
    default_auto_archive_duration: NotRequired[int]


class Channels(Page):
    """The channels of a guild, threads apart."""

    channels: list[Channel]
    count: int
