"""stage_instances: going live, what is live, and ending it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.demo_voice import LIVE, STAGE_CHANNEL

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

CREATE, MODIFY = "stage_instances_create", "stage_instances_modify"


async def test_what_is_live_is_told(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        live = await served.call("stage_instances_get", channel_id=f"<#{STAGE_CHANNEL}>")

    assert live.structured == {
        "id": LIVE,
        "guild_id": demo.SECOND_GUILD,
        "channel_id": STAGE_CHANNEL,
        "topic": "Chapter one, read by Lena",
        "privacy_level": 2,
        "guild_scheduled_event_id": None,
        "untrusted_text": "Chapter one, read by Lena",
    }
    assert asked(sandbox) == [f"GET /stage-instances/{STAGE_CHANNEL}"]


async def test_a_stage_goes_live_with_what_was_given_and_pings_nobody_unasked(sandbox: Sandbox) -> None:
    quiet, loud = example(sandbox, CREATE), example(sandbox, CREATE)

    async with desk(sandbox) as served:
        first = await served.call(CREATE, quiet, audit_reason="evening class")
        await served.call(CREATE, loud, send_start_notification=True, privacy_level=2)

    assert bodies(sandbox) == [quiet, {**loud, "send_start_notification": True, "privacy_level": 2}]
    assert (first.structured["topic"], first.structured["privacy_level"]) == (quiet["topic"], 2)
    entry = sandbox.world.guilds[demo.GUILD].audit[-2]
    assert (entry.deed, entry.reason) == (Deed.STAGE_INSTANCE_CREATE, "evening class")


async def test_a_stage_that_is_live_does_not_go_live_again(sandbox: Sandbox) -> None:
    place = example(sandbox, MODIFY)

    async with desk(sandbox) as served:
        refused = await served.call(CREATE, place)

    assert refused.structured["reason"] == "stage_is_live"


async def test_a_topic_changes_and_the_end_is_the_end(sandbox: Sandbox) -> None:
    place = example(sandbox, MODIFY)
    channel = {"channel_id": place["channel_id"]}

    async with desk(sandbox) as served:
        changed = await served.call(MODIFY, place)
        ended = await served.call("stage_instances_delete", channel | {"__confirm": True})
        gone = await served.call("stage_instances_get", channel)

    assert bodies(sandbox) == [{"topic": "Questions and answers"}]
    assert changed.structured["topic"] == "Questions and answers"
    assert ended.structured == {"deleted": True, **channel}
    assert only(sandbox, "DELETE").path == f"/stage-instances/{channel['channel_id']}"
    assert gone.structured["reason"] == "unknown_stage_instance"


@pytest.mark.parametrize(
    ("wrong", "path"),
    [({}, ""), ({"topic": ""}, "topic"), ({"topic": "x" * 121}, "topic"), ({"privacy_level": 3}, "privacy_level")],
)
async def test_a_change_that_cannot_be_is_refused_without_a_request(
    sandbox: Sandbox, wrong: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(MODIFY, channel_id=STAGE_CHANNEL, **wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_who_is_no_moderator_of_the_stage_changes_nothing(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(MODIFY, channel_id=STAGE_CHANNEL, topic="x")

    assert refused.code == "DISCORD_PERMISSION_DENIED"
