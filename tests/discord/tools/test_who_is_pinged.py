"""Mentions: a text pings nobody unless its sender says so, and the text itself is never altered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

LOUD = f"@everyone @here <@&{demo.MEMBER_ROLE}> <@{demo.THEO}> <@{demo.LENA}> @every@everyoneone"
NOBODY: dict[str, Any] = {"everyone": False, "users": [], "roles": []}
SILENT: dict[str, Any] = {"parse": [], "replied_user": False}


async def test_a_message_pings_nobody_and_keeps_its_text(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content=LOUD)

    stored = sandbox.world.channels[demo.GENERAL].messages[sent.structured["message_id"]]
    assert bodies(sandbox)[0]["allowed_mentions"] == SILENT
    assert sent.structured["pinged"] == NOBODY
    assert stored.content == LOUD


async def test_a_reply_does_not_ping_the_author_it_answers(sandbox: Sandbox) -> None:
    answered = demo.message_with(sandbox.world, demo.GENERAL, "Six works")

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content=LOUD, reply_to=answered.id)

    assert bodies(sandbox)[0]["allowed_mentions"] == SILENT
    assert sent.structured["pinged"] == NOBODY


async def test_an_edit_pings_nobody(sandbox: Sandbox) -> None:
    own = example(sandbox, "messages_edit")

    async with desk(sandbox) as served:
        await served.call("messages_edit", own | {"content": LOUD})

    stored = sandbox.world.channels[demo.GENERAL].messages[own["message_id"]]
    assert bodies(sandbox)[0]["allowed_mentions"] == SILENT
    assert (stored.mentions, stored.mention_roles, stored.mention_everyone) == ([], [], False)


@pytest.mark.parametrize(
    ("opened", "pinged"),
    [
        ({"users": [demo.THEO]}, {**NOBODY, "users": [demo.THEO]}),
        ({"roles": [demo.MEMBER_ROLE]}, {**NOBODY, "roles": [demo.MEMBER_ROLE]}),
        ({"parse": ["users"]}, {**NOBODY, "users": [demo.THEO, demo.LENA]}),
        ({"parse": ["everyone"]}, {**NOBODY, "everyone": True}),
        ({"parse": [], "users": []}, NOBODY),
    ],
)
async def test_only_those_whom_the_caller_names_are_pinged(
    sandbox: Sandbox, opened: dict[str, Any], pinged: dict[str, Any]
) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content=LOUD, allowed_mentions=opened)

    assert bodies(sandbox)[0]["allowed_mentions"] == SILENT | opened
    assert sent.structured["pinged"] == pinged


async def test_the_author_replied_to_is_pinged_where_that_is_asked_for(sandbox: Sandbox) -> None:
    answered = demo.message_with(sandbox.world, demo.GENERAL, "Six works")

    async with desk(sandbox) as served:
        sent = await served.call(
            "messages_send",
            channel_id=demo.GENERAL,
            content="x",
            reply_to=answered.id,
            allowed_mentions={"replied_user": True},
        )

    assert sent.structured["pinged"]["users"] == [demo.LENA]


@pytest.mark.parametrize(
    ("opened", "path"),
    [
        ({"parse": ["users"], "users": [demo.THEO]}, "allowed_mentions.users"),
        ({"parse": ["roles"], "roles": [demo.MEMBER_ROLE]}, "allowed_mentions.roles"),
        ({"parse": ["all"]}, "allowed_mentions.parse[0]"),
        ({"users": ["theo"]}, "allowed_mentions.users[0]"),
        ({"users": [demo.THEO] * 101}, "allowed_mentions.users"),
        ({"everyone": True}, "allowed_mentions.everyone"),
    ],
)
@pytest.mark.parametrize("tool", ["messages_send", "messages_edit"])
async def test_mentions_that_discord_would_refuse_are_refused_before(
    sandbox: Sandbox, tool: str, opened: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, example(sandbox, tool) | {"allowed_mentions": opened})

    assert refused.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []
