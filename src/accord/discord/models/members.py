"""Members: users in a guild, and users who are banned from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from accord.discord.models.ids import ChannelId, RoleId
from accord.discord.models.values import AuditReason, Image, Moment, Page, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "Ban",
    "Banned",
    "Bans",
    "BulkBanned",
    "DeletedSeconds",
    "Kicked",
    "Member",
    "MemberChanges",
    "Members",
    "MembersFound",
    "OwnProfile",
    "ProfileChanges",
    "RoleAdded",
    "RoleRemoved",
    "Unbanned",
    "time_out_is_short",
]

LONGEST_TIME_OUT = timedelta(days=28)
"""https://discord.com/developers/docs/resources/guild#modify-guild-member."""

Nick = Annotated[str, Field(min_length=1, max_length=32)]

DeletedSeconds = Annotated[
    int, Field(minimum=0, maximum=604_800, description="delete their messages of the last seconds")
]


class MemberChanges(TypedDict, total=False):
    """What of a member changes."""

    nick: Nick
    roles: Annotated[list[RoleId], Field(max_items=350, description="all roles from now on, not only new ones")]
    mute: Annotated[bool, Field(description="in voice channels")]
    deaf: Annotated[bool, Field(description="in voice channels")]
    channel_id: Annotated[ChannelId, Field(description="voice channel to move to")]
    communication_disabled_until: Annotated[Moment, Field(description="time-out, at most 28 days ahead")]
    flags: Annotated[int, Field(minimum=0, maximum=2**31 - 1, description="only 4, BYPASSES_VERIFICATION, can be set")]
    clear: Annotated[
        list[Literal["nick", "channel_id", "communication_disabled_until"]],
        Field(min_items=1, description="what to end; channel_id disconnects"),
    ]
    audit_reason: AuditReason


class ProfileChanges(TypedDict, total=False):
    """What of the bot's own looks in one guild changes."""

    nick: Nick
    avatar: Image
    banner: Image
    bio: Annotated[str, Field(min_length=1, max_length=190)]
    clear: Annotated[list[Literal["nick", "avatar", "banner", "bio"]], Field(min_items=1, description="what to remove")]
    audit_reason: AuditReason


class Member(TypedDict):
    """One member; `timed_out_until` is null unless a time-out is running now."""

    user_id: str
    username: Untrusted
    global_name: Untrusted | None
    nick: Untrusted | None
    bot: bool
    roles: list[str]
    joined_at: Timestamp | None
    timed_out_until: Timestamp | None
    avatar: str | None
    flags: int
    premium_since: NotRequired[Timestamp | None]
    pending: NotRequired[bool]
    mute: NotRequired[bool]
    deaf: NotRequired[bool]


class Members(Page):
    """A page of members by their user ids; `untrusted_names` is a line a member."""

    members: list[Member]
    count: int
    untrusted_names: Untrusted


class MembersFound(Page):
    """Members whose name fits. There is no next page: if there are more, a longer query finds fewer."""

    matches: list[Member]
    count: int


class OwnProfile(TypedDict):
    """How the bot looks in one guild; `avatar` and `banner` are hashes, null where the account's own are shown."""

    user_id: str
    guild_id: str
    nick: Untrusted | None
    avatar: str | None
    banner: str | None
    bio: NotRequired[Untrusted | None]


class RoleAdded(TypedDict):
    """A role that a member has now."""

    added: bool
    user_id: str
    role_id: str


class RoleRemoved(TypedDict):
    """A role that a member has no more."""

    removed: bool
    user_id: str
    role_id: str


class Kicked(TypedDict):
    """A member who was taken out of the guild."""

    kicked: bool
    user_id: str
    guild_id: str


class Banned(TypedDict):
    """A user who cannot come back; `dm_delivered` says whether the word before it arrived."""

    banned: bool
    user_id: str
    guild_id: str
    dm_delivered: NotRequired[bool]


class BulkBanned(TypedDict):
    """Who was banned, and who was not: banned before, out of the bot's reach, or unknown."""

    banned_users: list[str]
    failed_users: list[str]
    banned_count: int
    failed_count: int


class Unbanned(TypedDict):
    """A user who may come back."""

    unbanned: bool
    user_id: str
    guild_id: str


class Ban(TypedDict):
    """A user who is banned, and why."""

    user_id: str
    username: Untrusted
    global_name: Untrusted | None
    reason: Untrusted | None


class Bans(Page):
    """A page of bans by their user ids."""

    bans: list[Ban]
    count: int


def time_out_is_short(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse a time-out that ends later than Discord allows, or at no moment that there is."""
    until = arguments.get("communication_disabled_until")
    if until is None:
        return
    try:
        too_long = datetime.fromisoformat(until) > datetime.now(UTC) + LONGEST_TIME_OUT
    except ValueError:
        yield Issue(path="communication_disabled_until", message="is no moment that there is", code="invalid_date")
        return
    if too_long:
        message = "must be at most 28 days ahead; a longer absence is a ban, or a role without permissions"
        yield Issue(path="communication_disabled_until", message=message, code="too_big")
