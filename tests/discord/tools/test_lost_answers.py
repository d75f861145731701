"""Answers that never came: what may be repeated is repeated, and nothing is done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import bodies
from tests.discord.tools.usual_calls import MISSING, example
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

SEND = "POST /channels/{}/messages"
SOON_MS = "50"

LOSSES: dict[str, tuple[str, dict[str, Any]]] = {
    "dropped before": ("drop", {"after": False}),
    "dropped after": ("drop", {"after": True}),
    "502 before": ("bad_gateway_html", {"after": False}),
    "502 after": ("bad_gateway_html", {"after": True}),
    "500 of discord": ("status", {"status": 500}),
}


def said(sandbox: Sandbox, words: str) -> int:
    """How many messages of #general have this text."""
    return [one.content for one in sandbox.world.channels[demo.GENERAL].messages.values()].count(words)


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_message_whose_answer_was_lost_is_sent_once(sandbox: Sandbox, loss: str) -> None:
    kind, options = LOSSES[loss]
    sandbox.fail(SEND, kind, **options)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="once")

    first, second = bodies(sandbox)
    assert not sent.failed
    assert first == second
    assert first["enforce_nonce"] is True
    assert 1 <= len(first["nonce"]) <= 25
    assert said(sandbox, "once") == 1


async def test_a_message_that_cannot_be_got_through_leaves_its_outcome_open(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "drop", times=None, after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        lost = await served.call("messages_send", channel_id=demo.GENERAL, content="once")

    facts = {name: lost.structured.get(name) for name in ("code", "retriable", "outcome", "nonce")}
    assert facts == {
        "code": "DISCORD_SERVER_ERROR",
        "retriable": False,
        "outcome": "unknown",
        "nonce": bodies(sandbox)[0]["nonce"],
    }
    assert said(sandbox, "once") == 1


async def test_a_message_that_brought_its_own_nonce_may_be_sent_again_as_it_is(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "drop", times=4, after=True)
    message = {"channel_id": demo.GENERAL, "content": "once", "nonce": "mine"}

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        lost = await served.call("messages_send", message)
        sent = await served.call("messages_send", message)

    facts = {name: lost.structured.get(name) for name in ("code", "retriable", "outcome", "nonce")}
    assert facts == {"code": "DISCORD_SERVER_ERROR", "retriable": True, "outcome": "unknown", "nonce": "mine"}
    assert "same `nonce`" in lost.structured["recovery_hint"]
    assert not sent.failed
    assert said(sandbox, "once") == 1


async def test_a_refused_message_with_its_own_nonce_is_not_to_be_repeated(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_send", channel_id=MISSING, content="once", nonce="mine")

    assert (refused.code, refused.structured["retriable"]) == ("DISCORD_NOT_FOUND", False)


async def test_a_repeat_with_the_nonce_of_the_failure_sends_nothing_twice(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "drop", times=4, after=True)
    message = {"channel_id": demo.GENERAL, "content": "once"}

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        lost = await served.call("messages_send", message)
        sent = await served.call("messages_send", {**message, "nonce": lost.structured["nonce"]})

    assert (lost.failed, sent.failed) == (True, False)
    assert said(sandbox, "once") == 1


async def test_the_callers_own_nonce_gives_the_first_result_again(sandbox: Sandbox) -> None:
    message = {"channel_id": demo.GENERAL, "content": "once", "nonce": "mine"}

    async with desk(sandbox) as served:
        first = await served.call("messages_send", message)
        second = await served.call("messages_send", message)

    assert first.structured == second.structured
    assert said(sandbox, "once") == 1


async def test_two_messages_of_the_same_words_are_two_messages(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        first = await served.call("messages_send", channel_id=demo.GENERAL, content="again")
        second = await served.call("messages_send", channel_id=demo.GENERAL, content="again")

    assert first.structured["nonce"] != second.structured["nonce"]
    assert said(sandbox, "again") == 2


@pytest.mark.parametrize("tool", ["messages_edit", "reactions_create"])
async def test_a_write_that_is_harmless_twice_is_repeated(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.fail("*", "drop", after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        done = await served.call(tool, arguments)

    assert not done.failed
    assert len(served.writes) > 1
    assert len(set(served.writes)) == 1


async def test_a_deletion_whose_answer_was_lost_leaves_the_message_gone(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "messages_delete")
    sandbox.fail("*", "bad_gateway_html", after=False)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        deleted = await served.call("messages_delete", arguments)

    assert not deleted.failed
    assert arguments["message_id"] not in sandbox.world.channels[demo.GENERAL].messages


@pytest.mark.parametrize(
    "tool", ["messages_read", "channels_list", "channels_get", "members_get", "users_list_current_user_guilds"]
)
async def test_a_read_is_repeated(sandbox: Sandbox, tool: str) -> None:
    sandbox.fail("*", "drop")

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS=SOON_MS) as served:
        read = await served.call(tool, example(sandbox, tool))

    assert not read.failed
    assert len(sandbox.requests) == 2
