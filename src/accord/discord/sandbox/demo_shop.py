"""What the demo's application sells, and to whom it has sold something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.snowflakes import created_at, iso

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject, World

CLUB = "1196810000000000201"
BULBS = "1196810000000000202"
CLUB_SUBSCRIPTION = "1196811000000000203"
CLUB_ENTITLEMENT = "1196811000000000204"
BULBS_ENTITLEMENT = "1196811000000000205"
MONTH = 30 * 24 * 60 * 60
NEVER_FULFILLED: JsonObject = {
    "fulfilled_at": None, "fulfillment_status": None, "gifter_user_id": None, "parent_id": None,
}  # fmt: skip


def add_shop(world: World, member_id: str, buyer_id: str) -> None:
    """Add a club with a member, and spare bulbs that somebody has bought."""
    world.skus = {
        CLUB: _sku(world, CLUB, 5, "Lantern Club", 1 << 2 | 1 << 8),
        BULBS: _sku(world, BULBS, 3, "Spare bulbs", 1 << 2),
    }
    began, now = iso(created_at(CLUB_SUBSCRIPTION)), world.clock()
    world.subscriptions[CLUB_SUBSCRIPTION] = {
        "id": CLUB_SUBSCRIPTION, "user_id": member_id, "sku_ids": [CLUB], "renewal_sku_ids": None,
        "entitlement_ids": [CLUB_ENTITLEMENT], "current_period_start": iso(now - MONTH / 2),
        "current_period_end": iso(now + MONTH / 2), "status": 0, "canceled_at": None,
    }  # fmt: skip
    club = {"sku_id": CLUB, "user_id": member_id, "ends_at": iso(now + MONTH / 2)}
    bulbs = {"sku_id": BULBS, "user_id": buyer_id, "ends_at": None}
    for entitlement_id, own in ((CLUB_ENTITLEMENT, club), (BULBS_ENTITLEMENT, bulbs)):
        world.entitlements[entitlement_id] = {
            "id": entitlement_id, "application_id": world.application_id, "type": 8, "deleted": False,
            "consumed": False, "starts_at": began, "guild_id": None, **NEVER_FULFILLED, **own,
        }  # fmt: skip


def _sku(world: World, sku_id: str, kind: int, name: str, flags: int) -> JsonObject:
    return {
        "id": sku_id, "type": kind, "application_id": world.application_id, "name": name,
        "slug": name.lower().replace(" ", "-"), "flags": flags,
    }  # fmt: skip
