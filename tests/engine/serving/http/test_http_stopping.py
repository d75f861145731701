"""A server that is about to stop: streams end at once, calls may finish, and nobody can keep it waiting."""

from __future__ import annotations

import asyncio
import time

from tests.engine.serving.http.running import HEAD, MODERN, envelope, running
from tests.loopback import event_of, post_of


async def test_streams_that_only_listen_end_and_no_new_ones_open() -> None:
    async with running() as server:
        session = await server.greet()
        listen = post_of("subscriptions/listen", envelope(notifications={"resourceSubscriptions": ["a://b"]}))
        headers = {"mcp_protocol_version": MODERN, "mcp_method": "subscriptions/listen"}
        async with server.stream(session) as stream, server.opened("POST", "/mcp", body=listen, **headers) as listening:
            await event_of(listening)
            server.app.end_streams()
            rests = [await stream.read(), await listening.read()]
        refused = [
            await server.send("GET", mcp_session_id=session),
            await server.post(listen, **headers),
        ]
        answer = await server.call("echo", {"text": "on"}, mcp_session_id=session)

    assert rests == [b"", b""]
    assert {(one.status, one.json["error"], one.headers["retry-after"]) for one in refused} == {(503, "stopping", "1")}
    assert answer.status == 200


async def test_a_call_under_way_is_answered_before_the_server_stops() -> None:
    async with running() as server:
        session = await server.greet()
        call = asyncio.ensure_future(server.call("hold", {"name": "it"}, mcp_session_id=session))
        await server.bench.arrived.get()
        stopping = asyncio.ensure_future(server.server.shutdown())
        await asyncio.wait([stopping], timeout=0.05)
        under_way = not call.done()
        server.bench.released.set()
        answer = await call
        await stopping

    assert under_way
    assert answer.json["result"]["structuredContent"] == {"text": "it"}


async def test_a_client_that_stalls_keeps_nobody_waiting_beyond_the_deadline() -> None:
    async with running(drain_seconds=1) as server, server.wire() as (_, writer):
        writer.write(f"{HEAD}Content-Length: 100\r\n\r\n".encode())
        await server.greet()
        began = time.monotonic()
        await server.server.shutdown()
        took = time.monotonic() - began

    assert took < 3
