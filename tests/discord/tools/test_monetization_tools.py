"""monetization: what is sold, who may use it, who pays for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual.monetization import own_entitlement
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo, demo_shop

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

OWN = f"/applications/{demo.APPLICATION}"
CLUB = demo_shop.CLUB


async def test_skus_are_listed_as_the_shop_has_them(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("skus_list")).structured

    assert listed["skus"][0] == {
        "id": CLUB, "type": 5, "application_id": demo.APPLICATION, "name": "Lantern Club", "slug": "lantern-club",
        "flags": 260,
    }  # fmt: skip
    assert (listed["count"], listed["has_more"]) == (2, False)


async def test_a_subscription_is_shown_with_all_that_discord_says(sandbox: Sandbox) -> None:
    known = sandbox.world.subscriptions[demo_shop.CLUB_SUBSCRIPTION]
    known |= {"renewal_sku_ids": [CLUB], "canceled_at": "2026-05-04T18:42:00+00:00", "status": 1, "country": "SE"}

    async with desk(sandbox) as served:
        got = (
            await served.call("subscriptions_get", example(sandbox, "subscriptions_get"), user_id=demo.LENA)
        ).structured
        listed = (await served.call("subscriptions_list", sku_id=CLUB, user_id=demo.LENA)).structured

    path = f"GET /skus/{CLUB}/subscriptions"
    assert got == known
    assert listed["subscriptions"] == [known]
    assert asked(sandbox) == [
        f"{path}/{demo_shop.CLUB_SUBSCRIPTION}?user_id={demo.LENA}",
        f"{path}?user_id={demo.LENA}&limit=50&after=0",
    ]


async def test_whose_subscriptions_are_meant_has_to_be_said(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("subscriptions_list", sku_id=CLUB)

    assert [(issue["path"], issue["code"]) for issue in refused.structured["issues"]] == [("user_id", "required")]
    assert asked(sandbox) == []


async def test_an_entitlement_is_shown_with_all_that_discord_says(sandbox: Sandbox) -> None:
    more = {
        "consumed": False, "guild_id": demo.GUILD, "fulfilled_at": "2026-05-04T18:42:00+00:00", "fulfillment_status": 4,
        "gifter_user_id": demo.MAYA, "parent_id": demo_shop.CLUB_ENTITLEMENT,
    }  # fmt: skip
    place = own_entitlement(sandbox, **more)

    async with desk(sandbox) as served:
        got = (await served.call("entitlements_get", place)).structured

    assert got == sandbox.world.entitlements[place["entitlement_id"]]


async def test_entitlements_are_narrowed_as_the_documentation_writes_it(sandbox: Sandbox) -> None:
    which: dict[str, Any] = {
        "user_id": demo.OMAR, "guild_id": demo.GUILD, "sku_ids": [demo_shop.BULBS, CLUB], "exclude_ended": True,
        "exclude_deleted": False, "only_active": True, "limit": 5, "before": demo_shop.BULBS_ENTITLEMENT,
    }  # fmt: skip

    async with desk(sandbox) as served:
        await served.call("entitlements_list", which, application_id=demo.APPLICATION)

    request = sandbox.requests[-1]  # the first proves that the application is the bot's own
    assert request.path == f"{OWN}/entitlements"
    assert dict(one.split("=") for one in request.query.split("&")) == {
        "user_id": demo.OMAR, "guild_id": demo.GUILD, "sku_ids": f"{demo_shop.BULBS}%2C{CLUB}", "exclude_ended": "true",
        "exclude_deleted": "false", "only_active": "true", "limit": "5", "before": demo_shop.BULBS_ENTITLEMENT,
    }  # fmt: skip


async def test_the_default_guild_narrows_no_entitlements(sandbox: Sandbox) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        listed = await served.call("entitlements_list")

    assert "guild_id" not in sandbox.requests[-1].query
    assert listed.structured["count"] == 2


@pytest.mark.parametrize("sku_ids", [[], [CLUB, CLUB], ["x"], [str(10**17 + n) for n in range(101)]])
async def test_what_is_no_choice_of_skus_is_refused(sandbox: Sandbox, sku_ids: list[str]) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("entitlements_list", sku_ids=sku_ids)

    assert refused.structured["issues"][0]["path"].startswith("sku_ids")
    assert asked(sandbox) == []


@pytest.mark.parametrize("start", [{}, {"before": "9" * 19}])
async def test_pages_lead_to_every_entitlement_once(sandbox: Sandbox, start: dict[str, str]) -> None:
    for _ in range(3):
        own_entitlement(sandbox)
    seen: list[str] = []

    async with desk(sandbox) as served:
        page = (await served.call("entitlements_list", start, limit=2)).structured
        seen += [one["id"] for one in page["entitlements"]]
        while page["has_more"]:
            page = (await served.call("entitlements_list", cursor=page["next_cursor"], limit=2)).structured
            seen += [one["id"] for one in page["entitlements"]]

    assert sorted(seen) == sorted(sandbox.world.entitlements)


async def test_what_is_consumed_and_what_was_deleted_is_seen_afterwards(sandbox: Sandbox) -> None:
    used, gone = own_entitlement(sandbox), own_entitlement(sandbox)

    async with desk(sandbox) as served:
        consumed = await served.confirmed("entitlements_consume", used)
        await served.call("entitlements_delete_test", gone, __confirm=True)
        after = await served.call("entitlements_get", used)
        listed = (await served.call("entitlements_list", sku_ids=[demo_shop.BULBS])).structured["entitlements"]

    assert served.writes == [
        f"POST {OWN}/entitlements/{used['entitlement_id']}/consume",
        f"DELETE {OWN}/entitlements/{gone['entitlement_id']}",
    ]
    assert consumed.structured == {"consumed": True, "application_id": demo.APPLICATION, **used}
    assert after.structured["consumed"] is True
    assert gone["entitlement_id"] not in {one["id"] for one in listed}


async def test_a_consumption_whose_answer_was_lost_is_not_repeated(sandbox: Sandbox) -> None:
    used = own_entitlement(sandbox)
    sandbox.fail("POST /applications/{}/entitlements/{}/consume", "drop", after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        lost = await served.confirmed("entitlements_consume", used)

    assert (lost.failed, lost.structured.get("outcome"), len(served.writes)) == (True, "unknown", 1)


async def test_what_was_bought_cannot_be_deleted(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "entitlements_delete_test", entitlement_id=demo_shop.BULBS_ENTITLEMENT, __confirm=True
        )

    assert refused.code == "DISCORD_NOT_FOUND"


@pytest.mark.parametrize(("owner_id", "owner_type", "field"), [(demo.GUILD, 1, "guild_id"), (demo.OMAR, 2, "user_id")])
async def test_a_test_entitlement_is_a_guilds_or_a_users(
    sandbox: Sandbox, owner_id: str, owner_type: int, field: str
) -> None:
    given = {"sku_id": CLUB, "owner_id": owner_id, "owner_type": owner_type}

    async with desk(sandbox) as served:
        made = (await served.call("entitlements_create_test", given)).structured

    assert bodies(sandbox) == [given]
    assert (made[field], made["sku_id"], made["deleted"]) == (owner_id, CLUB, False)
