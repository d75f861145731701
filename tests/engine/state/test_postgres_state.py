"""What is true of the state in PostgreSQL alone: many processes share it, and hear of each other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
import sqlalchemy as sa
from sqlalchemy.util import await_only
from tests.engine.state.racing import raced
from tests.engine.state.relay import relayed

from accord.engine.state.database import POOL_CONNECTIONS, PostgresDatabase
from accord.engine.state.postgres import MOST_MESSAGE_BYTES, PostgresState
from accord.engine.state.statements import ensure_schema, purge


async def test_two_processes_take_each_value_once_and_share_a_window(postgres: Iterator[str]) -> None:
    url, keys = next(postgres), 200
    state = PostgresState.open(url)
    for number in range(keys):
        await state.put(f"key {number}", b"value")

    assert await raced(url, keys, racers=2) == [keys, keys]
    await state.close()


async def test_processes_may_make_the_tables_at_once(postgres: Iterator[str]) -> None:
    assert await raced(next(postgres), 0, racers=3) == [0, 0]


async def test_a_listener_hears_what_another_process_tells(postgres: Iterator[str]) -> None:
    url = next(postgres)
    one, other = PostgresState.open(url), PostgresState.open(url)

    async with one.listen("news") as listener:
        await other.notify("weather", b"rain")
        await other.notify("news", bytes(range(256)))
        async with asyncio.timeout(10):
            heard = await anext(listener)

    assert heard == bytes(range(256))
    await one.close()
    await other.close()


async def test_a_listener_outlives_the_loss_of_its_connection(postgres: Iterator[str]) -> None:
    url = next(postgres)
    one, other = PostgresState.open(url), PostgresState.open(url)

    async with one.listen("news") as listener, asyncio.timeout(20):
        await _cut(other)
        heard = asyncio.ensure_future(anext(listener))
        while not heard.done():  # nothing says when it is back
            await other.notify("news", b"again")
            await asyncio.wait([heard], timeout=0.2)

    assert await heard == b"again"
    await one.close()
    await other.close()


async def test_whatever_keeps_a_listener_from_its_connection_ends_with_a_word_and_passes(
    postgres: Iterator[str],
) -> None:
    async with relayed(next(postgres)) as relay, asyncio.timeout(30):
        database = await asyncio.to_thread(PostgresDatabase.open, relay.url, ensure_schema)
        state = PostgresState(database, listen_seconds=0.1)
        relay.cut()  # the driver's own error, which neither SQLAlchemy nor Python knows
        with pytest.raises(TimeoutError):
            await _told(state)
        relay.is_cut = False
        while not await _is_heard(state):
            pass

        assert await _told(state) == b"now"
        await state.close()


async def test_a_listening_task_that_died_is_made_anew(postgres: Iterator[str]) -> None:
    state = PostgresState.open(next(postgres))
    assert await _told(state) == b"now"

    assert state._hearing is not None
    state._hearing.cancel()
    await asyncio.wait([state._hearing])

    assert await _told(state) == b"now"
    await state.close()


async def test_a_listener_takes_no_place_in_the_pool_and_waits_for_none(postgres: Iterator[str]) -> None:
    state = PostgresState.open(next(postgres))
    async with AsyncExitStack() as stack, asyncio.timeout(20):
        for _ in range(POOL_CONNECTIONS):
            await stack.enter_async_context(state._connections.engine.connect())

        async with state.listen("news"):
            pass
    await state.close()


async def _told(state: PostgresState) -> bytes:
    async with state.listen("news") as listener, asyncio.timeout(10):
        await state.notify("news", b"now")
        return await anext(listener)


async def _is_heard(state: PostgresState) -> bool:
    try:
        async with state.listen("news"):
            return True
    except TimeoutError:
        return False


async def test_a_window_is_not_purged_under_who_counts_in_it(postgres: Iterator[str]) -> None:
    url = next(postgres)
    now = [1000.0]
    one, other = (PostgresState.open(url, clock=lambda: now[0]) for _ in range(2))
    await one.count_in_window("key", window_seconds=1, limit=5)
    now[0] += 10
    purged: list[asyncio.Future[None]] = []

    def purge_now(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        """Purge with another connection between the first and the second statement of a count."""
        if "state_windows.events" in statement and not purged:
            purged.append(asyncio.ensure_future(other._run(purge)))
            await_only(asyncio.wait(purged, timeout=0.5))

    sa.event.listen(one._connections.engine.sync_engine, "before_cursor_execute", purge_now)
    wait_seconds = await one.count_in_window("key", window_seconds=1, limit=5)
    await purged[0]

    assert wait_seconds == 0
    await one.close()
    await other.close()


async def _cut(state: PostgresState) -> None:
    listening = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    async with state._connections.engine.begin() as connection:
        await connection.execute(listening)


async def test_a_message_that_postgresql_would_not_take_is_refused(postgres: Iterator[str]) -> None:
    state = PostgresState.open(next(postgres))

    with pytest.raises(ValueError, match="at most 4096 bytes"):
        await state.notify("news", b"x" * (MOST_MESSAGE_BYTES + 1))

    await state.close()
