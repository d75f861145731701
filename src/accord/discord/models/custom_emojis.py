"""Custom emoji, of a guild or of the application."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.ids import RoleId
from accord.discord.models.users import Account
from accord.discord.models.values import AuditReason, Image, Page
from accord.engine import Field, Untrusted

__all__ = [
    "MOST_EMOJI_BYTES",
    "AppEmoji",
    "AppEmojiDeleted",
    "AppEmojis",
    "CustomEmoji",
    "EmojiChanges",
    "EmojiDeleted",
    "EmojiImage",
    "EmojiName",
    "EmojiRoles",
    "GuildEmojis",
]

MOST_EMOJI_BYTES = 256 * 1024
"""https://discord.com/developers/docs/resources/emoji#create-guild-emoji."""

EmojiName = Annotated[str, Field(pattern="^[A-Za-z0-9_]{2,32}$")]
EmojiImage = Annotated[
    Image, Field(description="at most 256 KiB: a file of the upload folder, or data:image/png;base64,…")
]
EmojiRoles = Annotated[list[RoleId], Field(max_items=1521, description="only members with one of them may use it")]


class EmojiChanges(TypedDict, total=False):
    """What of a guild's emoji changes."""

    name: EmojiName
    roles: EmojiRoles
    clear: Annotated[list[Literal["roles"]], Field(min_items=1, description="roles: everybody may use it")]
    audit_reason: AuditReason


class AppEmoji(TypedDict):
    """One emoji of the application; in a message it is written <:name:id>, an animated one <a:name:id>."""

    id: str | None
    name: Untrusted | None
    animated: bool
    user: NotRequired[Account]


class CustomEmoji(AppEmoji):
    """One emoji of a guild: with `roles` only their members may use it, one that is not `available` nobody."""

    available: bool
    roles: list[str]
    managed: NotRequired[bool]


class GuildEmojis(Page):
    """A guild's emoji."""

    emojis: list[CustomEmoji]
    count: int


class AppEmojis(Page):
    """The application's emoji."""

    emojis: list[AppEmoji]
    count: int


class EmojiDeleted(TypedDict):
    """An emoji of a guild that is gone."""

    deleted: bool
    guild_id: str
    emoji_id: str


class AppEmojiDeleted(TypedDict):
    """An emoji of the application that is gone."""

    deleted: bool
    application_id: str
    emoji_id: str
