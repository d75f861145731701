"""Sessions over HTTP: whose they are, how they end, and that a restart does not end them."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from mcp import MCPError, types
from tests.engine.serving.http.running import Running, running
from tests.loopback import HELLO, event_of, post_of

from accord.engine import Limits, open_state
from accord.engine.serving.sessions import TRUST_SECONDS
from accord.engine.state.listening import Listener
from accord.engine.state.memory import MemoryState

URI = "discord://channels/123/messages"
MINUTES = 60.0


async def ended(server: Running, session: str | None, key: str = "tester") -> tuple[int, str | None]:
    """Return how a request in that session is answered: its status, and the error of a plain refusal."""
    answer = await server.post(post_of("ping"), mcp_session_id=session, authorization=f"Bearer {key}")
    return answer.status, answer.json.get("error")


GOES_ON = (200, None)
REQUIRED = (400, "session_required")
NOT_FOUND = (404, "session_not_found")


async def test_a_session_is_required_and_must_be_known() -> None:
    async with running() as server:
        told = [await ended(server, session) for session in (None, "deadbeef", "", await server.greet())]

    assert told == [REQUIRED, NOT_FOUND, NOT_FOUND, GOES_ON]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_streaming_and_ending_need_a_session_too(method: str) -> None:
    async with running() as server:
        without = await server.send(method)
        unknown = await server.send(method, mcp_session_id="deadbeef")

    assert (without.status, without.json["error"]) == REQUIRED
    assert (unknown.status, unknown.json["error"]) == NOT_FOUND


async def test_another_callers_session_is_as_good_as_unknown() -> None:
    async with running() as server:
        session = await server.greet(authorization="Bearer alice")
        others = [await ended(server, session, "bob")]
        deleted = await server.send("DELETE", mcp_session_id=session, authorization="Bearer bob")
        streamed = await server.send("GET", mcp_session_id=session, authorization="Bearer bob")
        own = await ended(server, session, "alice")

    assert others == [NOT_FOUND]
    assert (deleted.status, streamed.status, own) == (404, 404, GOES_ON)


async def test_initialize_must_not_carry_a_session() -> None:
    async with running() as server:
        refused = await server.post(post_of("initialize", HELLO), mcp_session_id=await server.greet())

    assert (refused.status, refused.json["error"]) == (400, "invalid_request")


async def test_a_client_says_only_so_much_of_itself() -> None:
    async with running() as server:
        long = {**HELLO, "clientInfo": {"name": "x" * 70_000, "version": "1"}}
        refused = await server.post(post_of("initialize", long))

    assert (refused.status, refused.json["error"]) == (413, "payload_too_large")


async def test_a_deleted_session_is_over_and_so_is_its_work() -> None:
    async with running() as server:
        session = await server.greet()
        held = asyncio.ensure_future(server.call("hold", {"name": "it"}, mcp_session_id=session))
        await server.bench.arrived.get()
        async with server.stream(session) as stream:
            deleted = await server.send("DELETE", mcp_session_id=session)
            rest = await stream.read()
        told = await server.bench.ended.get()
        cut = await held
        after = await ended(server, session)

    assert (deleted.status, told, cut.body, rest) == (200, "it cancelled", b"", b"")
    assert after == NOT_FOUND


async def test_a_session_lives_on_with_every_request_and_ends_when_idle() -> None:
    now = [0.0]
    state = MemoryState(clock=lambda: now[0])
    async with running(state=state, idle_seconds=45 * MINUTES, clock=lambda: now[0]) as server:
        session = await server.greet()
        now[0] += 44 * MINUTES
        alive = await ended(server, session)
        now[0] += 44 * MINUTES
        still = await ended(server, session)
        now[0] += 46 * MINUTES
        idle = await ended(server, session)

    assert (alive, still, idle) == (GOES_ON, GOES_ON, NOT_FOUND)


class Watched(MemoryState):
    """State on a clock of the test's own, which tells when a value was looked up."""

    def __init__(self) -> None:
        self.now = 0.0
        self._looked = asyncio.Event()
        super().__init__(clock=lambda: self.now)

    async def get(self, key: str) -> bytes | None:
        """Return the value."""
        self._looked.set()
        return await super().get(key)

    async def passed(self, seconds: float) -> None:
        """Let time pass, and wait until somebody looks something up."""
        self.now += seconds
        self._looked.clear()
        await self._looked.wait()


async def test_an_open_stream_keeps_its_session_alive() -> None:
    state = Watched()
    async with running(
        state=state, idle_seconds=60, clock=lambda: state.now, limits=Limits(ping_seconds=0.01)
    ) as server:
        session = await server.greet()
        async with server.stream(session):
            for _ in range(3):
                await state.passed(50)

        assert await ended(server, session) == GOES_ON


async def test_an_open_stream_ends_with_its_session_whoever_ended_it() -> None:
    async with running(limits=Limits(ping_seconds=0.01)) as server:
        session = await server.greet()
        async with server.stream(session) as stream:
            await server.sessions.close(session)
            rest = await stream.read()

    assert set(rest.split(b"\n\n")) <= {b": ping", b""}


async def test_an_open_stream_ends_when_its_caller_may_no_longer_come_in() -> None:
    async with running(limits=Limits(ping_seconds=0.01)) as server:
        session = await server.greet()
        async with server.stream(session) as stream:
            server.front.revoked.add("tester")
            rest = await stream.read()

    assert set(rest.split(b"\n\n")) <= {b": ping", b""}


async def test_who_is_not_let_in_any_more_gets_no_further_message() -> None:
    async with running() as server:
        session = await server.greet()
        async with server.stream(session) as stream:
            await server.sessions.push(session, b'{"jsonrpc":"2.0","method":"before"}')
            before = await event_of(stream)
            server.front.revoked.add("tester")
            await server.sessions.push(session, b'{"jsonrpc":"2.0","method":"after"}')
            rest = await stream.read()

    assert (before["method"], rest) == ("before", b"")


async def test_a_session_survives_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.db'}"
    first, second = open_state(url), open_state(url)
    async with running(state=first) as server:
        session = await server.greet({**HELLO, "protocolVersion": "2025-03-26"})
    await first.close()

    async with running(state=second) as server:
        answer = await server.call("echo", {"text": "again"}, mcp_session_id=session)
        await server.post(post_of("resources/subscribe", {"uri": URI}), mcp_session_id=session)
        async with server.stream(session) as stream:
            await server.subscriptions.notify(URI)
            told = await event_of(stream)
        other = await ended(server, session, "somebody else")
        await server.send("DELETE", mcp_session_id=session)
        after = await ended(server, session)
    await second.close()

    assert answer.json["result"]["structuredContent"] == {"text": "again"}
    assert told == {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": URI}}
    assert (other, after) == (NOT_FOUND, NOT_FOUND)


async def test_without_a_state_that_lasts_a_live_client_is_told_that_its_session_is_over() -> None:
    state, now = MemoryState(), [0.0]
    async with running(state=state, clock=lambda: now[0]) as server, server.client("2025") as client:
        before = await client.call_tool("echo", {"text": "before"})
        for key in await state.keys("session:"):
            await state.delete(key)
        now[0] += TRUST_SECONDS
        with pytest.raises(MCPError) as refused:
            await client.call_tool("echo", {"text": "after"})

    assert not before.is_error
    assert refused.value.error.code == types.INVALID_REQUEST


async def test_a_new_stream_takes_the_place_of_the_one_before() -> None:
    async with running() as server:
        session = await server.greet()
        await server.post(post_of("resources/subscribe", {"uri": URI}), mcp_session_id=session)
        async with server.stream(session) as old, server.stream(session) as new:
            rest = await old.read()
            await server.subscriptions.notify(URI)
            told = await event_of(new)

    assert (rest, told["params"]) == (b"", {"uri": URI})


async def test_nothing_is_replayed_whatever_event_is_asked_for() -> None:
    async with running() as server:
        mine, other = await server.greet(), await server.greet()
        for session in (mine, other):
            await server.post(post_of("resources/subscribe", {"uri": URI}), mcp_session_id=session)
        await server.subscriptions.notify(URI)
        async with server.stream(mine, last_event_id=f"{other}_1") as stream:
            await server.subscriptions.notify(URI)
            first = await event_of(stream)
            await server.send("DELETE", mcp_session_id=mine)
            rest = await stream.read()

    assert (first["params"], rest) == ({"uri": URI}, b"")


async def test_a_stream_needs_a_client_that_takes_one() -> None:
    async with running() as server:
        session = await server.greet()
        refused = await server.send("GET", mcp_session_id=session, accept="application/json")

    assert (refused.status, refused.json["error"]) == (406, "not_acceptable")


async def test_a_session_that_ended_takes_its_subscriptions_with_it() -> None:
    async with running() as server:
        session = await server.greet()
        await server.post(post_of("resources/subscribe", {"uri": URI}), mcp_session_id=session)
        before = list(server.subscriptions)
        await server.send("DELETE", mcp_session_id=session)

        assert (before, list(server.subscriptions)) == ([URI], [])


class Deaf(MemoryState):
    """State that cannot be listened to, as where its database is away."""

    def listen(self, *_topics: str) -> AbstractAsyncContextManager[Listener]:
        """Hear nothing."""
        raise TimeoutError


async def test_a_stream_that_could_hear_nothing_is_not_opened() -> None:
    async with running(state=Deaf()) as server:
        session = await server.greet()
        refused = await server.send("GET", mcp_session_id=session, accept="text/event-stream")

    assert (refused.status, refused.json["error"], refused.headers["retry-after"]) == (503, "unavailable", "1")
