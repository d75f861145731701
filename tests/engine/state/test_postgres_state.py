"""What is true of the state in PostgreSQL alone: many processes share it, and hear of each other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from tests.engine.state.racing import raced

from accord.engine.state.postgres import MOST_MESSAGE_BYTES, PostgresState


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


async def _cut(state: PostgresState) -> None:
    listening = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    async with state._connections.engine.begin() as connection:
        await connection.execute(listening)


async def test_a_message_that_postgresql_would_not_take_is_refused(postgres: Iterator[str]) -> None:
    state = PostgresState.open(next(postgres))

    with pytest.raises(ValueError, match="at most 4096 bytes"):
        await state.notify("news", b"x" * (MOST_MESSAGE_BYTES + 1))

    await state.close()
