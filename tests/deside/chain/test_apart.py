"""Programs of the chain leave alone how others in their process compute."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.clock import Clock
from tests.deside.payments.market import Market, market, order

from accord.deside.chain.apart import Apart
from accord.deside.payments.seller import Held
from accord.deside.store import open_store

PAYMENTS = 5


@pytest.fixture
def numbers() -> Iterator[sqlite3.Connection]:
    """A database that compares whole numbers with others, in its index."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE numbers (number REAL); CREATE INDEX sorted ON numbers (number);")
        yield connection


async def pay(at: Market) -> None:
    held = await at.seller.present(order(), await at.paid())
    assert isinstance(held, Held)
    await at.seller.settle(held)


async def test_sqlite_counts_right_where_payments_are_made(numbers: sqlite3.Connection) -> None:
    store = open_store("sqlite://")
    at = market(store, Clock())
    for _ in range(PAYMENTS):
        await pay(at)
    await store.close()

    for number in (float("inf"), 1.5, float("inf"), 1_800_000_000.0, 0.0):
        numbers.execute("INSERT INTO numbers VALUES (?)", (number,))

    assert numbers.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_what_fails_apart_fails_where_it_was_asked_for() -> None:
    with pytest.raises(ZeroDivisionError):
        Apart()(divmod, 1, 0)
