"""Users: whoever writes a message, a bot or a person."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from accord.engine import Untrusted

__all__ = ["Account", "Author", "UserObject"]


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
