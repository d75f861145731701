"""Sessions that need not be somebody's from the start: who binds them, and what everybody else is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from tests.engine.serving.http.running import MODERN, Running, envelope, running
from tests.loopback import HELLO, Answer, event_of, post_of

from accord.engine import (
    Call,
    ClientError,
    Limits,
    Next,
    Refusal,
    Reply,
    SessionRules,
    open_state,
    validate,
)

CHALLENGE = 'Bearer resource_metadata="http://here/metadata"'


def challenged(_: object) -> Refusal:
    """Say who should be asked for a key."""
    return Refusal(401, {"error": "AUTH_REQUIRED", "message": "sign in"}, {"www-authenticate": CHALLENGE})


LAZY = SessionRules(opened_by_anyone=True, tells_whose=True, standalone=False, challenge=challenged)
STRICT = SessionRules(tells_whose=True, standalone=False, challenge=challenged)


class NobodyError(ClientError, code="AUTH_REQUIRED", hint="Sign in.", status=401):
    """Nobody knows who calls."""


async def need_somebody(call: Call, following: Next) -> Reply:
    """Refuse who is not known."""
    if not call.caller.is_known:
        raise NobodyError
    return await following(call)


GATES = (need_somebody, validate)


def plain(answer: Answer) -> tuple[int, str]:
    """Return a plain refusal: its status and its error. All of them have a message for people, and nothing of MCP."""
    assert set(answer.json) >= {"error", "message"}
    assert "jsonrpc" not in answer.json
    return answer.status, answer.json["error"]


async def who(server: Running, session: str, name: str | None) -> Answer:
    """Ask in a session who calls."""
    return await server.call("who", mcp_session_id=session, authorization=name and f"Bearer {name}")


def said(answer: Answer) -> Any:
    """Return the structured content of a result."""
    return answer.json["result"]["structuredContent"]


async def test_a_session_opened_by_nobody_belongs_to_its_first_known_caller() -> None:
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization=None)
        first = await who(server, session, "alice")
        again = await who(server, session, "alice")
        other = await who(server, session, "bob")

    assert [said(answer) for answer in (first, again)] == [{"caller": "alice"}] * 2
    assert plain(other) == (403, "session_mismatch")


async def test_a_session_opened_by_a_known_caller_is_its_own_at_once() -> None:
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization="Bearer alice")
        other = await who(server, session, "bob")

    assert plain(other) == (403, "session_mismatch")


async def test_a_call_of_nobody_is_answered_by_the_gates_with_the_challenge_of_http() -> None:
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization=None)
        unbound = await who(server, session, None)
        await who(server, session, "alice")
        bound = await who(server, session, None)

    for answer in (unbound, bound):
        assert (answer.status, answer.headers["www-authenticate"]) == (401, CHALLENGE)
        assert answer.headers["content-type"] == "application/json"
        assert answer.json["id"] == 7
        assert answer.json["result"]["isError"]
        assert said(answer)["code"] == "AUTH_REQUIRED"


@pytest.mark.parametrize("method", ["ping", "tools/list"])
async def test_nobody_may_ping_and_list(method: str) -> None:
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization=None)
        unbound = await server.post(post_of(method), mcp_session_id=session, authorization=None)
        await who(server, session, "alice")
        bound = await server.post(post_of(method), mcp_session_id=session, authorization=None)

    assert (unbound.status, bound.status) == (200, 200)
    assert unbound.json == bound.json


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_what_is_done_with_a_bound_session_is_its_callers(method: str) -> None:
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization=None)
        await who(server, session, "alice")
        nobody = await server.send(method, mcp_session_id=session, authorization=None)
        other = await server.send(method, mcp_session_id=session, authorization="Bearer bob")

    assert plain(nobody) == (401, "AUTH_REQUIRED")
    assert nobody.headers["www-authenticate"] == CHALLENGE
    assert plain(other) == (403, "session_mismatch")


async def test_notifications_of_nobody_do_nothing_in_a_bound_session() -> None:
    cancelled = post_of("notifications/cancelled", {"requestId": 7}, id=None)
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization=None)
        initialized = await server.post(
            post_of("notifications/initialized", id=None), mcp_session_id=session, authorization=None
        )
        held = asyncio.ensure_future(server.call("hold", {"name": "it"}, mcp_session_id=session))
        await server.bench.arrived.get()
        refused = await server.post(cancelled, mcp_session_id=session, authorization=None)
        server.bench.released.set()
        done = await held

    assert initialized.status == 202
    assert plain(refused) == (401, "AUTH_REQUIRED")
    assert said(done) == {"text": "it"}


async def test_nobody_may_end_a_session_that_is_nobodys() -> None:
    async with running(*GATES, rules=LAZY) as server:
        session = await server.greet(authorization=None)
        ended = await server.send("DELETE", mcp_session_id=session, authorization=None)
        after = await server.post(post_of("ping"), mcp_session_id=session, authorization=None)

    assert ended.status == 200
    assert plain(after) == (404, "session_not_found")


async def test_of_two_that_race_for_a_session_one_gets_it_whichever_replica_they_ask(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.db'}"
    left, right = open_state(url), open_state(url)
    async with (
        running(*GATES, rules=LAZY, state=left) as here,
        running(*GATES, rules=LAZY, state=right) as there,
    ):
        for _ in range(10):
            session = await here.greet(authorization=None)
            names = ("alice", "bob", "carol", "dave")
            asked = [who((here, there)[n % 2], session, name) for n, name in enumerate(names)]
            answers = await asyncio.gather(*asked)
            winners = [said(answer)["caller"] for answer in answers if answer.status == 200]
            told = [plain(answer) for answer in answers if answer.status != 200]

            assert len(winners) == 1
            assert told == [(403, "session_mismatch")] * 3
            assert said(await who(there, session, winners[0])) == {"caller": winners[0]}
    await left.close()
    await right.close()


async def test_who_has_to_be_known_at_the_handshake_is_told_so() -> None:
    async with running(*GATES, rules=STRICT, exclusive=True) as server:
        refused = await server.post(post_of("initialize", HELLO), authorization=None)

    assert plain(refused) == (401, "AUTH_REQUIRED")
    assert refused.headers["www-authenticate"] == CHALLENGE


async def test_who_may_have_one_session_is_told_which_and_can_go_on_in_it() -> None:
    async with running(*GATES, rules=STRICT, exclusive=True) as server:
        session = await server.greet(authorization="Bearer alice")
        second = await server.post(post_of("initialize", HELLO), authorization="Bearer alice")
        other = await server.post(post_of("initialize", HELLO), authorization="Bearer bob")
        adopted = await who(server, second.json["active_session_id"], "alice")
        await server.send("DELETE", mcp_session_id=session, authorization="Bearer alice")
        anew = await server.post(post_of("initialize", HELLO), authorization="Bearer alice")

    assert plain(second) == (409, "session_conflict")
    assert second.json["active_session_id"] == session
    assert said(adopted) == {"caller": "alice"}
    assert (other.status, anew.status) == (200, 200)


async def test_requests_without_a_session_are_told_that_one_is_required() -> None:
    request = post_of("tools/call", envelope(name="who", arguments={}))
    notification = post_of("notifications/cancelled", envelope(requestId=1), id=None)
    async with running(*GATES, rules=LAZY) as server:
        headers = {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": "who"}
        refused = [await server.post(message, **headers) for message in (request, notification)]

    assert [plain(answer) for answer in refused] == [(400, "session_required")] * 2


async def test_a_client_of_both_eras_shakes_hands_then() -> None:
    async with running(*GATES, rules=LAZY) as server, server.client("2026") as client:
        result = await client.call_tool("who", {})

    assert result.structured_content == {"caller": "tester"}


async def test_what_a_caller_is_told_reaches_all_its_open_streams_and_nobody_elses() -> None:
    news = b'{"jsonrpc":"2.0","method":"notifications/news"}'
    async with running(*GATES, rules=LAZY) as server:
        one, two = [await server.greet(authorization="Bearer alice") for _ in range(2)]
        other = await server.greet(authorization="Bearer bob")
        async with (
            server.stream(one, authorization="Bearer alice") as first,
            server.stream(two, authorization="Bearer alice") as second,
            server.stream(other, authorization="Bearer bob") as third,
        ):
            await server.sessions.tell("alice", news)
            await server.sessions.tell("bob", b'{"jsonrpc":"2.0","method":"notifications/other"}')
            heard = [await event_of(stream) for stream in (first, second, third)]

    assert [message["method"] for message in heard] == ["notifications/news"] * 2 + ["notifications/other"]


async def test_a_stream_of_nobody_ends_when_its_session_becomes_somebodys() -> None:
    async with running(*GATES, rules=LAZY, limits=Limits(ping_seconds=60)) as server:
        session = await server.greet(authorization=None)
        async with server.stream(session, authorization=None) as stream:
            await who(server, session, "alice")
            await server.sessions.tell("alice", b'{"jsonrpc":"2.0","method":"notifications/news"}')
            rest = await stream.read()
        async with server.stream(session, authorization="Bearer alice") as stream:
            await server.sessions.tell("alice", b'{"jsonrpc":"2.0","method":"notifications/news"}')
            heard = await event_of(stream)

    assert rest == b""
    assert heard["method"] == "notifications/news"


async def test_a_stream_ends_at_once_with_its_session() -> None:
    async with running(*GATES, rules=LAZY, limits=Limits(ping_seconds=60)) as server:
        session = await server.greet()
        async with server.stream(session) as stream:
            await server.sessions.close(session)

            assert await stream.read() == b""


async def test_what_a_product_serves_besides_is_for_the_same_hosts_and_health_is_for_all() -> None:
    async def hello(_: Request) -> PlainTextResponse:
        return PlainTextResponse("hello")

    async with running(routes=[Route("/hello", hello)]) as server:
        answers = [
            await server.send("GET", path, host=host)
            for path in ("/hello", "/healthz")
            for host in ("localhost", "evil.example")
        ]
        from_a_page = await server.send("GET", "/hello", origin="https://app.example")

    assert [answer.status for answer in answers] == [200, 421, 200, 200]
    assert answers[0].body == b"hello"
    assert from_a_page.status == 200
