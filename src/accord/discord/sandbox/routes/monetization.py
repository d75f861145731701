"""Monetization: SKUs, entitlements and subscriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, integer, listed, one_of, read, snowflake, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

APPLICATION_SUBSCRIPTION = 8
FOR_A_GUILD = 1
MOST, USUAL_SUBSCRIPTIONS = 100, 50
MOST_SKUS_ASKED = 100

_test = form(
    {"sku_id": snowflake, "owner_id": snowflake, "owner_type": one_of(1, 2)},
    required=("sku_id", "owner_id", "owner_type"),
)


def list_skus(call: Call, application_id: str) -> list[JsonObject]:
    """All that the application sells."""
    access.application(call.world, application_id)
    return list(call.world.skus.values())


def list_entitlements(call: Call, application_id: str) -> list[JsonObject]:
    """Entitlements by id; the last ones unless a place is named."""
    access.application(call.world, application_id)
    asked = call.asked(
        user_id=snowflake, guild_id=snowflake, sku_ids=_separated, before=snowflake, after=snowflake,
        limit=integer(1, MOST), exclude_ended=truth, exclude_deleted=truth, only_active=truth,
    )  # fmt: skip
    fitting = [one for one in call.world.entitlements.values() if _fits(call, one, asked)]
    return _page(fitting, asked, MOST)


def _separated(value: Any, complaints: Complaints) -> list[str]:
    ids: list[str] = listed(snowflake, most=MOST_SKUS_ASKED)(str(value).split(","), complaints)
    return ids


def _fits(call: Call, one: JsonObject, asked: JsonObject) -> bool:
    only_active = asked.get("only_active", False)
    has_ended = one["ends_at"] is not None and one["ends_at"] < call.world.now()
    return (
        asked.get("user_id") in {None, one["user_id"]}
        and asked.get("guild_id") in {None, one.get("guild_id")}
        and one["sku_id"] in asked.get("sku_ids", [one["sku_id"]])
        and not (has_ended and (only_active or asked.get("exclude_ended", False)))
        and not (one["deleted"] and (only_active or asked.get("exclude_deleted", True)))
    )


def _page(rows: list[JsonObject], asked: JsonObject, usual: int) -> list[JsonObject]:
    limit = asked.get("limit", usual)
    ordered = sorted(rows, key=lambda one: int(one["id"]))
    if "after" in asked:
        return [one for one in ordered if int(one["id"]) > int(asked["after"])][:limit]
    return [one for one in ordered if "before" not in asked or int(one["id"]) < int(asked["before"])][-limit:]


def get_entitlement(call: Call, application_id: str, entitlement_id: str) -> JsonObject:
    """One entitlement."""
    access.application(call.world, application_id)
    if entitlement_id not in call.world.entitlements:
        raise Refused(codes.UNKNOWN_ENTITLEMENT)
    return call.world.entitlements[entitlement_id]


def consume_entitlement(call: Call, application_id: str, entitlement_id: str) -> None:
    """Mark an entitlement as used up."""
    get_entitlement(call, application_id, entitlement_id)["consumed"] = True


def create_entitlement(call: Call, application_id: str) -> JsonObject:
    """A test entitlement, which never ends."""
    access.application(call.world, application_id)
    fields = read(_test, call.body)
    if fields["sku_id"] not in call.world.skus:
        raise Refused(codes.UNKNOWN_SKU)
    is_guilds = fields["owner_type"] == FOR_A_GUILD
    owner_id = fields["owner_id"]
    made = {
        "id": call.world.new_id(), "sku_id": fields["sku_id"], "application_id": application_id,
        "user_id": access.guild(call.world, owner_id).owner_id if is_guilds else access.user(call.world, owner_id).id,
        "guild_id": owner_id if is_guilds else None, "type": APPLICATION_SUBSCRIPTION, "deleted": False,
        "consumed": False, "starts_at": None, "ends_at": None,
    }  # fmt: skip
    call.world.entitlements[made["id"]] = made
    return made


def delete_entitlement(call: Call, application_id: str, entitlement_id: str) -> None:
    """End a test entitlement; those that were bought have a time at which they began."""
    found = get_entitlement(call, application_id, entitlement_id)
    if found["deleted"] or found["starts_at"] is not None:
        raise Refused(codes.UNKNOWN_ENTITLEMENT)
    found["deleted"] = True


def list_subscriptions(call: Call, sku_id: str) -> list[JsonObject]:
    """A user's subscriptions to a SKU by id; a bot has to say whose."""
    _check_sku(call, sku_id)
    asked = call.asked(before=snowflake, after=snowflake, limit=integer(1, MOST), user_id=snowflake)
    if "user_id" not in asked:
        complaints = Complaints()
        complaints.at("user_id").say("BASE_TYPE_REQUIRED", "This field is required")
        complaints.settle()
    known = call.world.subscriptions.values()
    rows = [one for one in known if sku_id in one["sku_ids"] and one["user_id"] == asked["user_id"]]
    return _page(rows, asked, USUAL_SUBSCRIPTIONS)


def get_subscription(call: Call, sku_id: str, subscription_id: str) -> JsonObject:
    """One subscription."""
    _check_sku(call, sku_id)
    found = call.world.subscriptions.get(subscription_id)
    if found is None or sku_id not in found["sku_ids"]:
        raise Refused(codes.UNKNOWN_SUBSCRIPTION)
    return found


def _check_sku(call: Call, sku_id: str) -> None:
    if sku_id not in call.world.skus:
        raise Refused(codes.UNKNOWN_SKU)


_ENTITLEMENTS = "/applications/{application_id}/entitlements"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/applications/{application_id}/skus", list_skus),
    Route("GET", _ENTITLEMENTS, list_entitlements),
    Route("POST", _ENTITLEMENTS, create_entitlement),
    Route("GET", f"{_ENTITLEMENTS}/{{entitlement_id}}", get_entitlement),
    Route("DELETE", f"{_ENTITLEMENTS}/{{entitlement_id}}", delete_entitlement),
    Route("POST", f"{_ENTITLEMENTS}/{{entitlement_id}}/consume", consume_entitlement),
    Route("GET", "/skus/{sku_id}/subscriptions", list_subscriptions),
    Route("GET", "/skus/{sku_id}/subscriptions/{subscription_id}", get_subscription),
)
