"""Members: users in a guild."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from accord.discord.models.users import UserObject
from accord.discord.models.values import Timestamp
from accord.engine import Untrusted

__all__ = ["Member", "MemberObject"]


class MemberObject(TypedDict):
    """https://discord.com/developers/docs/resources/guild#guild-member-object."""

    user: UserObject
    nick: NotRequired[str | None]
    avatar: NotRequired[str | None]
    roles: list[str]
    joined_at: str | None
    premium_since: NotRequired[str | None]
    flags: NotRequired[int]
    pending: NotRequired[bool]
    communication_disabled_until: NotRequired[str | None]


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
