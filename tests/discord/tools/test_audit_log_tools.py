"""audit_log_get: who did what, to whom, and why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.models.ids import id_at
from accord.discord.sandbox import demo
from accord.discord.sandbox.audit import AuditEntry, Deed

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

TOOL = "audit_log_get"
PATH = f"GET /guilds/{demo.GUILD}/audit-logs"


def written(sandbox: Sandbox, count: int, **more: Any) -> list[str]:
    """Write so many entries; their ids, oldest first."""
    audit = sandbox.world.guilds[demo.GUILD].audit
    for _ in range(count):
        audit.append(AuditEntry(sandbox.world.new_id(), Deed.MEMBER_KICK, demo.THEO, demo.OMAR, **more))
    return [one.id for one in list(audit)[-count:]]


async def test_an_entry_says_what_changed_from_what_to_what_and_why(sandbox: Sandbox) -> None:
    arguments = example(sandbox, TOOL)

    async with desk(sandbox) as served:
        log = (await served.call(TOOL, arguments)).structured

    (entry,) = log["entries"]
    assert datetime.now(UTC) - datetime.fromisoformat(entry.pop("at")) < timedelta(minutes=1)
    assert entry == {
        "id": entry["id"],
        "action": "MEMBER_UPDATE",
        "action_type": 24,
        "user_id": demo.THEO,
        "target_id": demo.LENA,
        "reason": "As she asked",
        "changes": [{"key": "nick", "old_value": "Lena", "new_value": "Lena (lamps)"}],
    }
    assert [one["username"] for one in log["users"]] == ["theo_okafor", "lena.w"]
    assert asked(sandbox) == [f"{PATH}?action_type=24&limit=50"]


async def test_every_argument_narrows_the_log(sandbox: Sandbox) -> None:
    last = written(sandbox, 3)[-1]

    async with desk(sandbox) as served:
        found = await served.call(
            TOOL, guild_id=demo.GUILD, user_id=f"<@{demo.THEO}>", target_id=demo.OMAR, before=last, limit=5
        )

    assert found.structured["count"] == 2
    assert asked(sandbox) == [f"{PATH}?user_id={demo.THEO}&target_id={demo.OMAR}&limit=5&before={last}"]


async def test_a_date_is_a_place_in_the_log(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call(TOOL, guild_id=demo.GUILD, after="2026-05-04")

    assert asked(sandbox) == [f"{PATH}?limit=50&after={id_at('2026-05-04')}"]


@pytest.mark.parametrize(("first", "order"), [({}, -1), ({"after": demo.GUILD}, 1)], ids=["back", "onward"])
async def test_the_log_comes_in_pages_without_gap_or_duplicate(
    sandbox: Sandbox, first: dict[str, str], order: int
) -> None:
    ids = written(sandbox, 4)[::order]
    found, place = [], first

    async with desk(sandbox) as served:
        for _ in range(3):
            page = (await served.call(TOOL, {"guild_id": demo.GUILD, "limit": 2, **place})).structured
            found.append([one["id"] for one in page["entries"]])
            place = {"cursor": page["next_cursor"]}

    assert found == [ids[:2], ids[2:], []]
    assert page["has_more"] is False


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"action_type": 7}, "action_type"),
        ({"action_type": "MEMBER_HUG"}, "action_type"),
        ({"before": demo.GUILD, "after": demo.GUILD}, "after"),
        ({"before": "yesterday"}, "before"),
        ({"limit": 101}, "limit"),
    ],
)
async def test_a_page_that_cannot_be_is_refused_without_a_request(
    sandbox: Sandbox, wrong: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(TOOL, guild_id=demo.GUILD, **wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []
