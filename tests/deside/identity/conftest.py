"""Identities of a service where Ann and Bob have signed in, on both databases."""

from __future__ import annotations

import pytest
from tests.clock import Clock
from tests.deside.wallets import wallet

from accord.deside.identity import Identities
from accord.deside.people import register
from accord.engine import Database

ANN, BOB = wallet(1), wallet(2)


@pytest.fixture
async def identities(store: Database, clock: Clock) -> Identities:
    for each in (ANN, BOB):
        await store.write(lambda connection, each=each: register(connection, each, 1))  # type: ignore[misc] # bound now
    return Identities(store, domain="deside.example", clock=clock)
