"""A stub of Discord and a client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.discord.rest.stub import Stub, client, listening

from accord.discord.rest.client import Discord


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with listening(Stub()) as stub:
        yield stub


@pytest.fixture
async def discord(stub: Stub) -> AsyncIterator[Discord]:
    async with client(stub.url) as discord:
        yield discord
