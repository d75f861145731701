"""Databases for the wallet service's tests: each test that asks for `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.clock import Clock
from tests.postgres import empty

from accord.deside.store import open_store
from accord.engine import Database


@pytest.fixture
def clock() -> Clock:
    """The time, in seconds since the epoch, which stands still until a test moves it."""
    return Clock()


@pytest.fixture(scope="session")
def emptied() -> list[str]:
    """The URLs of PostgreSQL databases that tests are done with."""
    return []


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path, emptied: list[str]) -> Iterator[str]:
    """The URL of an empty database; those of PostgreSQL are used again, as making one takes a second and 300 files."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'deside.db'}"
        return
    url = emptied.pop() if emptied else next(request.getfixturevalue("postgres"))
    yield url
    empty(url)
    emptied.append(url)


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Database]:
    """A new database with the service's tables."""
    opened = open_store(database_url)
    try:
        yield opened
    finally:
        await opened.close()
