"""guild_list_join_requests, guild_resolve_join_request: who asks to join, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_members import JOIN_REQUEST, NOOR

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

LIST, RESOLVE = "guild_list_join_requests", "guild_resolve_join_request"


async def test_an_application_is_shown_with_its_answers_in_words(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call(LIST, guild_id=demo.GUILD, status="SUBMITTED")).structured

    (shown,) = listed["items"]
    assert (shown["id"], shown["user_id"], shown["username"]) == (JOIN_REQUEST, NOOR, "noor.haddad")
    assert [one["response"] for one in shown["form_responses"]] == [
        "A heron, with wings that open when somebody walks by.",
        "A little",
        True,
    ]
    assert (listed["count"], listed["total"], listed["has_more"]) == (1, 1, False)
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}/requests?status=SUBMITTED&limit=100"]


async def test_applications_come_in_pages_without_gap_or_duplicate(sandbox: Sandbox) -> None:
    ids = [JOIN_REQUEST, *(example(sandbox, RESOLVE)["request_id"] for _ in range(4))]
    found, cursor = [], None

    async with desk(sandbox) as served:
        for _ in range(3):
            page = (await served.call(LIST, guild_id=demo.GUILD, limit=2, cursor=cursor)).structured
            found.append([one["id"] for one in page["items"]])
            cursor = page["next_cursor"]

    assert found == [ids[:2:-1], ids[2:0:-1], ids[:1]]
    assert cursor is None


@pytest.mark.parametrize(
    ("decision", "is_in"),
    [({"action": "APPROVED"}, True), ({"action": "REJECTED", "rejection_reason": "Not now"}, False)],
)
async def test_a_decision_is_sent_as_it_is_and_shown_as_discord_took_it(
    sandbox: Sandbox, decision: dict[str, Any], *, is_in: bool
) -> None:
    async with desk(sandbox) as served:
        made = await served.call(RESOLVE, guild_id=demo.GUILD, request_id=JOIN_REQUEST, **decision)
        other = "REJECTED" if is_in else "APPROVED"
        late = await served.call(RESOLVE, guild_id=demo.GUILD, request_id=JOIN_REQUEST, action=other)

    assert bodies(sandbox)[0] == decision
    assert made.structured["application_status"] == decision["action"]
    assert made.structured["rejection_reason"] == decision.get("rejection_reason")
    assert made.structured["reviewed_by"] == demo.BOT
    assert (NOOR in sandbox.world.guilds[demo.GUILD].members) is is_in
    assert [issue["path"] for issue in late.structured["issues"]] == ["action"]


async def test_an_approval_has_no_reason_for_a_rejection(sandbox: Sandbox) -> None:
    call = {"guild_id": demo.GUILD, "request_id": JOIN_REQUEST, "action": "APPROVED", "rejection_reason": "x"}

    async with desk(sandbox) as served:
        refused = await served.call(RESOLVE, call)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["rejection_reason"]
    assert asked(sandbox) == []
