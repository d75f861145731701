"""Sessions: made, bound to one caller for good, found again, closed, pushed to."""

from __future__ import annotations

import asyncio

import pytest

from accord.engine import Session, Sessions
from accord.engine.serving.sessions import LOOK_AGAIN, TRUST_SECONDS, SessionConflict
from accord.engine.state.memory import MemoryState

CLIENT = {"clientInfo": {"name": "a host", "version": "1"}, "capabilities": {}}


async def test_a_session_has_an_id_that_cannot_be_guessed() -> None:
    sessions = Sessions(MemoryState())

    ids = {(await sessions.create(CLIENT, "2025-06-18")).id for _ in range(50)}

    assert len(ids) == 50
    assert all(len(one) == 43 for one in ids)


async def test_a_session_is_found_again_from_anywhere_that_shares_the_state() -> None:
    state = MemoryState()
    made = await Sessions(state).create(CLIENT, "2025-06-18")

    assert await Sessions(state).find(made.id) == made


async def test_an_unknown_session_is_none() -> None:
    assert await Sessions(MemoryState()).find("nobody") is None


async def test_a_bound_session_stays_its_callers() -> None:
    sessions = Sessions(MemoryState())
    session = await sessions.create(CLIENT, "2025-06-18")

    bound = await sessions.bind(session, "one")

    assert await sessions.find(session.id) == bound
    assert (await sessions.bind(bound, "one")).caller == "one"
    with pytest.raises(PermissionError):
        await sessions.bind(bound, "two")


async def test_a_session_lives_on_with_every_use_and_ends_when_idle() -> None:
    now = [0.0]
    sessions = Sessions(MemoryState(clock=lambda: now[0]), idle_seconds=10, clock=lambda: now[0])
    session = await sessions.create(CLIENT, "2025-06-18")

    for _ in range(3):
        now[0] += 9
        assert await sessions.find(session.id) == session
    now[0] += 11

    assert await sessions.find(session.id) is None


async def test_a_session_of_a_second_lives_on_with_every_use_and_ends_on_time_too() -> None:
    now = [0.0]
    sessions = Sessions(MemoryState(clock=lambda: now[0]), idle_seconds=1, clock=lambda: now[0])
    session = await sessions.create(CLIENT, "2025-06-18")

    for _ in range(10):
        now[0] += 0.3
        assert await sessions.find(session.id) == session
    now[0] += 1.1

    assert await sessions.find(session.id) is None


async def test_the_state_is_asked_again_after_a_while_so_that_another_process_can_end_a_session() -> None:
    now, state = [0.0], MemoryState()
    here, elsewhere = Sessions(state, clock=lambda: now[0]), Sessions(state)
    session = await here.create(CLIENT, "2025-06-18")

    await elsewhere.close(session.id)
    assert await here.find(session.id) == session

    now[0] += TRUST_SECONDS
    assert await here.find(session.id) is None


async def test_a_closed_session_is_gone_and_closed_once() -> None:
    sessions = Sessions(MemoryState())
    session = await sessions.create(CLIENT, "2025-06-18")

    assert await sessions.close(session.id)
    assert not await sessions.close(session.id)
    assert await sessions.find(session.id) is None


async def test_what_is_pushed_to_a_session_reaches_its_streams_and_no_others() -> None:
    sessions = Sessions(MemoryState())
    one, two = [await sessions.create(CLIENT, "2025-06-18") for _ in range(2)]

    async with sessions.stream(one) as first, sessions.stream(two) as second:
        await sessions.push(one.id, b"to one")
        await sessions.push(two.id, b"to two")

        assert (await anext(first), await anext(second)) == (b"to one", b"to two")


async def test_what_a_caller_is_told_reaches_the_streams_of_its_sessions() -> None:
    sessions = Sessions(MemoryState())
    mine, others = [await sessions.create(CLIENT, "2025-06-18", caller) for caller in ("me", "you")]

    async with sessions.stream(mine) as first, sessions.stream(others) as second:
        await sessions.tell("me", b"to me")
        await sessions.tell("you", b"to you")

        assert (await anext(first), await anext(second)) == (b"to me", b"to you")


async def test_a_stream_is_told_that_its_session_was_bound_and_that_it_is_over() -> None:
    state = MemoryState()
    here, elsewhere = Sessions(state), Sessions(state)
    session = await here.create(CLIENT, "2025-06-18")

    async with here.stream(session) as stream:
        bound = await elsewhere.bind(session, "me")
        told = await anext(stream)
        found = await here.find(session.id)
        await elsewhere.close(session.id)

        assert (told, found) == (LOOK_AGAIN, bound)
        assert await anext(stream) == LOOK_AGAIN
        assert await here.find(session.id) is None


async def test_a_session_that_somebody_read_before_it_was_bound_stays_bound_when_that_one_writes_it() -> None:
    now = [0.0]
    state = MemoryState(clock=lambda: now[0])
    slow, quick = [Sessions(state, idle_seconds=60, clock=lambda: now[0]) for _ in range(2)]
    session = await slow.create(CLIENT, "2025-06-18")

    await quick.bind(session, "me")
    await slow._renew(session)  # it had read the session before the other bound it

    for _ in range(3):
        now[0] += 50
        found = await quick.find(session.id)
        assert found is not None
        assert found.caller == "me"


async def test_of_several_that_bind_a_session_at_once_one_succeeds() -> None:
    state = MemoryState()
    session = await Sessions(state).create(CLIENT, "2025-06-18")
    names = [f"caller {number}" for number in range(8)]

    outcomes = await asyncio.gather(*(Sessions(state).bind(session, name) for name in names), return_exceptions=True)

    (bound,) = [outcome for outcome in outcomes if isinstance(outcome, Session)]
    assert sum(isinstance(outcome, PermissionError) for outcome in outcomes) == len(names) - 1
    assert await Sessions(state).find(session.id) == bound


async def test_an_exclusive_session_is_its_callers_only_one_until_it_ends() -> None:
    now = [0.0]
    state = MemoryState(clock=lambda: now[0])
    sessions = Sessions(state, idle_seconds=60, exclusive=True, clock=lambda: now[0])
    first = await sessions.create(CLIENT, "2025-06-18", "me")
    await sessions.create(CLIENT, "2025-06-18", "you")

    now[0] += 50
    await sessions.find(first.id)
    now[0] += 50
    with pytest.raises(SessionConflict) as conflict:
        await sessions.create(CLIENT, "2025-06-18", "me")
    kept = await state.keys("session:")
    now[0] += 100
    second = await sessions.create(CLIENT, "2025-06-18", "me")
    await sessions.close(second.id)
    third = await sessions.create(CLIENT, "2025-06-18", "me")

    assert conflict.value.session_id == first.id
    assert kept == [f"session:{first.id}"]
    assert third.id not in {first.id, second.id}
