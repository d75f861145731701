"""guild_get: one guild as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord.tools.asked import asked
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"


async def test_a_guild_is_shown_with_its_approximate_counts(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("guild_get", guild_id=demo.GUILD)

    assert shown.structured == {
        "id": demo.GUILD,
        "name": "Lantern Workshop",
        "icon": None,
        "owner_id": demo.MAYA,
        "description": "People who build lanterns, and the software that lights them.",
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "features": ["COMMUNITY", "NEWS"],
        "member_count": 5,
        "online_count": 5,
        "verification_level": 1,
        "boosts": 0,
        "system_channel_id": None,
        "rules_channel_id": None,
        "vanity_url_code": None,
    }
    assert shown.text.startswith(f"Guild {demo.GUILD}.\n<untrusted_discord nonce=")
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}?with_counts=true"]


async def test_a_guild_that_the_bot_is_not_in_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("guild_get", guild_id=MISSING)

    assert shown.code == "DISCORD_NOT_FOUND"
    assert shown.structured["category"] == "client"
    assert "Unknown Guild" in shown.text


async def test_a_guild_is_read_again_after_a_page_of_the_edge(sandbox: Sandbox) -> None:
    sandbox.fail("GET /guilds/{}", "bad_gateway_html")

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        shown = await served.call("guild_get", guild_id=demo.GUILD)

    assert not shown.failed
    assert [one.status for one in sandbox.requests] == [502, 200]
