"""Guilds, which people call servers."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import ChannelId
from accord.discord.models.values import AuditReason, Image, Page
from accord.engine import Field, Untrusted

__all__ = [
    "Guild",
    "GuildChanges",
    "GuildModified",
    "GuildObject",
    "GuildPreview",
    "IncidentsData",
    "Membership",
    "Memberships",
]


class GuildObject(TypedDict):
    """https://discord.com/developers/docs/resources/guild#guild-object."""

    id: str
    name: str
    icon: str | None
    owner: NotRequired[bool]
    owner_id: NotRequired[str]
    permissions: NotRequired[str]
    features: list[str]
    description: NotRequired[str | None]
    premium_tier: NotRequired[int]
    premium_subscription_count: NotRequired[int]
    preferred_locale: NotRequired[str]
    verification_level: NotRequired[int]
    afk_channel_id: NotRequired[str | None]
    system_channel_id: NotRequired[str | None]
    rules_channel_id: NotRequired[str | None]
    vanity_url_code: NotRequired[str | None]
    approximate_member_count: NotRequired[int]
    approximate_presence_count: NotRequired[int]


class IncidentsData(TypedDict):
    """Until when something is paused; null for what is not."""

    invites_disabled_until: str | None
    dms_disabled_until: str | None
    dm_spam_detected_at: NotRequired[str | None]
    raid_detected_at: NotRequired[str | None]


class Guild(TypedDict):
    """One guild with all its settings; the counts are Discord's estimates, pictures are hashes."""

    id: str
    name: Untrusted
    icon: str | None
    owner_id: str
    member_count: NotRequired[int]
    online_count: NotRequired[int]
    description: Untrusted | None
    premium_tier: int
    preferred_locale: str
    features: list[str]
    verification_level: NotRequired[int]
    default_message_notifications: NotRequired[int]
    explicit_content_filter: NotRequired[int]
    mfa_level: NotRequired[int]
    nsfw_level: NotRequired[int]
    afk_channel_id: NotRequired[str | None]
    afk_timeout: NotRequired[int]
    system_channel_id: NotRequired[str | None]
    system_channel_flags: NotRequired[int]
    rules_channel_id: NotRequired[str | None]
    public_updates_channel_id: NotRequired[str | None]
    safety_alerts_channel_id: NotRequired[str | None]
    splash: NotRequired[str | None]
    discovery_splash: NotRequired[str | None]
    banner: NotRequired[str | None]
    home_header: NotRequired[str | None]
    premium_progress_bar_enabled: NotRequired[bool]
    vanity_url_code: NotRequired[str | None]
    incidents_data: NotRequired[IncidentsData | None]
    boosts: NotRequired[int]


class GuildModified(Guild):
    """A guild as it is after a change; `untrusted_text` is its name and its description."""

    untrusted_text: Untrusted


Locale: TypeAlias = Literal[
    "ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
]  # fmt: skip
"""https://discord.com/developers/docs/reference#locales."""

Clearable: TypeAlias = Literal[
    "description",
    "icon",
    "splash",
    "discovery_splash",
    "banner",
    "home_header",
    "afk_channel_id",
    "system_channel_id",
    "rules_channel_id",
    "public_updates_channel_id",
    "safety_alerts_channel_id",
    "preferred_locale",
    "verification_level",
    "default_message_notifications",
    "explicit_content_filter",
]
"""Fields for which Discord takes null; numbers and the locale go back to what new guilds have."""


class GuildChanges(TypedDict, total=False):
    """What of a guild changes. Limits: https://discord.com/developers/docs/resources/guild#modify-guild."""

    name: Annotated[str, Field(min_length=2, max_length=100)]
    description: Annotated[str, Field(max_length=300)]
    icon: Image
    splash: Annotated[Image, Field(description="invite background; needs INVITE_SPLASH")]
    discovery_splash: Annotated[Image, Field(description="needs DISCOVERABLE")]
    banner: Annotated[Image, Field(description="needs BANNER")]
    home_header: Annotated[Image, Field(description="server guide header")]
    verification_level: Annotated[Literal[0, 1, 2, 3, 4], Field(description="4: verified phone")]
    default_message_notifications: Annotated[Literal[0, 1], Field(description="0 all, 1 mentions")]
    explicit_content_filter: Annotated[Literal[0, 1, 2], Field(description="2: everybody's media")]
    afk_channel_id: ChannelId
    afk_timeout: Annotated[Literal[60, 300, 900, 1800, 3600], Field(description="seconds")]
    system_channel_id: ChannelId
    system_channel_flags: Annotated[
        int,
        Field(minimum=0, maximum=2**31 - 1, description="bits that hide: 1 joins, 2 boosts, 4 tips, 8 replies"),
    ]
    rules_channel_id: ChannelId
    public_updates_channel_id: ChannelId
    safety_alerts_channel_id: ChannelId
    preferred_locale: Locale
    features: Annotated[
        list[Annotated[str, Field(pattern="^[A-Z0-9_]{1,100}$")]],
        Field(
            max_items=1521,
            description="whole list: COMMUNITY, DISCOVERABLE, INVITES_DISABLED, RAID_ALERTS_DISABLED left out go off",
        ),
    ]
    premium_progress_bar_enabled: bool
    clear: Annotated[list[Clearable], Field(min_items=1)]
    audit_reason: AuditReason


class PreviewEmoji(TypedDict):
    """A custom emoji of a guild."""

    id: str
    name: Untrusted
    animated: NotRequired[bool]


class PreviewSticker(TypedDict):
    """A custom sticker of a guild."""

    id: str
    name: Untrusted
    description: Untrusted | None


class GuildPreview(TypedDict):
    """What a guild shows to those who are not in it."""

    id: str
    name: Untrusted
    description: Untrusted | None
    icon: str | None
    splash: str | None
    discovery_splash: str | None
    home_header: NotRequired[str | None]
    features: list[str]
    member_count: NotRequired[int]
    online_count: NotRequired[int]
    emojis: list[PreviewEmoji]
    stickers: list[PreviewSticker]


class Membership(TypedDict):
    """A guild that the bot is in; `permissions` are the bot's, as a decimal string."""

    id: str
    name: Untrusted
    icon: str | None
    owner: bool
    permissions: str
    features: list[str]
    member_count: NotRequired[int]
    online_count: NotRequired[int]


class Memberships(Page):
    """The bot's guilds, in the order of their ids; `untrusted_names` is a line a guild."""

    guilds: list[Membership]
    count: int
    left_out: Annotated[int, Field(description="not allowed here")]
    untrusted_names: Untrusted
