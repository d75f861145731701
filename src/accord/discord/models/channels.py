"""Channels of every kind: text, voice, category, forum, thread, DM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, NotRequired, Required, TypeAlias, TypedDict

from accord.discord.models.ids import ChannelId, EmojiId, ForumTagId, OverwriteId
from accord.discord.models.permissions import PermissionSet
from accord.discord.models.values import AuditReason, Image, Page, Timestamp
from accord.engine import Check, Field, Issue, Untrusted

__all__ = [
    "FORUMS",
    "ArchiveMinutes",
    "Channel",
    "ChannelChanges",
    "ChannelDeleted",
    "ChannelName",
    "ChannelPlace",
    "ChannelWritten",
    "Channels",
    "Followed",
    "ForumTag",
    "Moved",
    "NewChannel",
    "Overwrite",
    "OverwriteDeleted",
    "OverwriteSet",
    "RecipientRemoved",
    "SlowMode",
    "TagNames",
    "Typing",
    "allows_or_denies",
    "each_moves",
    "emoji_is_single",
    "fits_its_kind",
]

Json: TypeAlias = Any

TEXT, VOICE, GROUP_DM, CATEGORY, ANNOUNCEMENT, THREAD = 0, 2, 3, 4, 5, 11
STAGE, DIRECTORY, FORUM, MEDIA = 13, 14, 15, 16
FORUMS: Final = frozenset({FORUM, MEDIA})
"""Types of channels that hold posts alone."""

ChannelName = Annotated[str, Field(min_length=1, max_length=100)]
ArchiveMinutes: TypeAlias = Literal[60, 1440, 4320, 10080]
"""After so many minutes without a message a thread leaves the channel list."""

SlowMode = Annotated[int, Field(minimum=0, maximum=21600, description="seconds between messages of one user")]

TagNames = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=50)]],
    Field(max_items=5, description="forum tags, by name or id"),
]


class NewOverwrite(TypedDict):
    """What a role (type 0) or a member (type 1) may do in the channel."""

    id: OverwriteId
    type: Literal[0, 1]
    allow: NotRequired[PermissionSet]
    deny: NotRequired[PermissionSet]


class TagEmoji(TypedDict, total=False):
    """A guild's own emoji by its id, or a unicode one."""

    emoji_id: EmojiId
    emoji_name: Annotated[str, Field(min_length=1, max_length=100)]


class NewTag(TagEmoji, total=False):
    """A tag for posts of a forum; a moderated one needs MANAGE_THREADS to be given."""

    name: Required[Annotated[str, Field(min_length=1, max_length=20)]]
    moderated: bool


class Tag(NewTag, total=False):
    """A tag that stays, by its id, or a new one."""

    id: ForumTagId


class ChannelFields(TypedDict, total=False):
    """What a guild's channel is made of; which of it a channel has depends on its type."""

    topic: Annotated[str, Field(max_length=4096, description="1024 characters; 4096 in forums")]
    nsfw: bool
    rate_limit_per_user: SlowMode
    bitrate: Annotated[int, Field(minimum=8000)]
    user_limit: Annotated[int, Field(minimum=0, maximum=10_000, description="0 for none; 99 in voice, 10000 on stages")]
    position: Annotated[int, Field(minimum=0)]
    permission_overwrites: Annotated[
        list[NewOverwrite], Field(max_items=100, description="{id, type: 0 role or 1 member, allow, deny}; all of them")
    ]
    parent_id: Annotated[ChannelId, Field(description="category")]
    rtc_region: Annotated[str, Field(min_length=1, max_length=100)]
    video_quality_mode: Literal[1, 2]
    default_auto_archive_duration: ArchiveMinutes
    default_reaction_emoji: Annotated[TagEmoji, Field(description="{emoji_id} or {emoji_name}")]
    default_thread_rate_limit_per_user: Annotated[int, Field(minimum=0, maximum=21600)]
    default_sort_order: Annotated[Literal[0, 1], Field(description="0 activity, 1 creation")]
    default_forum_layout: Annotated[Literal[0, 1, 2], Field(description="1 list, 2 gallery")]
    default_tag_setting: Literal["match_all", "match_some"]
    flags: Annotated[int, Field(minimum=0, description="bit set: 16 tags required, 2 pinned post")]
    audit_reason: AuditReason


class NewChannel(ChannelFields, total=False):
    """A channel to be."""

    name: Required[ChannelName]
    type: Annotated[
        Literal[0, 2, 4, 5, 13, 14, 15], Field(description="0 text, 2 voice, 4 category, 5 news, 13 stage, 15 forum")
    ]
    available_tags: Annotated[list[NewTag], Field(max_items=20, description="{name, moderated, emoji_id, emoji_name}")]


class ChannelChanges(ChannelFields, total=False):
    """What of a channel, a thread or a group DM changes."""

    name: ChannelName
    type: Annotated[Literal[0, 5], Field(description="0 text, 5 news")]
    available_tags: Annotated[
        list[Tag], Field(max_items=20, description="all of them: {id, name, moderated, emoji_id, emoji_name}")
    ]
    archived: bool
    locked: bool
    invitable: bool
    auto_archive_duration: ArchiveMinutes
    applied_tags: TagNames
    icon: Annotated[Image, Field(description="of a group DM")]
    clear: Annotated[
        list[
            Literal[
                "topic",
                "nsfw",
                "rate_limit_per_user",
                "bitrate",
                "user_limit",
                "permission_overwrites",
                "parent_id",
                "rtc_region",
                "video_quality_mode",
                "default_auto_archive_duration",
                "default_reaction_emoji",
                "default_thread_rate_limit_per_user",
                "default_sort_order",
                "default_forum_layout",
                "default_tag_setting",
                "available_tags",
                "applied_tags",
                "icon",
            ]
        ],
        Field(min_items=1, description="what to put back to nothing"),
    ]


class ChannelPlace(TypedDict):
    """Where a channel is to stand: among its like, and in which category."""

    id: ChannelId
    position: NotRequired[Annotated[int, Field(minimum=0)]]
    parent_id: NotRequired[ChannelId]
    lock_permissions: NotRequired[Annotated[bool, Field(description="take the category's overwrites")]]
    clear: NotRequired[Annotated[list[Literal["parent_id"]], Field(min_items=1, max_items=1)]]


# --- What results show ----------------------------------------------------------------------------------------------


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


class DefaultReaction(TypedDict):
    """The emoji that a forum offers for its posts."""

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
    rtc_region: NotRequired[str | None]
    video_quality_mode: NotRequired[int]
    last_message_id: NotRequired[str | None]
    owner_id: NotRequired[str]
    icon: NotRequired[str | None]
    flags: NotRequired[int]
    available_tags: NotRequired[list[ForumTag]]
    applied_tags: NotRequired[list[str]]
    thread_metadata: NotRequired[ThreadMetadata]
    message_count: NotRequired[int]
    member_count: NotRequired[int]
    default_auto_archive_duration: NotRequired[int]
    default_reaction_emoji: NotRequired[DefaultReaction | None]
    default_thread_rate_limit_per_user: NotRequired[int]
    default_sort_order: NotRequired[int | None]
    default_forum_layout: NotRequired[int]
    default_tag_setting: NotRequired[str | None]


class Channels(Page):
    """The channels of a guild, threads apart."""

    channels: list[Channel]
    count: int


class ChannelWritten(TypedDict):
    """A channel that was made or changed; `settings` are those that were written, as they are now."""

    id: str
    name: Untrusted | None
    type: int
    parent_id: str | None
    guild_id: NotRequired[str]
    settings: Annotated[dict[str, Json], Field(untrusted=True)]


class ChannelDeleted(TypedDict):
    """A channel that is gone."""

    deleted: bool
    channel_id: str


class Moved(TypedDict):
    """Channels that were moved."""

    moved: bool
    guild_id: str
    count: int


class OverwriteSet(TypedDict):
    """What a role or a member may do in the channel from now on."""

    updated: bool
    channel_id: str
    overwrite_id: str
    type: int
    allow: str
    deny: str


class OverwriteDeleted(TypedDict):
    """An overwrite that is gone."""

    deleted: bool
    channel_id: str
    overwrite_id: str


class Followed(TypedDict):
    """A channel that is followed, and the webhook by which its messages come."""

    channel_id: str
    webhook_id: str
    webhook_channel_id: str


class Typing(TypedDict):
    """Where the bot is seen typing, for ten seconds."""

    ok: bool
    channel_id: str


# --- Rules between arguments ----------------------------------------------------------------------------------------

EVERY_KIND: Final = frozenset(
    {TEXT, VOICE, GROUP_DM, CATEGORY, ANNOUNCEMENT, THREAD, STAGE, DIRECTORY, FORUM, MEDIA},
)
_LISTED = EVERY_KIND - {GROUP_DM, THREAD}
_SORTED = _LISTED - {CATEGORY, DIRECTORY}
_WRITTEN = frozenset({TEXT, ANNOUNCEMENT}) | FORUMS
_SPOKEN = frozenset({VOICE, STAGE})
_THREADS = frozenset({THREAD})

KINDS_WITH: Final[Mapping[str, frozenset[int]]] = {
    "type": frozenset({TEXT, ANNOUNCEMENT}),
    "position": _LISTED,
    "permission_overwrites": _LISTED,
    "parent_id": _SORTED,
    "nsfw": _SORTED,
    "topic": _WRITTEN,
    "rate_limit_per_user": (_SORTED | _THREADS) - {ANNOUNCEMENT},
    "flags": (_SORTED | _THREADS) - {STAGE},
    "bitrate": _SPOKEN,
    "user_limit": _SPOKEN,
    "rtc_region": _SPOKEN,
    "video_quality_mode": _SPOKEN,
    "default_auto_archive_duration": _WRITTEN,
    "default_thread_rate_limit_per_user": _WRITTEN,
    "available_tags": FORUMS,
    "default_reaction_emoji": FORUMS,
    "default_sort_order": FORUMS,
    "default_forum_layout": FORUMS,
    "default_tag_setting": FORUMS,
    "archived": _THREADS,
    "locked": _THREADS,
    "invitable": _THREADS,
    "auto_archive_duration": _THREADS,
    "applied_tags": _THREADS,
    "icon": frozenset({GROUP_DM}),
}
"""The types of channels that have a setting; 11 stands for all threads.

Source: https://discord.com/developers/docs/resources/channel#modify-channel, column Channel Type
"""

MOST_TOPIC_CHARACTERS = 1024
MOST_IN_VOICE = 99


def fits_its_kind(usual: int | None = None) -> Check:
    """Return the rule that all settings given belong to one kind of channel: that of `type`, if that is known.

    `usual` is the type of a channel for which none is given.
    """

    def of_one_kind(arguments: Mapping[str, Json]) -> Iterator[Issue]:
        kind = arguments.get("type", usual)
        kinds = EVERY_KIND if kind is None else frozenset({kind})
        for name in (*arguments, *arguments.get("clear", ())):
            fitting = kinds & KINDS_WITH.get(name, EVERY_KIND) if name != "type" else kinds
            if not fitting:
                yield Issue(path=name, message=f"is nothing that {_named(kinds)} has", code="conflict")
            kinds = fitting or kinds
        yield from _limits_of(kinds, arguments)

    return of_one_kind


def _named(kinds: frozenset[int]) -> str:
    if kinds == _THREADS:
        return "a thread"
    return "a channel of type " + " or ".join(map(str, sorted(kinds)))


def _limits_of(kinds: frozenset[int], arguments: Mapping[str, Json]) -> Iterator[Issue]:
    length = len(arguments.get("topic", ""))
    if length > MOST_TOPIC_CHARACTERS and not kinds & FORUMS:
        message = f"must have at most {MOST_TOPIC_CHARACTERS} characters outside of forums; it has {length}"
        yield Issue(path="topic", message=message, code="too_big")
    if arguments.get("user_limit", 0) > MOST_IN_VOICE and STAGE not in kinds:
        yield Issue(path="user_limit", message=f"must be at most {MOST_IN_VOICE} in a voice channel", code="too_big")


def emoji_is_single(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse an emoji that is both one of the guild's and a unicode one, and a default reaction without any."""
    if arguments.get("default_reaction_emoji") == {}:
        yield Issue(path="default_reaction_emoji", message="needs emoji_id or emoji_name", code="required")
    reaction = [("default_reaction_emoji", arguments.get("default_reaction_emoji", {}))]
    tags = [(f"available_tags[{number}]", tag) for number, tag in enumerate(arguments.get("available_tags", ()))]
    for path, named in reaction + tags:
        if {"emoji_id", "emoji_name"} <= named.keys():
            yield Issue(path=path, message="takes emoji_id or emoji_name, not both", code="conflict")


def allows_or_denies(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse an overwrite that says nothing, and one that allows and denies the same."""
    if "allow" not in arguments and "deny" not in arguments:
        yield Issue(path="allow", message="or deny is required", code="required")
    if int(arguments.get("allow", 0)) & int(arguments.get("deny", 0)):
        yield Issue(path="deny", message="names permissions that `allow` has too", code="conflict")


def each_moves(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a place that moves nothing or goes two ways, and two places for one channel."""
    seen = set()
    for number, place in enumerate(arguments["positions"]):
        if place.keys() == {"id"}:
            yield Issue(path=f"positions[{number}]", message="needs a position or a parent_id", code="required")
        if "parent_id" in place and "clear" in place:
            yield Issue(path=f"positions[{number}].clear", message="names `parent_id`, which is given", code="conflict")
        if place["id"] in seen:
            yield Issue(path=f"positions[{number}].id", message="is there twice", code="conflict")
        seen.add(place["id"])


class RecipientRemoved(TypedDict):
    """A user who is no longer in a group DM."""

    removed: bool
    channel_id: str
    user_id: str
