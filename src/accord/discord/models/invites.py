"""Invites: ways into a guild, and for whom they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import ApplicationId, RoleId, UserId
from accord.discord.models.values import AuditReason, Page, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "FoundInvite",
    "GuildInvites",
    "Invite",
    "InviteDeleted",
    "Invites",
    "NewInvite",
    "TargetUsers",
    "TargetUsersJob",
    "TargetUsersSet",
    "UserIds",
    "target_is_whole",
]

Json: TypeAlias = Any

STREAM, APPLICATION = 1, 2

UserIds = Annotated[list[UserId], Field(min_items=1, description="the only users who may see and accept it")]


class NewInvite(TypedDict, total=False):
    """What an invite of a channel is like."""

    max_age: Annotated[int, Field(minimum=0, maximum=5_184_000, description="seconds, 0 for ever; a day by default")]
    max_uses: Annotated[int, Field(minimum=0, maximum=100, description="0 for any number")]
    temporary: Annotated[bool, Field(description="members without a role go when they leave voice")]
    unique: Annotated[bool, Field(description="make a new one even if there is one like it")]
    target_type: Annotated[Literal[1, 2], Field(description="1 a user's stream, 2 an activity")]
    target_user_id: UserId
    target_application_id: ApplicationId
    role_ids: Annotated[list[RoleId], Field(max_items=250, description="roles that who accepts gets")]
    target_user_ids: UserIds
    audit_reason: AuditReason


class Invite(TypedDict):
    """An invite; `type` is 0 for a guild's, `max_age` in seconds, where 0 is for ever."""

    code: str
    type: NotRequired[int]
    channel_id: str | None
    guild_id: NotRequired[str]
    inviter_id: NotRequired[str]
    inviter_name: NotRequired[Untrusted]
    expires_at: Timestamp | None
    created_at: NotRequired[Timestamp]
    max_age: NotRequired[int]
    max_uses: NotRequired[int]
    uses: NotRequired[int]
    temporary: NotRequired[bool]
    unique: NotRequired[bool]
    target_type: NotRequired[int]
    target_user_id: NotRequired[str]
    target_application_id: NotRequired[str]
    guild_scheduled_event_id: NotRequired[str]
    role_ids: NotRequired[list[str]]
    approximate_member_count: NotRequired[int | None]
    approximate_presence_count: NotRequired[int | None]


class FoundInvite(Invite):
    """An invite by its code; `untrusted_names` are those of its guild, its channel and its inviter, a line each."""

    untrusted_names: Untrusted


class Invites(Page):
    """A channel's invites."""

    invites: list[Invite]
    count: int
    channel_id: str


class GuildInvites(Page):
    """A guild's invites."""

    items: list[Invite]
    count: int
    guild_id: str


class InviteDeleted(TypedDict):
    """An invite that is gone."""

    deleted: bool
    code: str


class TargetUsers(Page):
    """Who alone may accept an invite."""

    items: list[str]
    count: int
    invite_code: str


class TargetUsersSet(TypedDict):
    """An invite for which a new list was taken; Discord works through it afterwards."""

    updated: bool
    invite_code: str
    count: int


class TargetUsersJob(TypedDict):
    """How far Discord is with a list of users: 1 at work, 2 done, 3 failed."""

    invite_code: str
    status: int
    total_users: int
    processed_users: int
    created_at: Timestamp | None
    completed_at: Timestamp | None
    error_message: Untrusted | None


def target_is_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a target of one kind without what it leads to, and what it leads to without its kind.

    Source: https://discord.com/developers/docs/resources/channel#create-channel-invite
    """
    for name, kind in (("target_user_id", STREAM), ("target_application_id", APPLICATION)):
        wanted = arguments.get("target_type") == kind
        if wanted and name not in arguments:
            yield Issue(path=name, message=f"is required with target_type {kind}", code="required")
        if name in arguments and not wanted:
            yield Issue(path=name, message=f"needs target_type {kind}", code="conflict")
