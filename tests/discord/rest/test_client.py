"""Discord's HTTP API through a server on loopback that answers as each test says."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import traceback
from typing import TypedDict

import orjson
import pytest
from aiohttp import web
from tests.discord.rest.stub import TOKEN, Act, Stub, Waits, client, closed_port, json, limited, page, policy

from accord import __version__
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordRateLimitError,
    DiscordRequestError,
    DiscordUpstreamError,
)
from accord.discord.rest.exchange import Attempt
from accord.engine.errors import BulkheadFullError, CircuitOpenError, InternalError, ToolError
from accord.engine.secrets import Secret

MESSAGES = "/channels/{}/messages"


class Message(TypedDict):
    """As much of a message as the tests read."""

    id: str


# What is sent


async def test_a_read_asks_the_route_and_gives_back_its_json(stub: Stub, discord: Discord) -> None:
    stub.acts = [json(200, {"id": "7"})]

    message = await discord.get("/channels/{}/messages/{}", "123", 7, into=Message)

    assert message == {"id": "7"}
    assert (stub.seen[0].method, stub.paths) == ("GET", ["/api/v10/channels/123/messages/7"])


async def test_a_request_carries_the_token_and_names_its_sender(stub: Stub, discord: Discord) -> None:
    await discord.get("/gateway", into=dict)

    assert stub.seen[0].headers["Authorization"] == "Bot MTIzNDU2.Gabc.secret"
    assert stub.seen[0].headers["User-Agent"] == f"DiscordBot (accord-mcp, {__version__})"
    assert "Content-Type" not in stub.seen[0].headers


async def test_a_token_that_says_bot_itself_is_not_called_bot_twice(stub: Stub) -> None:
    async with client(stub.url, token=Secret("Bot abc")) as discord:
        await discord.get("/gateway", into=dict)

    assert stub.seen[0].headers["Authorization"] == "Bot abc"


@pytest.mark.parametrize("method", ["post", "put", "patch"])
async def test_a_write_sends_its_body_as_json(stub: Stub, discord: Discord, method: str) -> None:
    await getattr(discord, method)(MESSAGES, "1", into=dict, body={"content": "héllo"})

    assert stub.seen[0].method == method.upper()
    assert stub.seen[0].headers["Content-Type"] == "application/json"
    assert stub.bodies == ['{"content":"héllo"}'.encode()]


async def test_a_list_may_be_a_body(stub: Stub, discord: Discord) -> None:
    await discord.patch("/guilds/{}/channels", "1", into=list, body=[{"id": "2"}])

    assert stub.bodies == [b'[{"id":"2"}]']


async def test_a_request_without_a_body_says_that_it_is_empty(stub: Stub, discord: Discord) -> None:
    stub.acts = [web.Response(status=204)]

    await discord.do("PUT", "/channels/{}/pins/{}", "1", "2")

    assert stub.seen[0].headers["Content-Length"] == "0"


async def test_a_body_of_some_megabytes_is_sent_each_time(stub: Stub, discord: Discord) -> None:
    stub.acts = [page(503)]
    image = "x" * 3 * 1024 * 1024

    await discord.patch("/guilds/{}", "1", into=dict, body={"icon": image}, idempotent=True)

    assert [len(body) for body in stub.bodies] == [len(image) + len('{"icon":""}')] * 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("123456789012345678", "123456789012345678"),
        (42, "42"),
        ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("../../users/@me", "..%2F..%2Fusers%2F%40me"),
        ("👍", "%F0%9F%91%8D"),
        ("name:123", "name%3A123"),
        ("%2e%2e", "%252e%252e"),
        ("٣", "%D9%A3"),
        (Secret("to/ken"), "to%2Fken"),
    ],
)
async def test_a_value_stays_one_segment_of_the_path(
    stub: Stub, discord: Discord, value: str | int | Secret, expected: str
) -> None:
    await discord.get("/a/{}/b", value, into=dict)

    assert stub.paths == [f"/api/v10/a/{expected}/b"]


@pytest.mark.parametrize("value", [".", "..", "...", ""])
async def test_a_value_that_steps_to_another_path_is_refused(stub: Stub, discord: Discord, value: str) -> None:
    with pytest.raises(ValueError, match="path segment"):
        await discord.do("DELETE", "/channels/{}/messages", value)

    assert stub.seen == []


@pytest.mark.parametrize("values", [(), ("1", "2")])
async def test_a_template_with_too_few_or_too_many_values_is_refused(
    stub: Stub, discord: Discord, values: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match=r"/channels/\{\} takes 1 values"):
        await discord.get("/channels/{}", *values, into=dict)

    assert stub.seen == []


async def test_a_query_leaves_out_none_and_writes_booleans_in_lower_case(stub: Stub, discord: Discord) -> None:
    query = {"limit": 5, "before": None, "with_counts": True, "q": "a b&c", "id": ["1", "2"], "ids": "1,2"}

    await discord.get("/x", into=dict, query=query)

    assert stub.paths == ["/api/v10/x?limit=5&with_counts=true&q=a%20b%26c&id=1&id=2&ids=1%2C2"]


async def test_an_empty_query_leaves_no_question_mark(stub: Stub, discord: Discord) -> None:
    await discord.get("/x", into=dict, query={"before": None})

    assert stub.paths == ["/api/v10/x"]


async def test_a_reason_is_percent_encoded(stub: Stub, discord: Discord) -> None:
    await discord.do("DELETE", "/channels/{}", "1", reason="Späm\n/ rule 1")

    assert stub.seen[0].headers["X-Audit-Log-Reason"] == "Sp%C3%A4m%0A%2F%20rule%201"


async def test_headers_of_an_operations_own_go_along(stub: Stub, discord: Discord) -> None:
    await discord.do("POST", "/webhooks/{}/{}/github", "1", Secret("t"), body={}, headers={"X-GitHub-Event": "push"})

    assert stub.seen[0].headers["X-GitHub-Event"] == "push"
    assert stub.seen[0].headers["Content-Type"] == "application/json"


async def test_a_reason_above_512_characters_is_refused(stub: Stub, discord: Discord) -> None:
    with pytest.raises(ValueError, match="512"):
        await discord.do("DELETE", "/channels/{}", "1", reason="é" * 513)

    assert stub.seen == []


async def test_a_redirect_is_not_followed(stub: Stub, discord: Discord) -> None:
    stub.acts = [web.Response(status=302, headers={"Location": "/elsewhere"})]

    with pytest.raises(InternalError):
        await discord.get("/x", into=dict)

    assert len(stub.seen) == 1


# The token


async def test_without_a_token_nothing_is_sent(stub: Stub) -> None:
    async with client(stub.url, token=None) as discord:
        with pytest.raises(DiscordAuthError):
            await discord.get("/users/@me", into=dict)

    assert stub.seen == []


async def test_a_rejected_token_is_never_sent_again(stub: Stub, discord: Discord) -> None:
    stub.acts = [json(401, {"message": "401: Unauthorized", "code": 0})]

    for _ in range(3):
        with pytest.raises(DiscordAuthError):
            await discord.get("/users/@me", into=dict)

    assert len(stub.seen) == 1


async def test_a_route_with_its_own_token_goes_out_without_the_bots(stub: Stub) -> None:
    async with client(stub.url, token=None) as discord:
        await discord.post("/webhooks/{}/{}", "1", Secret("hook"), into=dict, body={"content": "x"})

    assert "Authorization" not in stub.seen[0].headers


async def test_a_wrong_webhook_token_does_not_kill_the_bots(stub: Stub, discord: Discord) -> None:
    stub.acts = [json(401, {"message": "Invalid Webhook Token", "code": 50027})]

    with pytest.raises(DiscordAuthError):
        await discord.get("/webhooks/{}/{}", "1", Secret("wrong"), into=dict)

    assert await discord.get("/users/@me", into=dict) == {}


# What comes back


@pytest.mark.parametrize(
    ("answer", "row"),
    [
        (json(400, {"code": 50035, "message": "Invalid Form Body"}), DiscordRequestError),
        (json(403, {"code": 50013, "message": "Missing Permissions"}), DiscordPermissionError),
        (json(404, {"code": 10003, "message": "Unknown Channel"}), DiscordNotFoundError),
        (page(403), DiscordCloudflareBlocked),
        (page(429), DiscordCloudflareBlocked),
        (web.json_response({"message": "You are being blocked", "code": 0}, status=429), DiscordCloudflareBlocked),
    ],
)
async def test_a_refusal_becomes_its_row_after_one_request(
    stub: Stub, discord: Discord, answer: web.Response, row: type[ToolError]
) -> None:
    stub.acts = [answer]

    with pytest.raises(row):
        await discord.get("/channels/{}", "1", into=dict)

    assert len(stub.seen) == 1


async def test_a_search_that_is_not_ready_is_an_answer(stub: Stub, discord: Discord) -> None:
    stub.acts = [json(202, {"code": 110000, "retry_after": 0})]

    assert await discord.get("/guilds/{}/messages/search", "1", into=dict) == {"code": 110000, "retry_after": 0}


async def test_an_answer_without_content_is_read_as_nothing(stub: Stub, discord: Discord) -> None:
    stub.acts = [web.Response(status=204)]

    assert await discord.get("/guilds/{}/new-member-welcome", "1", into=dict) is None


async def test_an_answer_that_is_no_json_is_an_error_of_a_read(stub: Stub, discord: Discord) -> None:
    stub.acts = [page(200)]

    with pytest.raises(InternalError) as raised:
        await discord.get("/x", into=dict)

    assert (raised.value.reason, raised.value.outcome) == ("unreadable_answer", None)


async def test_a_write_whose_answer_is_no_json_has_an_unknown_outcome(stub: Stub, discord: Discord) -> None:
    stub.acts = [page(200)]

    with pytest.raises(InternalError) as raised:
        await discord.post(MESSAGES, "1", into=dict, body={})

    assert (raised.value.retriable, raised.value.outcome) == (False, "unknown")


async def test_an_answer_above_the_limit_is_not_read_to_its_end(stub: Stub, discord: Discord) -> None:
    stub.acts = [web.Response(body=orjson.dumps("x" * 34 * 1024 * 1024))]

    with pytest.raises(InternalError) as raised:
        await discord.get("/x", into=str)

    assert raised.value.reason == "unreadable_answer"


# What is sent again


async def test_a_read_is_sent_again_after_server_errors(stub: Stub) -> None:
    waits = Waits()
    stub.acts = [page(500), page(500), json(200, {"id": "1"})]

    async with client(stub.url, sleep=waits) as discord:
        answer = await discord.get("/x", into=Message)

    assert answer == {"id": "1"}
    assert (len(stub.seen), waits) == (3, [50, 100])


async def test_the_last_server_error_comes_out_when_the_retries_are_used_up(stub: Stub) -> None:
    stub.acts = [page(503)] * 5

    async with client(stub.url, retries=2) as discord:
        with pytest.raises(DiscordUpstreamError) as raised:
            await discord.get("/x", into=dict)

    assert (raised.value.status, raised.value.retriable, len(stub.seen)) == (503, True, 3)


@pytest.mark.parametrize(
    "act", [page(503), "reset", "cut", b"no HTTP at all\r\n\r\n"], ids=["503", "reset", "cut", "garbage"]
)
@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_a_write_whose_answer_was_lost_is_not_sent_again_and_its_outcome_is_unknown(
    stub: Stub, discord: Discord, act: Act, method: str
) -> None:
    stub.acts = [act]

    with pytest.raises(DiscordUpstreamError) as raised:
        await discord.do(method, MESSAGES, "1", body={"content": "x"})

    assert (raised.value.outcome, raised.value.retriable) == ("unknown", False)
    assert len(stub.seen) == 1


@pytest.mark.parametrize(
    "act", [page(503), "reset", "cut", b"no HTTP at all\r\n\r\n"], ids=["503", "reset", "cut", "garbage"]
)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_an_idempotent_method_is_sent_again_after_its_answer_was_lost(
    stub: Stub, discord: Discord, act: Act, method: str
) -> None:
    stub.acts = [act]

    await discord.do(method, "/x")

    assert len(stub.seen) == 2


def unknown(kind: str, code: int) -> web.Response:
    return json(404, {"message": f"Unknown {kind}", "code": code})


@pytest.mark.parametrize("act", [page(503), "reset", "cut"], ids=["503", "reset", "cut"])
async def test_a_deletion_whose_answer_was_lost_is_done_when_it_finds_nothing(
    stub: Stub, discord: Discord, act: Act
) -> None:
    stub.acts = [act, unknown("Message", 10008)]

    await discord.do("DELETE", "/channels/{}/messages/{}", "1", "2")

    assert len(stub.seen) == 2


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        ("/channels/{}", unknown("Channel", 10003)),
        ("/guilds/{}/members/{}/roles/{}", unknown("Role", 10011)),
        ("/webhooks/{}/{}", unknown("Webhook", 10015)),
        ("/webhooks/{}/{}/messages/@original", unknown("Message", 10008)),
        ("/users/@me/guilds/{}", unknown("Guild", 10004)),
    ],
)
async def test_a_deletion_is_done_when_the_last_thing_that_its_route_names_is_gone(
    stub: Stub, discord: Discord, template: str, answer: web.Response
) -> None:
    stub.acts = ["reset", answer]

    await discord.do("DELETE", template, *["1"] * template.count("{}"))

    assert len(stub.seen) == 2


async def test_a_deletion_that_was_never_sent_before_finds_nothing_and_says_so(stub: Stub, discord: Discord) -> None:
    stub.acts = [unknown("Message", 10008)]

    with pytest.raises(DiscordNotFoundError):
        await discord.do("DELETE", "/channels/{}/messages/{}", "1", "2")


async def test_a_deletion_that_was_only_limited_before_finds_nothing_and_says_so(stub: Stub, discord: Discord) -> None:
    stub.acts = [limited(0), unknown("Message", 10008)]

    with pytest.raises(DiscordNotFoundError):
        await discord.do("DELETE", "/channels/{}/messages/{}", "1", "2")


@pytest.mark.parametrize(
    "answer", [unknown("Channel", 10003), json(404, {"message": "404: Not Found", "code": 0}), page(404)]
)
async def test_a_repeated_deletion_in_what_does_not_exist_either_is_not_done(
    stub: Stub, discord: Discord, answer: web.Response
) -> None:
    stub.acts = ["reset", answer]

    with pytest.raises(DiscordNotFoundError):
        await discord.do("DELETE", "/channels/{}/messages/{}", "1", "2")


async def test_a_repeated_read_that_finds_nothing_says_so(stub: Stub, discord: Discord) -> None:
    stub.acts = ["reset", unknown("Message", 10008)]

    with pytest.raises(DiscordNotFoundError):
        await discord.get("/channels/{}/messages/{}", "1", "2", into=Message)


async def test_what_was_said_to_be_idempotent_is_sent_again(stub: Stub, discord: Discord) -> None:
    stub.acts = [page(503)]

    await discord.patch("/channels/{}", "1", into=dict, body={"name": "x"}, idempotent=True)

    assert len(stub.seen) == 2


async def test_an_idempotent_write_that_fails_for_good_may_be_retried_by_its_caller(stub: Stub) -> None:
    stub.acts = [page(503)]

    async with client(stub.url, retries=0) as discord:
        with pytest.raises(DiscordUpstreamError) as raised:
            await discord.do("DELETE", "/x")

    assert (raised.value.outcome, raised.value.retriable) == (None, True)


async def test_a_message_with_a_nonce_is_sent_again_with_the_same_nonce(stub: Stub, discord: Discord) -> None:
    stub.acts = ["reset", page(502), json(200, {"id": "1"})]

    await discord.post(MESSAGES, "1", into=Message, body={"content": "x"}, nonce="n1")

    assert [orjson.loads(body) for body in stub.bodies] == [{"content": "x", "nonce": "n1", "enforce_nonce": True}] * 3


@pytest.mark.parametrize(
    "last",
    [page(502), limited(86_000), json(403, {"code": 50001, "message": "Missing Access"})],
    ids=["502", "429", "403"],
)
async def test_a_message_with_a_nonce_that_is_given_up_has_an_unknown_outcome_and_names_it(
    stub: Stub, last: web.Response
) -> None:
    stub.acts = ["reset", last]

    async with client(stub.url, retries=1) as discord:
        with pytest.raises(ToolError) as raised:
            await discord.post(MESSAGES, "1", into=Message, body={"content": "x"}, nonce="n1")

    assert (raised.value.outcome, raised.value.nonce, raised.value.retriable) == ("unknown", "n1", False)


async def test_a_message_with_a_nonce_that_cannot_be_sent_again_for_want_of_a_slot_has_an_unknown_outcome(
    stub: Stub,
) -> None:
    stub.acts = ["reset", "hang"]
    others: list[asyncio.Task[object]] = []

    async def take_the_slot(_seconds: float) -> None:
        stub.arrived.clear()
        others.append(asyncio.create_task(narrow.get("/x", into=dict)))
        await stub.arrived.wait()

    async with client(stub.url, limit=1, sleep=take_the_slot) as narrow:
        with pytest.raises(BulkheadFullError) as raised:
            await narrow.post(MESSAGES, "1", into=Message, body={"content": "x"}, nonce="n1")
        others[0].cancel()
        await asyncio.wait(others)

    assert (raised.value.outcome, raised.value.nonce) == ("unknown", "n1")


async def test_a_nonce_without_a_body_is_refused(discord: Discord) -> None:
    with pytest.raises(ValueError, match="nonce"):
        await discord.do("POST", "/x", nonce="n1")


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
async def test_a_rate_limited_request_is_sent_again_after_the_stated_wait(stub: Stub, method: str) -> None:
    waits = Waits()
    stub.acts = [limited(0.05)]
    begun = time.monotonic()

    async with client(stub.url, sleep=waits) as discord:
        await discord.do(method, "/x")

    assert len(stub.seen) == 2
    assert time.monotonic() - begun >= 0.05
    assert waits == []


async def test_a_limit_longer_than_the_longest_wait_is_told_at_once(stub: Stub, discord: Discord) -> None:
    stub.acts = [limited(0.501)]

    with pytest.raises(DiscordRateLimitError) as raised:
        await discord.post(MESSAGES, "1", into=dict, body={})

    assert (raised.value.retry_after_ms, raised.value.outcome, len(stub.seen)) == (501, None, 1)


async def test_a_write_that_never_reached_discord_is_sent_again_and_may_be_retried() -> None:
    attempts: list[Attempt] = []

    async with client(f"http://127.0.0.1:{closed_port()}/api", on_attempt=attempts.append, retries=2) as discord:
        with pytest.raises(DiscordUpstreamError) as raised:
            await discord.post(MESSAGES, "1", into=dict, body={})

    assert [attempt.number for attempt in attempts] == [1, 2, 3]
    assert (raised.value.outcome, raised.value.retriable) == (None, True)


# Time


async def test_a_write_that_takes_too_long_is_given_up_with_an_unknown_outcome(stub: Stub) -> None:
    stub.acts = ["hang"]

    async with client(stub.url, timeout_ms=50) as discord:
        with pytest.raises(InternalError) as raised:
            await discord.post(MESSAGES, "1", into=dict, body={})

    assert (raised.value.reason, raised.value.timeout_ms, raised.value.outcome) == ("timeout", 50, "unknown")
    assert len(stub.seen) == 1


async def test_a_read_that_takes_too_long_is_tried_again(stub: Stub) -> None:
    stub.acts = ["hang"]

    async with client(stub.url, timeout_ms=50) as discord:
        assert await discord.get("/x", into=dict) == {}

    assert len(stub.seen) == 2


async def test_the_deadline_of_a_call_bounds_its_attempts_and_its_retries(stub: Stub, discord: Discord) -> None:
    stub.acts = ["hang", "hang"]

    with pytest.raises(InternalError) as raised:
        await discord.until(asyncio.get_running_loop().time() + 0.06).get("/x", into=dict)

    assert raised.value.timeout_ms is not None
    assert raised.value.timeout_ms <= 60
    assert len(stub.seen) == 1


async def test_nothing_is_sent_after_the_deadline_and_the_outcome_is_known(stub: Stub, discord: Discord) -> None:
    with pytest.raises(InternalError) as raised:
        await discord.until(asyncio.get_running_loop().time()).post(MESSAGES, "1", into=dict, body={})

    assert (raised.value.reason, raised.value.outcome) == ("timeout", None)
    assert stub.seen == []


async def test_a_deadline_binds_only_the_call_it_was_given_for(stub: Stub, discord: Discord) -> None:
    discord.until(0.0)

    assert await discord.get("/x", into=dict) == {}


async def test_a_cancelled_request_closes_its_connection_and_is_not_sent_again(stub: Stub, discord: Discord) -> None:
    stub.acts = ["hang"]
    task = asyncio.create_task(discord.get("/x", into=dict))
    await stub.arrived.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(stub.abandoned.wait(), 5)
    assert len(stub.seen) == 1


async def test_a_request_that_is_cancelled_before_it_is_sent_again_is_not_sent_again(stub: Stub) -> None:
    waiting = asyncio.Event()
    stub.acts = [page(503)]

    async def wait(_seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with client(stub.url, sleep=wait) as discord:
        task = asyncio.create_task(discord.get("/x", into=dict))
        await waiting.wait()
        task.cancel()
        await asyncio.wait([task])

    assert (task.cancelled(), len(stub.seen)) == (True, 1)


async def test_a_request_that_is_cancelled_while_it_waits_for_a_slot_leaves_it_to_the_next(stub: Stub) -> None:
    stub.acts = ["hang"]

    async with client(stub.url, limit=1) as discord:
        patient = discord.until(asyncio.get_running_loop().time() + 60)
        first, second, third = (asyncio.create_task(patient.get(f"/{name}", into=dict)) for name in "abc")
        await stub.arrived.wait()
        second.cancel()
        await asyncio.wait([second])
        first.cancel()
        assert await third == {}

    assert stub.paths == ["/api/v10/a", "/api/v10/c"]


async def test_a_request_that_is_cancelled_while_its_route_is_found_out_is_not_sent(stub: Stub) -> None:
    stub.acts = ["hang"]

    async with client(stub.url) as discord:
        first, second = (asyncio.create_task(discord.get("/channels/{}", "1", into=dict)) for _ in range(2))
        await stub.arrived.wait()
        second.cancel()
        await asyncio.wait([second])
        first.cancel()
        await asyncio.wait([first])

    assert len(stub.seen) == 1


# Circuit and bulkhead


async def test_a_route_that_keeps_failing_is_left_alone_and_the_others_go_on(stub: Stub) -> None:
    stub.acts = [page(503)] * 3

    async with client(stub.url, threshold=3) as discord:
        for channel in "123":
            with pytest.raises(DiscordUpstreamError):
                await discord.post(MESSAGES, channel, into=dict, body={})
        with pytest.raises(CircuitOpenError) as raised:
            await discord.post(MESSAGES, "4", into=dict, body={})
        assert await discord.get(MESSAGES, "1", into=dict) == {}

    assert raised.value.retry_after_ms is not None
    assert 0 < raised.value.retry_after_ms <= 5000
    assert len(stub.seen) == 4


@pytest.mark.parametrize("answer", [json(400, {"message": "no", "code": 0}), limited(60)], ids=["400", "429"])
async def test_refusals_never_open_a_circuit(stub: Stub, answer: web.Response) -> None:
    stub.acts = [answer] * 5

    async with client(stub.url, threshold=3) as discord:
        for channel in "12345":
            with pytest.raises(ToolError):
                await discord.get("/channels/{}", channel, into=dict)
        assert await discord.get("/channels/{}", "6", into=dict) == {}


async def test_a_request_without_a_place_on_the_wire_is_refused_unsent(stub: Stub) -> None:
    stub.acts = ["hang"]

    async with client(stub.url, limit=1) as discord:
        first = asyncio.create_task(discord.get("/x", into=dict))
        await stub.arrived.wait()
        with pytest.raises(BulkheadFullError):
            await discord.post(MESSAGES, "1", into=dict, body={})
        first.cancel()
        await asyncio.wait([first])

    assert len(stub.seen) == 1


async def test_as_many_requests_are_on_the_wire_as_the_bulkhead_says(stub: Stub) -> None:
    stub.acts = ["hang"] * 150

    async with client(stub.url, limit=150) as discord:
        tasks = [asyncio.create_task(discord.as_nobody().get(f"/{number}", into=dict)) for number in range(150)]
        async with asyncio.timeout(5):
            while len(stub.seen) < 150:
                stub.arrived.clear()
                await stub.arrived.wait()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


# Around the client


async def test_requests_follow_each_other_on_one_connection(stub: Stub, discord: Discord) -> None:
    for _ in range(3):
        await discord.get("/x", into=dict)

    assert len({request.get_extra_info("peername") for request in stub.seen}) == 1


async def test_whoever_embeds_the_client_can_give_it_a_name(stub: Stub) -> None:
    discord = Discord(TOKEN, policy=policy(), base_url=stub.url, user_agent="DiscordBot (https://example.com, 1)")

    await discord.get("/x", into=dict)
    await discord.aclose()

    assert stub.seen[0].headers["User-Agent"] == "DiscordBot (https://example.com, 1)"


async def test_each_attempt_is_told_by_its_template_and_never_by_its_values(stub: Stub) -> None:
    attempts: list[Attempt] = []
    stub.acts = [page(503), "reset"]

    async with client(stub.url, on_attempt=attempts.append) as discord:
        await discord.get("/webhooks/{}/{}", "123", Secret("hook-token"), into=dict)

    assert [(a.method, a.template, a.status, a.number) for a in attempts] == [
        ("GET", "/webhooks/{}/{}", 503, 1),
        ("GET", "/webhooks/{}/{}", None, 2),
        ("GET", "/webhooks/{}/{}", 200, 3),
    ]
    assert all(attempt.duration_ms > 0 for attempt in attempts)
    assert "hook-token" not in repr(attempts)


async def test_no_error_shows_the_token_in_the_path_not_even_in_its_traceback(stub: Stub, discord: Discord) -> None:
    stub.acts = [b"no HTTP at all\r\n\r\n"]
    token = Secret("hook-token")

    with pytest.raises(DiscordUpstreamError) as raised:
        await discord.post("/webhooks/{}/{}", "123", token, into=dict, body={})

    assert "hook-token" not in "".join(traceback.format_exception(raised.value))


async def test_an_observer_that_fails_changes_nothing(stub: Stub) -> None:
    def fail(_attempt: Attempt) -> None:
        raise RuntimeError

    async with client(stub.url, on_attempt=fail) as discord:
        assert await discord.get("/x", into=dict) == {}


async def test_a_closed_client_opens_new_connections_when_it_is_used_again(stub: Stub, discord: Discord) -> None:
    await discord.get("/x", into=dict)
    await discord.aclose()

    assert await discord.get("/x", into=dict) == {}


async def test_requests_to_this_machine_pass_by_the_proxy(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port()}")

    async with client(stub.url) as discord:
        assert await discord.get("/x", into=dict) == {}


async def test_other_requests_go_through_the_proxy_of_the_environment(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{stub.port}")
    monkeypatch.delenv("no_proxy", raising=False)

    async with client("http://discord.invalid/api") as discord:
        await discord.get("/x", into=dict)

    assert stub.seen[0].headers["Host"] == "discord.invalid"


async def test_a_host_that_the_environment_exempts_is_asked_without_its_proxy(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{stub.port}")
    monkeypatch.setenv("no_proxy", "discord.invalid")

    async with client("http://discord.invalid/api", retries=0) as discord:
        with pytest.raises(DiscordUpstreamError) as raised:
            await discord.get("/x", into=dict)

    assert (raised.value.reason, stub.seen) == ("dns", [])


async def test_a_proxy_that_wants_a_password_gets_that_of_the_environment(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://me:secret@127.0.0.1:{stub.port}")
    monkeypatch.delenv("no_proxy", raising=False)

    async with client("http://discord.invalid/api") as discord:
        await discord.get("/x", into=dict)

    assert stub.seen[0].headers["Proxy-Authorization"] == "Basic bWU6c2VjcmV0"


def test_importing_the_client_does_not_import_aiohttp() -> None:
    program = "import sys, accord.discord.rest.client; sys.exit('aiohttp' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0  # noqa: S603 - our own words
