"""What one process keeps of its sessions: while they are used, and no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from mcp.shared.exceptions import NoBackChannelError
from tests.loopback import HELLO

from accord.engine import Refusal, Session, Sessions
from accord.engine.serving.live import LiveSessions
from accord.engine.state.memory import MemoryState

if TYPE_CHECKING:
    from accord.engine.serving.exchange import Exchange
    from accord.engine.serving.standing import Standing


async def made(sessions: Sessions, number: int) -> list[Session]:
    """Make sessions."""
    return [await sessions.create(HELLO, "2025-06-18") for _ in range(number)]


async def test_a_session_at_hand_is_the_same_until_it_is_forgotten() -> None:
    sessions = Sessions(MemoryState())
    (session,) = await made(sessions, 1)
    live = LiveSessions(sessions)

    first, second = await live.of(session), await live.of(session)
    await live.forget(session.id)
    third = await live.of(session)

    assert first is second
    assert first is not third


async def test_a_session_made_elsewhere_is_as_its_client_introduced_itself() -> None:
    sessions = Sessions(MemoryState())
    (session,) = await made(sessions, 1)

    connection = (await LiveSessions(sessions).of(session)).connection

    assert connection.client_params is not None
    assert connection.client_params.client_info.name == "raw"
    assert (connection.protocol_version, connection.session_id) == ("2025-06-18", session.id)


async def test_idle_sessions_are_dropped_and_what_hangs_on_them_is_let_go() -> None:
    now, gone = [0.0], list[str]()
    sessions = Sessions(MemoryState(), idle_seconds=60)
    idle, used, new = await made(sessions, 3)
    live = LiveSessions(sessions, clock=lambda: now[0])

    for session in (idle, used):
        (await live.of(session)).connection.exit_stack.callback(gone.append, session.id)
    now[0] += 40
    await live.of(used)
    now[0] += 40
    await live.of(new)

    assert gone == [idle.id]
    assert len(live) == 2


async def test_of_too_many_the_longest_unused_goes() -> None:
    gone: list[str] = []
    sessions = Sessions(MemoryState())
    one, two, three = await made(sessions, 3)
    live = LiveSessions(sessions, most=2)

    for session in (one, two, one, three):
        (await live.of(session)).connection.exit_stack.callback(gone.append, session.id)

    assert gone == [two.id]


async def test_of_too_many_those_that_are_nobodys_go_first() -> None:
    gone: list[str] = []
    sessions = Sessions(MemoryState())
    bound, nobodys, new, newer = await made(sessions, 4)
    live = LiveSessions(sessions, most=2)

    for session in (await sessions.bind(bound, "alice"), nobodys, await sessions.bind(new, "bob"), newer):
        (await live.of(session)).connection.exit_stack.callback(gone.append, session.id)

    assert gone == [nobodys.id, bound.id]


async def test_a_session_with_a_call_under_way_or_an_open_stream_is_never_dropped() -> None:
    now = [0.0]
    sessions = Sessions(MemoryState(), idle_seconds=60)
    calling, streaming, new = await made(sessions, 3)
    live = LiveSessions(sessions, most=2, clock=lambda: now[0])

    (await live.of(calling)).under_way[1] = cast("Exchange", object())
    with (await live.of(streaming)).streaming(cast("Standing", object())):
        now[0] += 100
        with pytest.raises(Refusal) as refused:
            await live.of(new)
        assert len(live) == 2
    await live.of(new)

    assert (refused.value.status, refused.value.body["error"]) == (503, "busy")
    assert len(live) == 2


async def test_a_question_that_belongs_to_no_call_cannot_be_asked() -> None:
    sessions = Sessions(MemoryState())
    (session,) = await made(sessions, 1)
    connection = (await LiveSessions(sessions).of(session)).connection

    with pytest.raises(NoBackChannelError):
        await connection.send_raw_request("ping", None)
