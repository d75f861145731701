"""A tool hears whether its answer went out: to a client that is there, to one that has gone, to one that cancelled."""

from __future__ import annotations

import asyncio

import orjson
import pytest
from tests.engine.serving.http.running import HEAD, MODERN, Era, Running, envelope, running
from tests.loopback import post_of

SLOW = post_of("tools/call", {"name": "hear", "arguments": {"slow": True}}, id=1)


async def hung_up(server: Running, message: object, headers: str) -> None:
    """Post a call, wait until it is under way, and close the connection."""
    body = orjson.dumps(message)
    async with server.wire() as (_, writer):
        writer.write(f"{HEAD}{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await server.bench.arrived.get()


async def test_an_answer_that_was_written_went_out() -> None:
    async with running() as server:
        session = await server.greet()
        await server.call("hear", mcp_session_id=session)

        assert server.bench.arrived.get_nowait() == "will hear: True"
        assert await server.bench.ended.get() == "went out: True"


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
async def test_a_slow_answer_went_out_too(accept: str) -> None:
    async with running() as server:
        session = await server.greet()
        call = asyncio.ensure_future(server.post(SLOW, mcp_session_id=session, accept=accept))
        await server.bench.arrived.get()
        server.bench.released.set()
        await call

        assert await server.bench.ended.get() == "went out: True"


@pytest.mark.parametrize("era", ["2025", "2026"])
async def test_a_failure_that_went_out_instead_of_the_answer_is_no_answer_that_went_out(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        result = await client.call_tool("hear", {"unsayable": True})

        assert result.is_error
        assert await server.bench.ended.get() == "went out: False"


async def test_an_answer_for_who_has_gone_did_not_go_out() -> None:
    async with running() as server:
        session = await server.greet()
        await hung_up(server, SLOW, f"Mcp-Session-Id: {session}\r\n")
        # A call of the 2026 era that is hung up on later is cancelled once that is seen: so this one was seen as well.
        later = post_of("tools/call", envelope(name="hold", arguments={"name": "it"}))
        await hung_up(server, later, f"Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: hold\r\n")
        assert await server.bench.ended.get() == "it cancelled"
        server.bench.released.set()

        assert await server.bench.ended.get() == "went out: False"


async def test_a_cancelled_call_has_no_answer_that_went_out() -> None:
    async with running() as server:
        session = await server.greet()
        call = asyncio.ensure_future(server.post(SLOW, mcp_session_id=session))
        await server.bench.arrived.get()
        await server.post(post_of("notifications/cancelled", {"requestId": 1}, id=None), mcp_session_id=session)
        await call

        assert await server.bench.ended.get() == "went out: False"
