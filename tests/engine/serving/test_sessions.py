"""Sessions: made, bound to one caller for good, found again, closed, pushed to."""

from __future__ import annotations

import pytest

from accord.engine import Sessions
from accord.engine.serving.sessions import TRUST_SECONDS
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

    async with sessions.stream(one.id) as first, sessions.stream(two.id) as second:
        await sessions.push(one.id, b"to one")
        await sessions.push(two.id, b"to two")

        assert (await anext(first), await anext(second)) == (b"to one", b"to two")
