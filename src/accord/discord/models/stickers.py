"""Stickers: a guild's own, and Discord's in packs."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.values import AuditReason, Page
from accord.engine import Field, Untrusted

__all__ = [
    "FILE_KINDS",
    "MOST_STICKER_BYTES",
    "GuildStickers",
    "NewSticker",
    "PackListed",
    "Sticker",
    "StickerChanges",
    "StickerDeleted",
    "StickerFormat",
    "StickerPack",
    "StickerPacks",
]

MOST_STICKER_BYTES = 512 * 1024
"""https://discord.com/developers/docs/resources/sticker#create-guild-sticker."""

StickerFormat = Literal[1, 2, 3, 4]
"""https://discord.com/developers/docs/resources/sticker#sticker-object-sticker-format-types."""

FILE_KINDS: dict[int, str] = {1: "image/png", 2: "image/png", 3: "application/json", 4: "image/gif"}
"""What a file of each format holds."""

StickerName = Annotated[str, Field(min_length=2, max_length=30)]
StickerTags = Annotated[str, Field(min_length=1, max_length=200, description="an emoji's name, or words to find it by")]
StickerDescription = Annotated[str, Field(min_length=2, max_length=100)]


class NewSticker(TypedDict):
    """What a new sticker has besides its file."""

    name: StickerName
    tags: StickerTags
    description: NotRequired[StickerDescription]
    audit_reason: NotRequired[AuditReason]


class StickerChanges(TypedDict, total=False):
    """What of a sticker changes; its picture cannot."""

    name: StickerName
    tags: StickerTags
    description: StickerDescription
    clear: Annotated[list[Literal["description"]], Field(min_items=1, description="what to remove")]
    audit_reason: AuditReason


class Sticker(TypedDict):
    """One sticker: `type` is 1 for Discord's own, which lie in a pack, and 2 for a guild's.

    Formats are 1 PNG, 2 APNG, 3 Lottie, 4 GIF. One that is not `available` cannot be used, as after a loss of boosts.
    """

    id: str
    name: Untrusted
    description: Untrusted | None
    tags: Untrusted
    type: int
    format_type: int | None
    available: bool
    guild_id: NotRequired[str]
    user_id: NotRequired[str]
    pack_id: NotRequired[str]


class GuildStickers(Page):
    """A guild's stickers."""

    stickers: list[Sticker]
    count: int


class StickerListed(TypedDict):
    """A sticker of a pack as the list of packs names it."""

    id: str
    name: Untrusted


class PackListed(TypedDict):
    """A pack with its stickers by name."""

    id: str
    name: Untrusted
    description: Untrusted | None
    sku_id: str
    stickers: list[StickerListed]


class StickerPack(TypedDict):
    """A pack with all that is said of its stickers."""

    id: str
    name: Untrusted
    description: Untrusted | None
    sku_id: str
    stickers: list[Sticker]
    cover_sticker_id: NotRequired[str]
    banner_asset_id: NotRequired[str]


class StickerPacks(Page):
    """The packs that everybody has."""

    packs: list[PackListed]
    count: int


class StickerDeleted(TypedDict):
    """A sticker that is gone."""

    deleted: bool
    guild_id: str
    sticker_id: str
