"""Users: accounts of people and of bots, this one among them."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.values import Image
from accord.engine import Field, Untrusted

__all__ = [
    "Account",
    "Author",
    "CurrentUser",
    "CurrentUserChanges",
    "DirectChannel",
    "FoundUser",
    "GuildLeft",
    "User",
    "UserObject",
]


class UserObject(TypedDict):
    """https://discord.com/developers/docs/resources/user#user-object."""

    id: str
    username: str
    global_name: NotRequired[str | None]
    discriminator: NotRequired[str]
    avatar: NotRequired[str | None]
    bot: NotRequired[bool]


class Author(TypedDict):
    """Who wrote something. `trust` is `self` for this bot's own words and `unverified` for everybody else's."""

    id: str
    username: Untrusted
    global_name: Untrusted | None
    bot: bool
    trust: Literal["self", "unverified"]


class Account(TypedDict):
    """A user as lists show one."""

    id: str
    username: Untrusted
    global_name: Untrusted | None
    bot: NotRequired[bool]


class User(TypedDict):
    """An account; `avatar` and `banner` are hashes."""

    id: str
    username: Untrusted
    global_name: Untrusted | None
    avatar: str | None
    banner: str | None
    bot: bool
    public_flags: NotRequired[int]


class FoundUser(User):
    """Any user; `untrusted_text` holds the names."""

    untrusted_text: Untrusted


class CurrentUser(User):
    """The bot's own account."""

    verified: NotRequired[bool]
    mfa_enabled: NotRequired[bool]


class CurrentUserChanges(TypedDict, total=False):
    """What of the bot's own account changes."""

    username: Annotated[str, Field(min_length=2, max_length=32)]
    avatar: Image
    banner: Image
    clear: Annotated[list[Literal["avatar", "banner"]], Field(min_items=1, description="what to remove")]


class GuildLeft(TypedDict):
    """A guild that the bot is in no more."""

    left: bool
    guild_id: str


class DirectChannel(TypedDict):
    """The bot's direct messages with a user."""

    channel_id: str
    type: int
    recipient_ids: list[str]
