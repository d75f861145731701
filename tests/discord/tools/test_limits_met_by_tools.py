"""Discord's limits as a tool meets them: short waits are waited for, long ones are told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

SEND = "POST /channels/{}/messages"


async def test_a_limit_of_one_bucket_holds_up_that_bucket_alone(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "rate_limited", scope="user", retry_after=0.3)

    async with desk(sandbox) as served:
        sent, shown = await asyncio.gather(
            served.call("messages_send", channel_id=demo.GENERAL, content="late"),
            served.call("guild_get", guild_id=demo.GUILD),
        )

    assert not sent.failed
    assert not shown.failed
    order = [(one.method, one.status) for one in sandbox.requests if one.path != f"/channels/{demo.GENERAL}"]
    assert order.index(("GET", 200)) < order.index(("POST", 200))
    assert order.count(("POST", 429)) == 1


@pytest.mark.parametrize("tool", [name for name in TOOLS if own_tools()[name].open_world])
async def test_a_wait_beyond_the_calls_deadline_is_told_instead_of_slept_through(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.fail("*", "rate_limited", scope="user", retry_after=86_000)

    async with desk(sandbox) as served:
        limited = await served.call(tool, arguments)

    assert (limited.code, limited.structured["retry_after_ms"]) == ("DISCORD_RATE_LIMITED", 86_000_000)
    assert limited.structured["retriable"] is True
    assert len(sandbox.requests) == 1
