"""A caller that gives up: what waits is never sent, what is on the wire is the last of it, and the server lives on."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.served import desk

from accord.discord.sandbox import Exchange, Sandbox, demo

if TYPE_CHECKING:
    from tests.served import Era

ERAS: list[Era] = ["2025", "2026"]
SEND = "POST /channels/{}/messages"


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_is_cancelled_while_it_waits_for_a_limit_sends_nothing_more(era: Era) -> None:
    limited = asyncio.Event()

    def watch(exchange: Exchange) -> None:
        if exchange.status == 429:
            limited.set()

    async with Sandbox.start(on_exchange=watch) as sandbox, desk(sandbox, era) as served:
        sandbox.fail(SEND, "rate_limited", scope="user", retry_after=0.3)
        given_up = asyncio.create_task(served.call("messages_send", channel_id=demo.GENERAL, content="given up"))
        await limited.wait()
        given_up.cancel()
        with suppress(asyncio.CancelledError):
            await given_up
        next_one = await served.call("messages_send", channel_id=demo.GENERAL, content="wanted")

    said = [one.content for one in sandbox.world.channels[demo.GENERAL].messages.values()]
    assert not next_one.failed
    assert ("wanted" in said, "given up" in said) == (True, False)
    assert len(served.writes) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_no_request_follows_the_one_that_was_on_the_wire(era: Era) -> None:
    async with Sandbox.start() as sandbox, desk(sandbox, era) as served:
        sandbox.fail(SEND, "delay", seconds=0.2)
        given_up = asyncio.create_task(served.call("messages_send", channel_id=demo.GENERAL, content="given up"))
        read = await served.call("messages_read", channel_id=demo.GENERAL)
        given_up.cancel()
        with suppress(asyncio.CancelledError):
            await given_up
        again = await served.call("messages_send", channel_id=demo.SECOND_GENERAL, content="wanted")

    assert not read.failed
    assert not again.failed
    assert f"/channels/{demo.GENERAL}" not in [one.path for one in sandbox.requests]
