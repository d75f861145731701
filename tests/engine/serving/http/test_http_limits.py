"""How much is taken in over HTTP: bodies, requests under way, patience."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import orjson
import pytest
from tests.engine.serving.asking_gate import TOOLS as ASKING
from tests.engine.serving.asking_gate import sure
from tests.engine.serving.http.running import HEAD, MODERN, Running, envelope, running
from tests.engine.small_server import Desk, calls_of
from tests.loopback import HELLO, Answer, event_of, post_of

from accord.engine import Limits, validate


async def sent(server: Running, raw: str) -> bytes:
    """Write this to a bare connection and read until it closes."""
    async with server.wire() as (reader, writer):
        writer.write(raw.encode())
        return await reader.read()


async def test_of_what_a_client_says_of_itself_only_what_is_heeded_is_kept() -> None:
    deep = orjson.Fragment(b"[" * 300 + b"]" * 300)  # deeper than what orjson writes by itself
    said = {
        "capabilities": {"roots": {"listChanged": True}, "experimental": {"x": {"a": [[]] * 15_000, "b": deep}}},
        "clientInfo": {"name": "raw", "version": "1", "icons": [], "websiteUrl": "https://example.test"},
    }
    async with running() as server:
        session = await server.sessions.find(await server.greet({**HELLO, **said}))

    assert session is not None
    assert session.client == {
        "protocolVersion": HELLO["protocolVersion"],
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "raw", "version": "1"},
    }


async def test_a_client_whose_name_is_longer_than_may_be_kept_is_told_so() -> None:
    async with running() as server:
        hello = {**HELLO, "clientInfo": {"name": "n" * 5000, "version": "1"}}
        refused = await server.post(post_of("initialize", hello))

    assert (refused.status, refused.json["error"]) == (413, "payload_too_large")


async def test_a_body_of_the_most_bytes_passes_and_one_more_does_not() -> None:
    async with running(limits=Limits(body_bytes=2000)) as server:
        hello = post_of("initialize", HELLO)
        passed, refused = [await server.post(padded(hello, length)) for length in (2000, 2001)]
        after = await server.greet()

    assert (passed.status, refused.status, refused.json["error"]) == (200, 413, "payload_too_large")
    assert after


def padded(message: object, length: int) -> bytes:
    """Return a message with white space after it."""
    body = orjson.dumps(message)
    return body + b" " * (length - len(body))


async def test_a_body_is_refused_by_its_declared_length_before_any_of_it_came() -> None:
    async with running(limits=Limits(body_bytes=2000)) as server, server.wire() as (reader, writer):
        writer.write(f"{HEAD}Content-Length: 99999999999\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readuntil(b"}")

    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in head
    assert body == b'{"error":"payload_too_large","message":"a body has at most 2000 bytes"}'


async def test_a_body_without_a_declared_length_is_counted() -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(10_000):
            yield b" " * 1000

    async with running(limits=Limits(body_bytes=2000)) as server:
        headers = {"authorization": "Bearer tester", "content-type": "application/json"}
        async with server.http.post(server.url, data=endless(), headers=headers) as answer:
            status, told = answer.status, await answer.json()

    assert (status, told["error"]) == (413, "payload_too_large")


async def test_a_client_that_sends_too_much_still_reads_the_answer() -> None:
    async with running(limits=Limits(body_bytes=2000)) as server, server.wire() as (reader, writer):
        length = 20_000_000
        writer.write(f"{HEAD}Content-Length: {length}\r\n\r\n".encode() + b" " * length)
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("limits", [Limits(body_seconds=0.05), Limits(stall_seconds=0.05)])
async def test_a_body_that_stalls_is_given_up(limits: Limits) -> None:
    async with running(limits=limits) as server, server.wire() as (reader, writer):
        writer.write(f'{HEAD}Content-Length: 100\r\n\r\n{{"json'.encode())
        head = await reader.readuntil(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in head


async def test_a_body_that_breaks_off_is_not_acted_upon_even_where_it_makes_sense() -> None:
    async with running() as server:
        session = await server.greet()
        async with server.wire() as (_, writer):
            call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold","arguments":{"name":"cut"}}}'
            head = f"{HEAD}Mcp-Session-Id: {session}\r\nTransfer-Encoding: chunked\r\n\r\n"
            writer.write(f"{head}{len(call):x}\r\n{call}\r\n".encode())
            await writer.drain()
        after = await server.call("echo", {"text": "on"}, mcp_session_id=session)

        assert after.status == 200
        assert server.bench.arrived.empty()


async def test_one_request_too_many_is_told_to_come_again() -> None:
    async with running(limits=Limits(in_flight=2)) as server:
        session = await server.greet()
        held = [
            asyncio.ensure_future(server.call("hold", {"name": name}, id=name, mcp_session_id=session))
            for name in ("a", "b")
        ]
        arrived = {await server.bench.arrived.get() for _ in held}
        refused = await server.call("echo", {"text": "c"}, mcp_session_id=session)
        server.bench.released.set()
        answers = await asyncio.gather(*held)
        after = await server.call("echo", {"text": "c"}, mcp_session_id=session)

    assert arrived == {"a", "b"}
    assert (refused.status, refused.headers["retry-after"], refused.json["error"]) == (503, "1", "busy")
    assert {answer.status for answer in [*answers, after]} == {200}


async def test_streams_that_only_listen_do_not_count() -> None:
    async with running(limits=Limits(in_flight=1)) as server:
        session, other = await server.greet(), await server.greet()
        body = post_of("subscriptions/listen", envelope(notifications={"resourceSubscriptions": ["a://b"]}))
        listens = {"mcp_protocol_version": MODERN, "mcp_method": "subscriptions/listen"}
        async with (
            server.stream(session),
            server.stream(other),
            server.opened("POST", "/mcp", body=body, **listens) as listening,
        ):
            acknowledged = await event_of(listening)
            answer = await server.call("echo", {"text": "c"}, mcp_session_id=session)

    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert answer.status == 200


async def test_where_every_request_waits_for_an_answer_the_answer_comes_in() -> None:
    desk = Desk()
    limits = Limits(in_flight=1)
    async with running(calls=calls_of(ASKING, validate, sure, desk=desk), limits=limits) as server:
        session = await server.greet({**HELLO, "capabilities": {"elicitation": {}}})
        call = post_of("tools/call", {"name": "delete", "arguments": {"what": "it"}}, id=1)
        async with server.opened("POST", "/mcp", body=call, mcp_session_id=session) as stream:
            question = await event_of(stream)
            busy = await server.post(post_of("ping", id=2), mcp_session_id=session)
            yes = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"confirm": True}}}
            accepted = await server.post(yes, mcp_session_id=session)
            await event_of(stream)

    assert (busy.status, accepted.status, desk.done) == (503, 202, ["it"])


async def test_bodies_that_are_still_coming_keep_nobody_out() -> None:
    async with running(limits=Limits(in_flight=1)) as server:
        session = await server.greet()
        async with AsyncExitStack() as stack:
            for _ in range(3):
                reader, writer = await stack.enter_async_context(server.wire())
                writer.write(f"{HEAD}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n".encode())
                await reader.readuntil(b"HTTP/1.1 100 Continue\r\n\r\n")
            answer = await server.call("echo", {"text": "c"}, mcp_session_id=session)

    assert answer.status == 200


async def test_of_all_bodies_that_are_still_coming_there_is_a_most() -> None:
    limits = Limits(body_bytes=1000, buffered_bytes=1500)
    async with running(limits=limits) as server:
        session = await server.greet()
        call = padded(post_of("tools/call", {"name": "echo", "arguments": {"text": "c"}}), 800)
        async with server.wire() as (reader, writer):
            writer.write(f"{HEAD}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n".encode())
            await reader.readuntil(b"HTTP/1.1 100 Continue\r\n\r\n")
            writer.write(b" " * 900)
            refused = await eventually(503, lambda: server.post(call, mcp_session_id=session))
        after = await eventually(200, lambda: server.post(call, mcp_session_id=session))

    assert (refused.json["error"], refused.headers["retry-after"]) == ("busy", "1")
    assert after.status == 200


async def eventually(status: int, ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Ask until the answer has this status: nothing says when a server has read what was sent."""
    async with asyncio.timeout(10):
        while (answer := await ask()).status != status:
            pass
    return answer


@pytest.mark.parametrize("line", ["GET http://[::1 HTTP/1.1", "GET mcp HTTP/1.1", "GET /\x01 HTTP/1.1", "NONSENSE"])
async def test_a_request_target_that_is_no_url_is_a_400(line: str) -> None:
    async with running() as server:
        answer = await sent(server, f"{line}\r\nHost: localhost\r\n\r\n")
        after = await server.greet()

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert after
