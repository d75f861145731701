"""What an application sells, who may use it, and who pays for it time and again."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from accord.discord.models.ids import GuildId, SkuId, UserId
from accord.discord.models.values import Page, Timestamp
from accord.engine import Field, Untrusted

__all__ = [
    "Entitlement",
    "EntitlementConsumed",
    "EntitlementDeleted",
    "EntitlementFilter",
    "Entitlements",
    "Sku",
    "Skus",
    "Subscription",
    "Subscriptions",
]


class Sku(TypedDict):
    """Something on offer: types 2 durable, 3 consumable, 5 subscription, 6 the group of one.

    https://discord.com/developers/docs/resources/sku
    """

    id: str
    type: int
    application_id: str
    name: Untrusted
    slug: NotRequired[Untrusted]
    flags: NotRequired[int]


class Skus(Page):
    """All that an application offers."""

    skus: list[Sku]
    count: int


class EntitlementFilter(TypedDict, total=False):
    """Which entitlements are meant."""

    user_id: UserId
    guild_id: GuildId
    sku_ids: Annotated[list[SkuId], Field(min_items=1, max_items=100)]
    exclude_ended: bool
    exclude_deleted: Annotated[bool, Field(description="left out: true")]
    only_active: bool


class Entitlement(TypedDict):
    """That a user or a guild may use a SKU; one without times holds for good.

    https://discord.com/developers/docs/resources/entitlement
    """

    id: str
    sku_id: str
    application_id: str
    type: int
    user_id: NotRequired[str | None]
    guild_id: NotRequired[str | None]
    deleted: NotRequired[bool]
    consumed: NotRequired[bool]
    starts_at: NotRequired[Timestamp | None]
    ends_at: NotRequired[Timestamp | None]
    subscription_id: NotRequired[str | None]
    fulfilled_at: NotRequired[Timestamp | None]
    fulfillment_status: NotRequired[int | None]
    gifter_user_id: NotRequired[str | None]
    parent_id: NotRequired[str | None]


class Entitlements(Page):
    """A page of entitlements."""

    entitlements: list[Entitlement]
    count: int


class EntitlementConsumed(TypedDict):
    """An entitlement that is used up."""

    consumed: bool
    application_id: str
    entitlement_id: str


class EntitlementDeleted(TypedDict):
    """A test entitlement that is gone."""

    deleted: bool
    application_id: str
    entitlement_id: str


class Subscription(TypedDict):
    """A user's recurring payment: status 0 active, 1 ending, 2 inactive.

    https://discord.com/developers/docs/resources/subscription
    """

    id: str
    user_id: str
    sku_ids: list[str]
    entitlement_ids: list[str]
    renewal_sku_ids: NotRequired[list[str] | None]
    current_period_start: Timestamp
    current_period_end: Timestamp
    status: int
    canceled_at: NotRequired[Timestamp | None]
    country: NotRequired[str | None]


class Subscriptions(Page):
    """A page of a user's subscriptions."""

    subscriptions: list[Subscription]
    count: int
