"""What a POST and its answer look like on the wire."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import types
from tests.engine.serving.asking_gate import TOOLS as ASKING
from tests.engine.serving.asking_gate import sure
from tests.engine.serving.http.running import MODERN, Running, envelope, running
from tests.engine.small_server import Desk, calls_of
from tests.loopback import HELLO, event_of, post_of

from accord.engine import validate

ECHO = post_of("tools/call", {"name": "echo", "arguments": {"text": "hi"}}, id=5)


async def test_initialize_answers_json_with_a_session_and_the_version_that_was_asked_for() -> None:
    async with running() as server:
        answers = {
            version: await server.post(post_of("initialize", {**HELLO, "protocolVersion": version}))
            for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01", MODERN)
        }

    told = {version: answer.json["result"]["protocolVersion"] for version, answer in answers.items()}
    newest = "2025-11-25"
    assert {answer.status for answer in answers.values()} == {200}
    assert {answer.headers["content-type"] for answer in answers.values()} == {"application/json"}
    assert len({answer.headers["mcp-session-id"] for answer in answers.values()}) == len(answers)
    assert told == {version: version for version in answers} | {"1999-01-01": newest, MODERN: newest}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp?a=b"])
async def test_the_path_may_end_in_a_slash_or_carry_a_query(path: str) -> None:
    async with running() as server:
        answer = await server.send("POST", path, body=post_of("initialize", HELLO))

    assert answer.status == 200


async def test_there_is_nothing_at_other_paths() -> None:
    async with running() as server:
        answers = [await server.send("POST", path, body=ECHO) for path in ("/", "/mcp/x", "/mcpx", "/healthz/")]
        discovery = [await server.send("GET", f"/.well-known/oauth-protected-resource{path}") for path in ("", "/mcp")]

    assert {answer.status for answer in answers + discovery} == {404}


async def test_a_call_that_sends_nothing_in_between_is_answered_in_json() -> None:
    async with running() as server:
        answer = await server.post(ECHO, mcp_session_id=await server.greet())

    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.headers["content-length"] == str(len(answer.body))
    assert (answer.json["id"], answer.json["result"]["structuredContent"]) == (5, {"text": "hi"})


async def test_no_version_header_is_needed_in_the_handshake_era() -> None:
    async with running() as server:
        session = await server.greet()
        without = await server.post(ECHO, mcp_session_id=session)
        known = await server.post(ECHO, mcp_session_id=session, mcp_protocol_version="2025-06-18")
        unknown = await server.post(ECHO, mcp_session_id=session, mcp_protocol_version="1999-01-01")

    assert (without.status, known.status, unknown.status) == (200, 200, 400)
    assert "2025-11-25" in unknown.json["error"]["message"]


@pytest.mark.parametrize("token", [0, 7, "a word", ""])
async def test_progress_comes_as_events_with_the_callers_own_token(token: object) -> None:
    async with running() as server:
        answer = await server.call("count", meta={"progressToken": token}, mcp_session_id=await server.greet())

    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert b"\r" not in answer.body
    first, second, last = answer.frames
    assert first["params"] == {"progressToken": token, "progress": 1, "total": 2, "message": "step 1"}
    assert second["params"]["progress"] == 2
    assert last["result"]["structuredContent"] == {"counted": 2}


async def test_without_a_token_there_is_no_progress_and_no_stream() -> None:
    async with running() as server:
        answer = await server.call("count", mcp_session_id=await server.greet())

    assert answer.headers["content-type"] == "application/json"


async def test_a_client_that_takes_json_only_gets_no_stream() -> None:
    async with running() as server:
        session = await server.greet()
        answer = await server.call(
            "count", meta={"progressToken": 1}, mcp_session_id=session, accept="application/json"
        )

    assert answer.headers["content-type"] == "application/json"
    assert answer.json["result"]["structuredContent"] == {"counted": 2}


ASKS = {**HELLO, "capabilities": {"elicitation": {}}}


async def test_a_client_that_takes_json_only_cannot_be_asked() -> None:
    desk = Desk()
    async with running(calls=calls_of(ASKING, validate, sure, desk=desk)) as server:
        session = await server.greet(ASKS)
        answer = await server.call("delete", {"what": "it"}, mcp_session_id=session, accept="application/json")

    assert answer.json["result"]["structuredContent"]["action"] == "unavailable"
    assert desk.done == []


async def test_a_question_goes_out_on_the_calls_own_stream_and_is_answered_by_another_post() -> None:
    desk = Desk()
    async with running(calls=calls_of(ASKING, validate, sure, desk=desk)) as server:
        session = await server.greet(ASKS)
        call = post_of("tools/call", {"name": "delete", "arguments": {"what": "it"}}, id="call")
        async with server.opened("POST", "/mcp", body=call, mcp_session_id=session) as stream:
            question = await event_of(stream)
            yes = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"confirm": True}}}
            foreign = await server.post(yes, mcp_session_id=await server.greet(ASKS))
            accepted = await server.post(yes, mcp_session_id=session)
            again = await server.post(yes, mcp_session_id=session)
            answer = await event_of(stream)

    assert question["method"] == "elicitation/create"
    assert {foreign.status, accepted.status, again.status} == {202}
    assert (accepted.body, answer["id"]) == (b"", "call")
    assert (answer["result"]["structuredContent"], desk.done) == ({"deleted": "it"}, ["it"])


ACCEPTS = [
    (None, 200),
    ("", 200),
    ("*/*", 200),
    ("application/json", 200),
    ("application/json, text/event-stream", 200),
    ("APPLICATION/JSON;q=0.9,text/event-stream;q=0.5", 200),
    ("application/*", 200),
    ("text/event-stream", 406),
    ("text/html", 406),
]


async def test_who_takes_no_json_is_told_so() -> None:
    async with running() as server:
        hello = post_of("initialize", HELLO)
        told = [(accept, (await server.post(hello, accept=accept)).status) for accept, _ in ACCEPTS]

    assert told == ACCEPTS


CONTENT_TYPES = [
    ("application/json", 200),
    ("application/json; charset=utf-8", 200),
    ("Application/JSON", 200),
    (None, 415),
    ("text/plain", 415),
    ("application/x-www-form-urlencoded", 415),
    ("application/json-seq", 415),
]


async def test_a_body_that_is_not_said_to_be_json_is_refused() -> None:
    async with running() as server:
        hello = post_of("initialize", HELLO)
        told = [(kind, (await server.post(hello, content_type=kind)).status) for kind, _ in CONTENT_TYPES]

    assert told == CONTENT_TYPES


MALFORMED: list[tuple[Any, int]] = [
    (b"", types.PARSE_ERROR),
    (b"{", types.PARSE_ERROR),
    (b"\xff\xfe", types.PARSE_ERROR),
    (b"[" * 100_000, types.PARSE_ERROR),
    ([ECHO], types.INVALID_REQUEST),
    ([], types.INVALID_REQUEST),
    (5, types.INVALID_REQUEST),
    ({}, types.INVALID_REQUEST),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, types.INVALID_REQUEST),
    ({"jsonrpc": "2.0", "id": None, "method": "ping"}, types.INVALID_REQUEST),
    ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, types.INVALID_REQUEST),
    ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, types.INVALID_REQUEST),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, types.INVALID_REQUEST),
    ({"jsonrpc": "2.0", "id": 1, "method": "initialize"}, types.INVALID_PARAMS),
    ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 5}}, types.INVALID_PARAMS),
]


async def test_what_is_no_message_is_a_400_and_the_server_goes_on() -> None:
    async with running() as server:
        answers = [await server.post(body) for body, _ in MALFORMED]
        after = await server.greet()

    assert {answer.status for answer in answers} == {400}
    assert [answer.json["error"]["code"] for answer in answers] == [code for _, code in MALFORMED]
    assert all(answer.json["jsonrpc"] == "2.0" for answer in answers)
    assert after


async def test_in_a_session_an_error_has_status_200_since_404_would_end_the_session() -> None:
    async with running() as server:
        session = await server.greet()
        unknown = await server.post(post_of("nobody/knows", id=1), mcp_session_id=session)
        wrong = await server.post(post_of("tools/call", {"name": 5}, id=2), mcp_session_id=session)

    assert (unknown.status, unknown.json["error"]["code"]) == (200, types.METHOD_NOT_FOUND)
    assert (wrong.status, wrong.json["error"]["code"]) == (200, types.INVALID_PARAMS)


NOTES: list[tuple[str, Any]] = [
    ("notifications/initialized", None),
    ("notifications/nobody_knows", {"a": 1}),
    ("notifications/cancelled", None),
    ("notifications/cancelled", {"requestId": []}),
    ("notifications/cancelled", {"requestId": 404}),
]


async def test_notifications_are_accepted_whatever_they_say() -> None:
    async with running() as server:
        session = await server.greet()
        answers = [
            await server.post(post_of(method, params, id=None), mcp_session_id=session) for method, params in NOTES
        ]

    assert {(answer.status, answer.body) for answer in answers} == {(202, b"")}


@pytest.mark.parametrize("meta", [5, True, "text", [1]])
@pytest.mark.parametrize("method", ["tools/call", "tools/list", "ping"])
async def test_a_meta_that_is_no_object_is_told_as_such(method: str, meta: object) -> None:
    async with running() as server:
        session = await server.greet()
        params = {"name": "echo", "arguments": {"text": "a"}, "_meta": meta}
        answer = await server.post(post_of(method, params), mcp_session_id=session)

    assert answer.json["error"]["code"] == types.INVALID_PARAMS


async def test_an_id_that_is_under_way_is_refused_until_it_is_answered() -> None:
    async with running() as server:
        session = await server.greet()
        held = post_of("tools/call", {"name": "hold", "arguments": {"name": "a"}}, id="same")
        first = asyncio.ensure_future(server.post(held, mcp_session_id=session))
        await server.bench.arrived.get()
        second = await server.post(held, mcp_session_id=session)
        server.bench.released.set()
        answered = await first
        third = await server.post(held, mcp_session_id=session)

    assert answered.json["result"]["structuredContent"] == {"text": "a"}
    assert (second.status, second.json["error"]["code"]) == (400, types.INVALID_REQUEST)
    assert third.status == 200


async def test_1_and_the_text_1_are_different_ids() -> None:
    async with running() as server:
        session = await server.greet()
        held = post_of("tools/call", {"name": "hold", "arguments": {"name": "a"}}, id=1)
        first = asyncio.ensure_future(server.post(held, mcp_session_id=session))
        await server.bench.arrived.get()
        other = await server.post({**ECHO, "id": "1"}, mcp_session_id=session)
        server.bench.released.set()
        answered = await first

    assert (other.status, other.json["id"], answered.json["id"]) == (200, "1", 1)


async def test_what_a_tool_tells_after_its_answer_goes_nowhere() -> None:
    async with running() as server:
        session = await server.greet()
        answer = await server.call("late", meta={"progressToken": 1}, mcp_session_id=session)
        server.bench.released.set()
        told = await server.bench.ended.get()
        after = await server.call("echo", {"text": "on"}, mcp_session_id=session)

    assert answer.json["result"]["structuredContent"] == {"text": "over"}
    assert (told, after.status) == ("told", 200)


async def modern(server: Running, method: str, body: Any = None, **headers: str | None) -> Any:
    """Post a request of the 2026 era, with its headers as they should be."""
    params = envelope(**(body or {}))
    named = {"mcp_name": params["name"]} if "name" in params else {}
    own: dict[str, str | None] = {"mcp_protocol_version": MODERN, "mcp_method": method, **named}
    return await server.post(post_of(method, params), **{**own, **headers})


async def test_a_request_of_the_2026_era_stands_alone() -> None:
    async with running() as server:
        answer = await modern(server, "tools/call", {"name": "echo", "arguments": {"text": "hi"}})
        listed = await modern(server, "tools/list")

    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert "mcp-session-id" not in answer.headers
    assert answer.json["result"]["structuredContent"] == {"text": "hi"}
    assert (listed.json["result"]["ttlMs"], listed.json["result"]["cacheScope"]) == (3_600_000, "private")


async def test_in_the_2026_era_the_status_says_what_failed() -> None:
    async with running() as server:
        unknown = await modern(server, "nobody/knows")
        mismatch = await modern(server, "tools/list", mcp_method="tools/call")
        bare = await server.post(post_of("tools/list"), mcp_protocol_version=MODERN, mcp_method="tools/list")
        headless = await modern(server, "tools/list", mcp_protocol_version=None)
        future = await server.post(
            post_of("tools/list", _of_version("2099-01-01")), mcp_protocol_version="2099-01-01", mcp_method="tools/list"
        )

    assert (unknown.status, unknown.json["error"]["code"]) == (404, types.METHOD_NOT_FOUND)
    assert (mismatch.status, mismatch.json["error"]["code"]) == (400, types.HEADER_MISMATCH)
    assert (bare.status, bare.json["error"]["code"]) == (400, types.INVALID_PARAMS)
    assert (headless.status, headless.json["error"]["code"]) == (400, types.HEADER_MISMATCH)
    assert (future.status, future.json["error"]["code"]) == (400, types.UNSUPPORTED_PROTOCOL_VERSION)
    assert future.json["error"]["data"]["supported"] == [MODERN]


def _of_version(version: str) -> dict[str, Any]:
    return envelope(_meta={"io.modelcontextprotocol/protocolVersion": version})


async def test_in_the_2026_era_notifications_are_accepted_and_answers_are_not() -> None:
    async with running() as server:
        note = post_of("notifications/cancelled", {"requestId": 1}, id=None)
        accepted = await server.post(note, mcp_protocol_version=MODERN)
        refused = await server.post({"jsonrpc": "2.0", "id": "s1", "result": {}}, mcp_protocol_version=MODERN)

    assert (accepted.status, refused.status) == (202, 400)


async def test_a_stream_of_the_2026_era_needs_a_client_that_takes_one() -> None:
    async with running() as server:
        body = {"notifications": {"resourceSubscriptions": ["a://b"]}}
        refused = await modern(server, "subscriptions/listen", body, accept="application/json")

    assert (refused.status, refused.json["error"]) == (406, "not_acceptable")
