"""Usual calls of monetization."""

from __future__ import annotations

from typing import Any

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found, not_own

from accord.discord.sandbox import Sandbox, demo, demo_shop

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED", "own_entitlement"]


def own_entitlement(sandbox: Sandbox, **more: Any) -> Arguments:
    """Where a test entitlement of this call's own is; `more` are fields of it."""
    made = {
        "id": sandbox.world.new_id(), "sku_id": demo_shop.BULBS, "application_id": demo.APPLICATION, "type": 8,
        "user_id": demo.OMAR, "deleted": False, "starts_at": None, "ends_at": None, **more,
    }  # fmt: skip
    sandbox.world.entitlements[made["id"]] = made
    return {"entitlement_id": made["id"]}


GONE = {"entitlement_id": MISSING}
NO_APPLICATION = {"application_id": MISSING}
FOR_THE_GUILD = {"sku_id": demo_shop.CLUB, "owner_id": demo.GUILD, "owner_type": 1}

EXAMPLES: Examples = {
    "skus_list": lambda _: {},
    "subscriptions_list": lambda _: {"sku_id": demo_shop.CLUB, "user_id": demo.LENA},
    "subscriptions_get": lambda _: {"sku_id": demo_shop.CLUB, "subscription_id": demo_shop.CLUB_SUBSCRIPTION},
    "entitlements_list": lambda _: {},
    "entitlements_get": lambda _: {"entitlement_id": demo_shop.CLUB_ENTITLEMENT},
    "entitlements_consume": lambda sandbox: {**own_entitlement(sandbox), "__confirm": True},
    "entitlements_create_test": lambda _: FOR_THE_GUILD,
    "entitlements_delete_test": lambda sandbox: {**own_entitlement(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "skus_list": not_own(NO_APPLICATION),
    "subscriptions_list": not_found({"sku_id": MISSING, "user_id": demo.LENA}),
    "subscriptions_get": not_found({"sku_id": demo_shop.CLUB, "subscription_id": MISSING}),
    "entitlements_list": not_own(NO_APPLICATION),
    "entitlements_get": not_found(GONE),
    "entitlements_consume": not_found({**GONE, "__confirm": True}),
    "entitlements_create_test": not_found({**FOR_THE_GUILD, "sku_id": MISSING}),
    "entitlements_delete_test": not_found({**GONE, "__confirm": True}),
}

DEPARTURES = {
    "subscriptions_list.user_id": "Discord requires it for all queries but those of OAuth2",
}
