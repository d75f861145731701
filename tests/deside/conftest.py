"""Databases for the wallet service's tests: each test that asks for `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.clock import Clock

from accord.deside.store import open_store
from accord.engine import Database


@pytest.fixture
def clock() -> Clock:
    """The time, in seconds since the epoch, which stands still until a test moves it."""
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'deside.db'}"
    urls: Iterator[str] = request.getfixturevalue("postgres")
    return next(urls)


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Database]:
    """A new database with the service's tables."""
    opened = open_store(database_url)
    try:
        yield opened
    finally:
        await opened.close()
