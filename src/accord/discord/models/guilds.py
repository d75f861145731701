"""Guilds, which people call servers."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from accord.discord.models.values import Page
from accord.engine import Untrusted

__all__ = ["Guild", "GuildObject", "Membership", "Memberships"]


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


class Guild(TypedDict):
    """One guild; the counts are Discord's estimates."""

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
    boosts: NotRequired[int]
    system_channel_id: NotRequired[str | None]
    rules_channel_id: NotRequired[str | None]
    vanity_url_code: NotRequired[str | None]


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
    untrusted_names: Untrusted
