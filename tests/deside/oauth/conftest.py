"""The authorization server on both databases, and a registered client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.clock import Clock
from tests.deside.oauth.serving import Flow, served

from accord.deside.store import open_store
from accord.engine import Database


@pytest.fixture
async def flow(store: Database, clock: Clock) -> AsyncIterator[Flow]:
    """A registered client of a server on either database."""
    async with served(store, clock) as client:
        assert (await client.register()).status == 200
        yield client


@pytest.fixture
async def small_store() -> AsyncIterator[Database]:
    """A database in memory: for what does not depend on the database."""
    opened = open_store("sqlite://")
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
async def client(small_store: Database, clock: Clock) -> AsyncIterator[Flow]:
    """A registered client of a server in memory."""
    async with served(small_store, clock) as one:
        assert (await one.register()).status == 200
        yield one
