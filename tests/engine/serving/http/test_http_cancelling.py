"""Calls that their client gives up: work stops where the era says so, and no answer is sent."""

from __future__ import annotations

import asyncio

import orjson
from tests.engine.serving.http.running import HEAD, MODERN, Running, envelope, running
from tests.loopback import PING, block_of, event_of, post_of

from accord.engine import Limits

FIRST = post_of("tools/call", {"name": "hold", "arguments": {"name": "first"}}, id=1)


def cancelled(request_id: object) -> dict[str, object]:
    """Return the notification that takes a request back."""
    return post_of("notifications/cancelled", {"requestId": request_id}, id=None)


async def test_a_cancelled_call_stops_and_its_post_ends_without_an_answer() -> None:
    async with running() as server:
        session = await server.greet()
        call = asyncio.ensure_future(server.post(FIRST, mcp_session_id=session))
        await server.bench.arrived.get()
        accepted = await server.post(cancelled(1), mcp_session_id=session)
        answer = await call
        again = await server.post(post_of("ping", id=1), mcp_session_id=session)

    assert (accepted.status, answer.status, answer.body) == (202, 202, b"")
    assert server.bench.ended.get_nowait() == "first cancelled"
    assert again.status == 200


async def test_a_cancelled_calls_stream_ends_without_an_answer() -> None:
    async with running(limits=Limits(ping_seconds=0.01)) as server:
        session = await server.greet()
        async with server.opened("POST", "/mcp", body=FIRST, mcp_session_id=session) as stream:
            assert await block_of(stream) == PING
            await server.post(cancelled(1), mcp_session_id=session)
            rest = await stream.read()

    assert set(rest.split(b"\n\n")) <= {b": ping", b""}


async def test_true_is_not_the_id_1() -> None:
    async with running() as server:
        session = await server.greet()
        held = asyncio.ensure_future(server.call("hold", {"name": "a"}, id=1, mcp_session_id=session))
        await server.bench.arrived.get()
        await server.post(cancelled(True), mcp_session_id=session)
        server.bench.released.set()
        answer = await held

    assert answer.json["result"]["structuredContent"] == {"text": "a"}


async def test_nobody_cancels_another_sessions_call() -> None:
    async with running() as server:
        session, other = await server.greet(), await server.greet()
        call = asyncio.ensure_future(server.post(FIRST, mcp_session_id=session))
        await server.bench.arrived.get()
        await server.post(cancelled(1), mcp_session_id=other)
        await server.post(cancelled("1"), mcp_session_id=session)
        server.bench.released.set()
        answer = await call

    assert answer.json["result"]["structuredContent"] == {"text": "first"}


async def hung_up(server: Running, body: bytes, headers: str) -> None:
    """Post a call, wait until it is under way, and close the connection."""
    async with server.wire() as (_, writer):
        writer.write(f"{HEAD}{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await server.bench.arrived.get()


async def test_hanging_up_cancels_a_call_of_the_2026_era() -> None:
    async with running() as server:
        body = orjson.dumps(post_of("tools/call", envelope(name="hold", arguments={"name": "it"})))
        await hung_up(server, body, f"Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: hold\r\n")

        assert await server.bench.ended.get() == "it cancelled"


async def test_hanging_up_cancels_nothing_in_a_session() -> None:
    async with running() as server:
        session = await server.greet()
        await hung_up(server, orjson.dumps(FIRST), f"Mcp-Session-Id: {session}\r\n")
        # A call of the 2026 era that is hung up on later is cancelled by then: so would this one have been.
        body = orjson.dumps(post_of("tools/call", envelope(name="hold", arguments={"name": "it"})))
        await hung_up(server, body, f"Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: hold\r\n")
        cancelled_one = await server.bench.ended.get()
        server.bench.released.set()

        assert (cancelled_one, await server.bench.ended.get()) == ("it cancelled", "first done")


async def test_a_silent_call_becomes_a_stream_with_comments_that_keep_it_open() -> None:
    async with running(limits=Limits(ping_seconds=0.01)) as server:
        session = await server.greet()
        async with server.opened("POST", "/mcp", body=FIRST, mcp_session_id=session) as stream:
            comments = [await block_of(stream) for _ in range(3)]
            server.bench.released.set()
            answer = await event_of(stream)

    assert comments == [PING] * 3
    assert answer["result"]["structuredContent"] == {"text": "first"}


async def test_a_client_that_takes_json_only_gets_no_comments() -> None:
    async with running(limits=Limits(ping_seconds=0.001)) as server:
        session = await server.greet()
        call = asyncio.ensure_future(server.post(FIRST, mcp_session_id=session, accept="application/json"))
        await server.bench.arrived.get()
        async with server.opened("POST", "/mcp", body={**FIRST, "id": 2}, mcp_session_id=session) as other:
            assert await block_of(other) == PING
            server.bench.released.set()
            answer = await call

    assert answer.headers["content-type"] == "application/json"
    assert answer.json["result"]["structuredContent"] == {"text": "first"}
