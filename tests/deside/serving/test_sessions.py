"""Sessions as both generations of clients use them, and every refusal of the transport, exactly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.deside.served import Service, body_of, served
from tests.deside.serving.tools import TOOLS
from tests.deside.wallets import wallet
from tests.loopback import HELLO, Answer, event_of, post_of

ALICE, BOB = wallet(1), wallet(2)

MODES = ["lazy", "strict"]


@pytest.fixture
def url(tmp_path: Any) -> str:
    """The URL of a new database."""
    return f"sqlite:///{tmp_path / 'deside.db'}"


@pytest.fixture
async def lazy(url: str) -> AsyncIterator[Service]:
    """A service in its usual mode."""
    async with served(url, toolsets=[TOOLS]) as service:
        yield service


@pytest.fixture
async def strict(url: str) -> AsyncIterator[Service]:
    """A service in the mode of the contract's second generation."""
    async with served(url, toolsets=[TOOLS], DESIDE_SESSION_MODE="strict") as service:
        yield service


@pytest.fixture(params=MODES)
def service(request: pytest.FixtureRequest) -> Service:
    """A service in either mode."""
    running: Service = request.getfixturevalue(request.param)
    return running


def plain(answer: Answer) -> tuple[int, str]:
    """Return a refusal's status and error; beside them stands a message, and nothing else but what is named here."""
    body = dict(answer.json)
    assert isinstance(body.pop("message"), str)
    assert set(body) <= {"error", "active_session_id"}
    assert answer.headers["content-type"] == "application/json"
    return answer.status, body["error"]


def metadata_of(service: Service) -> str:
    """Return where the resource is described."""
    return f"http://127.0.0.1:{service.port}/.well-known/oauth-protected-resource/mcp"


# --- The order of both generations' requests ------------------------------------------------------------------------


async def test_july_a_session_first_then_the_sign_in_then_calls_with_both(lazy: Service) -> None:
    session = await lazy.greet()
    initialized = await lazy.post(post_of("notifications/initialized", id=None), mcp_session_id=session)
    signed_in = await lazy.signed_in(ALICE)
    called = await signed_in.call("look", mcp_session_id=session)

    assert (initialized.status, initialized.body) == (202, b"")
    assert body_of(called) == {"wallet": ALICE, "client": "client"}


async def test_august_the_sign_in_first_then_a_session_that_is_bound_at_once(service: Service) -> None:
    alice, bob = await service.signed_in(ALICE), await service.signed_in(BOB)
    session = await alice.greet()
    initialized = await alice.post(post_of("notifications/initialized", id=None), mcp_session_id=session)
    called = await alice.call("look", mcp_session_id=session)
    other = await bob.call("look", mcp_session_id=session)

    assert initialized.status == 202
    assert body_of(called) == {"wallet": ALICE, "client": "client"}
    assert plain(other) == (403, "session_mismatch")


async def test_a_refreshed_token_and_another_client_of_the_wallet_keep_the_session(service: Service) -> None:
    first = await service.signed_in(ALICE)
    session = await first.greet()
    second = await service.signed_in(ALICE, client="another")
    called = await second.call("look", mcp_session_id=session)

    assert body_of(called) == {"wallet": ALICE, "client": "another"}


# --- Refusals that both modes have ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_without_a_session_one_is_required(service: Service, method: str) -> None:
    alice = await service.signed_in(ALICE)
    body = post_of("tools/list") if method == "POST" else None

    for client in (alice, service):
        assert plain(await client.send(method, body=body)) == (400, "session_required")


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_an_unknown_session_and_one_that_was_ended_are_not_found(service: Service, method: str) -> None:
    alice = await service.signed_in(ALICE)
    ended = await alice.greet()
    assert (await alice.send("DELETE", mcp_session_id=ended)).status == 200
    body = post_of("tools/list") if method == "POST" else None

    for client in (alice, service):
        for session in (ended, "unknown"):
            answer = await client.send(method, body=body, mcp_session_id=session)
            assert plain(answer) == (404, "session_not_found")


async def test_initialize_must_not_carry_a_session(service: Service) -> None:
    alice = await service.signed_in(ALICE)
    session = await alice.greet()

    for client in (alice, service):
        answer = await client.post(post_of("initialize", HELLO), mcp_session_id=session)
        assert plain(answer) == (400, "invalid_request")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_what_is_done_with_a_bound_session_needs_its_wallets_token(service: Service, method: str) -> None:
    alice, bob = await service.signed_in(ALICE), await service.signed_in(BOB)
    session = await alice.greet()

    refused = await service.send(method, mcp_session_id=session)
    invalid = await service.bearing("stolen").send(method, mcp_session_id=session)
    others = await bob.send(method, mcp_session_id=session)

    assert plain(refused) == (401, "AUTH_REQUIRED")
    assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{metadata_of(service)}"'
    assert plain(invalid) == (401, "AUTH_REQUIRED")
    assert invalid.headers["www-authenticate"] == (
        f'Bearer error="invalid_token", resource_metadata="{metadata_of(service)}"'
    )
    assert plain(others) == (403, "session_mismatch")
    assert body_of(await alice.call("look", mcp_session_id=session))["wallet"] == ALICE


async def test_a_call_without_a_valid_token_is_answered_by_its_tool_with_http_401(service: Service) -> None:
    session = await (await service.signed_in(ALICE)).greet()

    for client in (service, service.bearing("expired")):
        answer = await client.call("look", mcp_session_id=session)
        result = answer.json["result"]
        body = result["structuredContent"]

        assert answer.status == 401
        assert f'resource_metadata="{metadata_of(service)}"' in answer.headers["www-authenticate"]
        assert (answer.json["jsonrpc"], answer.json["id"], result["isError"]) == ("2.0", 7, True)
        assert set(body) == {"error", "status", "message"}
        assert (body["error"], body["status"]) == ("AUTH_REQUIRED", 401)
        assert [block["type"] for block in result["content"]] == ["text"]


async def test_a_token_that_ran_out_is_none_and_a_new_one_goes_on_in_the_session(url: str) -> None:
    now = [1_800_000_000.0]
    async with served(url, toolsets=[TOOLS], clock=lambda: now[0]) as service:
        alice = await service.signed_in(ALICE)
        session = await alice.greet()
        now[0] += 45 * 60
        late = await alice.call("look", mcp_session_id=session)
        anew = await (await service.signed_in(ALICE)).call("look", mcp_session_id=session)

    assert (late.status, late.json["result"]["structuredContent"]["error"]) == (401, "AUTH_REQUIRED")
    assert body_of(anew)["wallet"] == ALICE


@pytest.mark.parametrize("method", ["tools/list", "ping"])
async def test_listing_and_pinging_need_a_session_and_no_token(service: Service, method: str) -> None:
    session = await (await service.signed_in(ALICE)).greet()
    answer = await service.post(post_of(method), mcp_session_id=session)

    assert answer.status == 200
    assert "result" in answer.json


async def test_a_body_over_the_limit_is_too_large(url: str) -> None:
    async with served(url, DESIDE_MAX_BODY_BYTES="2048") as service:
        answer = await service.post(post_of("ping", {"_meta": {"padding": "x" * 2048}}))

    assert plain(answer) == (413, "payload_too_large")


async def test_a_request_of_the_protocols_2026_era_is_told_to_get_a_session(service: Service) -> None:
    alice = await service.signed_in(ALICE)
    message = post_of("server/discover", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})
    answer = await alice.post(message, mcp_protocol_version="2026-07-28", mcp_method="server/discover")

    assert plain(answer) == (400, "session_required")


async def test_an_id_that_is_under_way_is_refused_and_both_get_an_answer(lazy: Service) -> None:
    alice = await lazy.signed_in(ALICE)
    session = await alice.greet()
    answers = await asyncio.gather(*(alice.call("look", mcp_session_id=session) for _ in range(4)))

    for answer in answers:
        is_refused = (answer.status, answer.json.get("error", {}).get("code")) == (400, -32600)
        assert is_refused or body_of(answer)["wallet"] == ALICE


# --- July: a session that is nobody's yet ---------------------------------------------------------------------------


async def test_lazy_of_wallets_that_race_for_a_session_one_binds_it(lazy: Service) -> None:
    wallets = [wallet(number) for number in range(1, 6)]
    clients = [await lazy.signed_in(each) for each in wallets]
    for _ in range(5):
        session = await lazy.greet()
        answers = await asyncio.gather(*(client.call("look", mcp_session_id=session) for client in clients))
        winners = [body_of(answer)["wallet"] for answer in answers if answer.status == 200]
        others = [plain(answer) for answer in answers if answer.status != 200]

        assert len(winners) == 1
        assert others == [(403, "session_mismatch")] * 4


async def test_lazy_a_call_without_a_token_binds_nothing(lazy: Service) -> None:
    session = await lazy.greet()
    refused = await lazy.call("look", mcp_session_id=session)
    called = await (await lazy.signed_in(BOB)).call("look", mcp_session_id=session)

    assert refused.status == 401
    assert body_of(called)["wallet"] == BOB


async def test_lazy_a_wallet_may_have_several_sessions_and_hears_its_news_in_each(lazy: Service) -> None:
    alice, bob = await lazy.signed_in(ALICE), await lazy.signed_in(BOB)
    one, two, other = await alice.greet(), await alice.greet(), await bob.greet()
    async with alice.stream(one) as first, alice.stream(two) as second, bob.stream(other) as third:
        await lazy.app.sessions.tell(ALICE, b'{"jsonrpc":"2.0","method":"notifications/for_alice"}')
        await lazy.app.sessions.tell(BOB, b'{"jsonrpc":"2.0","method":"notifications/for_bob"}')
        heard = [(await event_of(stream))["method"] for stream in (first, second, third)]

    assert heard == ["notifications/for_alice", "notifications/for_alice", "notifications/for_bob"]


async def test_lazy_a_stream_that_was_opened_without_a_token_ends_when_its_session_is_bound(lazy: Service) -> None:
    session = await lazy.greet()
    alice = await lazy.signed_in(ALICE)
    async with lazy.stream(session) as stream:
        await alice.call("look", mcp_session_id=session)
        await lazy.app.sessions.tell(ALICE, b'{"jsonrpc":"2.0","method":"notifications/secret"}')

        assert await stream.read() == b""


# --- August: one session a wallet -----------------------------------------------------------------------------------


async def test_strict_initialize_needs_a_token(strict: Service) -> None:
    for client in (strict, strict.bearing("invalid")):
        answer = await client.post(post_of("initialize", HELLO))

        assert plain(answer) == (401, "AUTH_REQUIRED")
        assert f'resource_metadata="{metadata_of(strict)}"' in answer.headers["www-authenticate"]
        assert "mcp-session-id" not in answer.headers


async def test_strict_a_second_session_is_refused_and_the_first_can_be_adopted(strict: Service) -> None:
    alice, bob = await strict.signed_in(ALICE), await strict.signed_in(BOB)
    session = await alice.greet()
    conflict = await (await strict.signed_in(ALICE, client="another")).post(post_of("initialize", HELLO))
    adopted = await alice.call("look", mcp_session_id=conflict.json["active_session_id"])

    assert plain(conflict) == (409, "session_conflict")
    assert conflict.json["active_session_id"] == session
    assert body_of(adopted)["wallet"] == ALICE
    assert await bob.greet() != session


async def test_strict_a_session_that_ended_makes_room_for_another(strict: Service) -> None:
    alice = await strict.signed_in(ALICE)
    session = await alice.greet()
    await alice.send("DELETE", mcp_session_id=session)

    assert await alice.greet() != session


# --- Restarts and replicas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
async def test_a_restart_keeps_sessions_and_whose_they_are(database_url: str, mode: str) -> None:
    async with served(database_url, toolsets=[TOOLS], DESIDE_SESSION_MODE=mode) as before:
        alice = await before.signed_in(ALICE)
        session = await alice.greet()
        token = str(alice.authorization).removeprefix("Bearer ")

    async with served(database_url, toolsets=[TOOLS], DESIDE_SESSION_MODE=mode) as after:
        called = await after.bearing(token).call("look", mcp_session_id=session)
        other = await (await after.signed_in(BOB)).call("look", mcp_session_id=session)
        async with after.bearing(token).stream(session) as stream:
            await after.app.sessions.tell(ALICE, b'{"jsonrpc":"2.0","method":"notifications/news"}')
            heard = await event_of(stream)

    assert body_of(called)["wallet"] == ALICE
    assert plain(other) == (403, "session_mismatch")
    assert heard["method"] == "notifications/news"


async def test_a_session_that_was_bound_late_survives_a_restart(database_url: str) -> None:
    async with served(database_url, toolsets=[TOOLS]) as before:
        session = await before.greet()
        await (await before.signed_in(ALICE)).call("look", mcp_session_id=session)

    async with served(database_url, toolsets=[TOOLS]) as after:
        other = await (await after.signed_in(BOB)).call("look", mcp_session_id=session)
        nobody = await after.send("DELETE", mcp_session_id=session)
        called = await (await after.signed_in(ALICE)).call("look", mcp_session_id=session)

    assert (plain(other), plain(nobody)) == ((403, "session_mismatch"), (401, "AUTH_REQUIRED"))
    assert body_of(called)["wallet"] == ALICE


async def test_two_replicas_on_one_postgresql_share_sessions_and_a_push_crosses_them(postgres: Any) -> None:
    database = next(postgres)
    async with served(database, toolsets=[TOOLS]) as left, served(database, toolsets=[TOOLS]) as right:
        token = await left.token(ALICE)
        session = await left.greet()
        async with asyncio.timeout(20):
            async with right.stream(session) as unbound:
                bound = await left.bearing(token).call("look", mcp_session_id=session)
                ended = await unbound.read()
            async with right.bearing(token).stream(session) as stream:
                for number in range(20):
                    await left.app.sessions.tell(ALICE, b'{"jsonrpc":"2.0","method":"n/%d"}' % number)
                heard = [(await event_of(stream))["method"] for _ in range(20)]
        other = await (await right.signed_in(BOB)).call("look", mcp_session_id=session)

    assert body_of(bound)["wallet"] == ALICE
    assert ended == b""
    assert heard == [f"n/{number}" for number in range(20)]
    assert plain(other) == (403, "session_mismatch")


async def test_wallets_that_race_for_a_session_on_two_replicas_bind_it_once(postgres: Any) -> None:
    database = next(postgres)
    async with served(database, toolsets=[TOOLS]) as left, served(database, toolsets=[TOOLS]) as right:
        tokens = [await left.token(wallet(number)) for number in range(1, 7)]
        clients = [(left, right)[n % 2].bearing(token) for n, token in enumerate(tokens)]
        for _ in range(5):
            session = await left.greet()
            answers = await asyncio.gather(*(client.call("look", mcp_session_id=session) for client in clients))

            assert sorted(answer.status for answer in answers) == [200] + [403] * 5


async def test_one_address_opens_so_many_sessions_a_minute_without_a_token_and_any_number_with_one(url: str) -> None:
    async with served(url, DESIDE_ANONYMOUS_SESSIONS_PER_MIN="2") as service:
        for _ in range(2):
            await service.greet()
        refused = await service.post(post_of("initialize", HELLO))
        bound = await (await service.signed_in(ALICE)).greet()

    assert (refused.status, refused.json["error"]) == (429, "rate_limited")
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert bound


async def test_without_a_limit_strangers_open_any_number_of_sessions(url: str) -> None:
    async with served(url, DESIDE_ANONYMOUS_SESSIONS_PER_MIN="0") as service:
        for _ in range(70):
            await service.greet()
