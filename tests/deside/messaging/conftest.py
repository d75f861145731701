"""A messaging service with wallets that have signed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from tests.clock import Clock
from tests.deside.wallets import wallet

from accord.deside.messaging import Limits, Messaging, drop
from accord.deside.people import People, register
from accord.deside.wallets import Wallet
from accord.engine import Database

ANN, BOB, CARL, NOBODY = wallet(1), wallet(2), wallet(3), wallet(99)


@dataclass
class Place:
    """The services on one database, what was told to whom, and the time."""

    store: Database
    clock: Clock
    told: list[tuple[Wallet, Mapping[str, Any]]] = field(default_factory=list)

    async def tell(self, who: Wallet, params: Mapping[str, Any]) -> None:
        self.told.append((who, params))

    def messaging(self, **limits: int) -> Messaging:
        limited = Limits(**{"sends_per_hour": 1_000_000, "burst_per_recipient": 0} | limits)
        return Messaging(self.store, clock=self.clock, limits=limited, tell=self.tell)

    @property
    def people(self) -> People:
        return People(self.store, clock=self.clock, when_blocked=drop)

    async def register(self, *wallets: Wallet) -> None:
        for each in wallets:
            await self.store.write(partial(register, wallet=each, at_ms=0))


@pytest.fixture
async def place(store: Database, clock: Clock) -> Place:
    made = Place(store, clock)
    await made.register(ANN, BOB, CARL)
    return made
