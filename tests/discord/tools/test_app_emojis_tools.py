"""app_emojis: the emoji of the bot's own application."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual.emojis import PICTURE
from tests.served import desk

from accord.discord.sandbox import demo, demo_plans

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

EMOJIS = f"/applications/{demo.APPLICATION}/emojis"


async def test_an_application_that_is_left_out_is_the_bots_own_and_asked_for_once(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("app_emojis_list")).structured
        made = (await served.call("app_emojis_create", name="fish", image=PICTURE)).structured
        changed = (
            await served.call("app_emojis_modify", emoji_id=f"<:fish:{made['id']}>", name="paper_fish")
        ).structured
        deleted = (await served.call("app_emojis_delete", emoji_id=made["id"], __confirm=True)).structured

    assert asked(sandbox) == [
        "GET /applications/@me",
        f"GET {EMOJIS}",
        f"POST {EMOJIS}",
        f"PATCH {EMOJIS}/{made['id']}",
        f"DELETE {EMOJIS}/{made['id']}",
    ]
    assert bodies(sandbox) == [{"name": "fish", "image": PICTURE}, {"name": "paper_fish"}]
    assert [one["id"] for one in listed["emojis"]] == [demo_plans.GLOW]
    assert (listed["count"], listed["has_more"], changed["name"]) == (1, False, "paper_fish")
    assert deleted == {"deleted": True, "application_id": demo.APPLICATION, "emoji_id": made["id"]}
    assert list(sandbox.world.app_emojis) == [demo_plans.GLOW]


@pytest.mark.parametrize("given", [{}, {"name": None}, {"application_id": demo.APPLICATION}])
async def test_a_change_of_nothing_is_refused(sandbox: Sandbox, given: dict[str, str | None]) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("app_emojis_modify", emoji_id=demo_plans.GLOW, **given)

    assert refused.code == "VALIDATION_FAILED"
    assert asked(sandbox) == []


async def test_the_bot_can_react_with_an_emoji_of_its_own(sandbox: Sandbox) -> None:
    message = demo.message_with(sandbox.world, demo.GENERAL, "Six works")
    place = {"channel_id": demo.GENERAL, "message_id": message.id}

    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", place, emoji=f"<:glow:{demo_plans.GLOW}>")

    assert not reacted.failed
    assert message.reactions[demo_plans.GLOW].user_ids == [demo.BOT]
