"""monetization: SKUs, entitlements and subscriptions."""

from __future__ import annotations

from typing import Annotated, Literal, Unpack

from accord.discord.access import needs
from accord.discord.application_lookup import application_of
from accord.discord.conditions import always
from accord.discord.models.ids import (
    ApplicationId,
    EntitlementId,
    ListPlace,
    OwnerId,
    SkuId,
    SubscriptionId,
    UserId,
)
from accord.discord.models.monetization import (
    Entitlement,
    EntitlementConsumed,
    EntitlementDeleted,
    EntitlementFilter,
    Entitlements,
    Sku,
    Skus,
    Subscription,
    Subscriptions,
)
from accord.discord.models.values import Cursor, Wire
from accord.discord.pages import from_first, onward
from accord.discord.rest.client import Discord
from accord.discord.results.picking import WHOLE, each_picked, picked
from accord.discord.rules import once_each, one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("monetization", fence="untrusted_discord")

OWN = needs(reach="bot")
"""What is sold is the application's: no guild grants anything."""

PageSize = Annotated[int, Field(minimum=1, maximum=100)]


@tools.tool(Effect.READ, say="SKUs: {count}.", facts=OWN)
async def skus_list(discord: Discord, application_id: ApplicationId | None = None) -> Skus:
    """List what the application sells. A subscription (5) has a twin of type 6, which is of no use."""
    own = await application_of(discord, application_id)
    sent = await discord.get("/applications/{}/skus", own, into=list[Wire])
    return {"skus": each_picked(Sku, sent), "count": len(sent), **WHOLE}


@tools.tool(Effect.READ, say="Subscriptions: {count}.", checks=(one_place,), facts=OWN)
async def subscriptions_list(
    discord: Discord,
    sku_id: SkuId,
    user_id: UserId,
    before: SubscriptionId | None = None,
    after: SubscriptionId | None = None,
    limit: PageSize = 50,
    cursor: Cursor | None = None,
) -> Subscriptions:
    """List a user's subscriptions to a SKU, oldest first. Whether somebody may use it, entitlements say."""
    way, place = from_first(before, after, cursor)
    query = {"user_id": user_id, "limit": limit, **place}
    sent = await discord.get("/skus/{}/subscriptions", sku_id, into=list[Wire], query=query)
    shown = each_picked(Subscription, sent)
    return {"subscriptions": shown, "count": len(shown), **onward(shown, way, full=limit)}


@tools.tool(Effect.READ, say="Subscription {id}.", facts=OWN)
async def subscriptions_get(
    discord: Discord, sku_id: SkuId, subscription_id: SubscriptionId, user_id: UserId | None = None
) -> Subscription:
    """Fetch one subscription: its period, its status."""
    query = {"user_id": user_id}
    sent = await discord.get("/skus/{}/subscriptions/{}", sku_id, subscription_id, into=Wire, query=query)
    return picked(Subscription, sent)


@tools.tool(Effect.READ, say="Entitlements: {count}.", checks=(one_place, once_each("sku_ids")), facts=OWN)
async def entitlements_list(
    discord: Discord,
    application_id: ApplicationId | None = None,
    before: ListPlace | None = None,
    after: ListPlace | None = None,
    limit: PageSize = 100,
    cursor: Cursor | None = None,
    **which: Unpack[EntitlementFilter],
) -> Entitlements:
    """List who may use what the application sells, of all users and guilds unless told otherwise; oldest first."""
    own = await application_of(discord, application_id)
    way, place = from_first(before, after, cursor)
    query = {**which, "sku_ids": ",".join(which.get("sku_ids", ())) or None, "limit": limit, **place}
    sent = await discord.get("/applications/{}/entitlements", own, into=list[Wire], query=query)
    shown = each_picked(Entitlement, sent)
    return {"entitlements": shown, "count": len(shown), **onward(shown, way, full=limit)}


@tools.tool(Effect.READ, say="Entitlement {id}.", facts=OWN)
async def entitlements_get(
    discord: Discord, entitlement_id: EntitlementId, application_id: ApplicationId | None = None
) -> Entitlement:
    """Fetch one entitlement: whose it is, for what, until when."""
    own = await application_of(discord, application_id)
    return picked(Entitlement, await discord.get("/applications/{}/entitlements/{}", own, entitlement_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Consumed entitlement {entitlement_id}.",
    facts=OWN,
    confirm_when=always("it uses up what somebody bought, for good"),
)
async def entitlements_consume(
    discord: Discord, entitlement_id: EntitlementId, application_id: ApplicationId | None = None
) -> EntitlementConsumed:
    """Use up an entitlement to a consumable SKU (type 3). It cannot be undone: hand out what was bought first."""
    own = await application_of(discord, application_id)
    await discord.do("POST", "/applications/{}/entitlements/{}/consume", own, entitlement_id)
    return {"consumed": True, "application_id": own, "entitlement_id": entitlement_id}


@tools.tool(Effect.CREATE, say="Created test entitlement {id}.", facts=OWN)
async def entitlements_create_test(
    discord: Discord,
    sku_id: SkuId,
    owner_id: Annotated[OwnerId, Field(description="guild or user")],
    owner_type: Annotated[Literal[1, 2], Field(description="1 guild, 2 user")],
    application_id: ApplicationId | None = None,
) -> Entitlement:
    """Let a guild or a user have a SKU for a test, without paying and without an end."""
    own = await application_of(discord, application_id)
    body = {"sku_id": sku_id, "owner_id": owner_id, "owner_type": owner_type}
    return picked(Entitlement, await discord.post("/applications/{}/entitlements", own, into=Wire, body=body))


@tools.tool(Effect.DELETE, say="Deleted test entitlement {entitlement_id}.", facts=OWN)
async def entitlements_delete_test(
    discord: Discord, entitlement_id: EntitlementId, application_id: ApplicationId | None = None
) -> EntitlementDeleted:
    """Delete a test entitlement; those that were bought stay."""
    own = await application_of(discord, application_id)
    await discord.do("DELETE", "/applications/{}/entitlements/{}", own, entitlement_id)
    return {"deleted": True, "application_id": own, "entitlement_id": entitlement_id}
