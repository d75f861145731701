"""Sales in processes of their own: killed between each two steps, and racing on one database."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from base64 import b64decode
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import pytest
from tests.clock import Clock
from tests.deside.payments.market import PRICE, Market, market, order
from tests.deside.payments.serving import on_port

from accord.deside.chain import chain_app
from accord.deside.errors import PaymentRequiredError
from accord.deside.payments.reconciliation import UNFOUND_MS, Reconciled
from accord.deside.payments.seller import Owed, Settled
from accord.engine import Database

NURSERY: Final = Path(__file__).with_name("nursery.py")
RACERS: Final = 4


@dataclass(frozen=True)
class Nursery:
    """Processes that sell, on one chain and one database."""

    process: asyncio.subprocess.Process
    at: Market
    rpc: str
    database: str

    async def sell(self, payment: str, *, racers: int = 1, die_after: str | None = None) -> list[str]:
        """Let so many present a payment at once; return how that ended."""
        job = {
            "database": self.database,
            "rpc": self.rpc,
            "key": str(self.at.sandbox.fee_payer),
            "payTo": self.at.sandbox.treasury,
            "order": asdict(order()),
            "payment": payment,
            "dieAfter": die_after,
        }
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(orjson.dumps([job] * racers) + b"\n")
        async with asyncio.timeout(30):
            return list(orjson.loads(await self.process.stdout.readline()))


@pytest.fixture
async def nursery(store: Database, database_url: str) -> AsyncIterator[Nursery]:
    at = market(store, Clock(time.time()))
    pipe = asyncio.subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(NURSERY), stdin=pipe, stdout=pipe, env=environment
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    async with on_port(chain_app(at.chain)) as rpc:
        yield Nursery(process, at, rpc, database_url)
        process.kill()
        await process.wait()


@dataclass(frozen=True)
class Death:
    """Where a process dies, how things stand then, and what becomes of them."""

    after: str
    state: str
    then: str
    earned: int


DEATHS: Final = [
    Death("reserve", "reserved", "failed", 0),
    Death("answer", "answered", "failed", 0),
    Death("settle", "settling", "failed", 0),
    Death("send", "settling", "owed", PRICE),
    Death("arrive", "owed", "owed", PRICE),
    Death("deliver", "settled", "settled", PRICE),
]


async def test_whoever_is_killed_between_two_steps_charges_nobody_without_owing_an_answer(nursery: Nursery) -> None:
    at = nursery.at
    for death in DEATHS:
        before = at.treasury
        payment = await at.paid()
        nonce = nonce_of(payment)

        assert await nursery.sell(payment, die_after=death.after) == ["killed"], death
        assert (await at.sale(nonce)).state == death.state, death

        await reconciled(at)
        assert (await at.sale(nonce)).state == death.then, death
        assert at.treasury - before == death.earned, death
        assert await presented(at, payment) == {"failed": "fresh", "owed": "Owed", "settled": "Settled"}[death.then]
        assert at.treasury - before == death.earned, death


async def reconciled(at: Market) -> Reconciled:
    """Let enough time pass that everything is known."""
    for _ in range(3):
        at.chain.age()
    at.clock.now = max(at.clock.now, time.time()) + UNFOUND_MS / 1000 + 1
    return await at.payments.reconciliation.round()


async def presented(at: Market, payment: str) -> str:
    try:
        outcome = await at.seller.present(order(), payment)
    except PaymentRequiredError:
        return "fresh"
    assert isinstance(outcome, Owed | Settled)
    return type(outcome).__name__


def nonce_of(payment: str) -> str:
    accepted: dict[str, Any] = orjson.loads(b64decode(payment))["accepted"]
    return str(accepted["extra"]["memo"])


async def test_of_four_processes_that_race_for_a_payment_one_settles(nursery: Nursery) -> None:
    for _ in range(3):
        before = nursery.at.treasury
        payment = await nursery.at.paid()

        ended = await nursery.sell(payment, racers=RACERS)

        assert ended.count("sold") == 1, ended
        assert set(ended) <= {"sold", "CONFLICT", "Settled"}
        assert nursery.at.treasury - before == PRICE
