"""Sells in processes of their own, one a job: they start together, and die where they are told to.

Each line of stdin is a list of jobs, and is answered with a list of how they ended: what the sale ended with, or
"killed". A job is {"database", "rpc", "key", "payTo", "order", "payment", "dieAfter"?}. Everything is loaded once, and
each job runs in a fork.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa

from accord.deside.config import PaymentSettings
from accord.deside.errors import ConflictError
from accord.deside.payments.checking import Checked
from accord.deside.payments.embedded import EmbeddedFacilitator
from accord.deside.payments.opening import open_payments
from accord.deside.payments.seller import Held, Order
from accord.deside.store import open_store
from accord.deside.wallets import Wallet
from accord.engine import Database, Secret

Result = TypeVar("Result")
Job = dict[str, Any]

WRITES = ("reserve", "answer", "settle", "arrive", "deliver")
"""What a sale writes, in this order."""


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class MortalStore:
    """A database whose process dies after a certain write."""

    store: Database
    die_after: str | None
    written: int = 0

    async def read(self, work: Callable[[sa.Connection], Result]) -> Result:
        return await self.store.read(work)

    async def write(self, work: Callable[[sa.Connection], Result]) -> Result:
        result = await self.store.write(work)
        if WRITES[self.written] == self.die_after:
            die()
        self.written += 1
        return result


class MortalFacilitator(EmbeddedFacilitator):
    """A facilitator whose process dies once it has sent."""

    async def send(self, payment: Checked) -> str:
        await super().send(payment)
        die()
        raise AssertionError


async def sell(job: Job, start: Callable[[], None]) -> str:
    store = open_store(job["database"])
    settings = PaymentSettings(
        pay_to=job["payTo"], network="mainnet", rpc_url=Secret(job["rpc"]), fee_payer_key=Secret(job["key"])
    )
    payments = open_payments(settings, MortalStore(store, job.get("dieAfter")), clock=time.time)  # type: ignore[arg-type] # as much of one as a sale needs
    if job.get("dieAfter") == "send":
        payments.seller._facilitator.__class__ = MortalFacilitator
    order = Order(**job["order"] | {"wallet": Wallet(job["order"]["wallet"])})
    start()
    try:
        held = await payments.seller.present(order, job["payment"])
        if not isinstance(held, Held):
            return type(held).__name__
        await payments.seller.settle(held)
        await payments.seller.deliver(held)
    except ConflictError as error:
        return error.code
    finally:
        await payments.close()
        await store.close()
    return "sold"


def run(job: Job, ready: int, go: int, result: int) -> None:
    """Do a job, in a fork."""

    def start() -> None:
        os.write(ready, b".")
        os.read(go, 1)  # ends when the parent closes its side

    try:
        ended = asyncio.run(sell(job, start))
    except Exception as error:  # noqa: BLE001 - it is told as what it is, and fails the test
        ended = repr(error)
    os.write(result, ended.encode())


def all_of(jobs: list[Job]) -> list[str]:
    ready, go = os.pipe(), os.pipe()
    results = []
    for job in jobs:
        result = os.pipe()
        if os.fork() == 0:
            os.close(go[1])
            try:
                run(job, ready[1], go[0], result[1])
            finally:
                os._exit(0)
        os.close(result[1])
        results.append(result[0])
    for _ in jobs:
        os.read(ready[0], 1)
    os.close(go[1])
    ended = [os.read(result, 100).decode() or "killed" for result in results]
    for _ in jobs:
        os.wait()
    for descriptor in (*results, *ready, go[0]):
        os.close(descriptor)
    return ended


if __name__ == "__main__":
    print("ready", flush=True)  # noqa: T201 - how the test hears of it
    for line in sys.stdin:
        print(orjson.dumps(all_of(orjson.loads(line))).decode(), flush=True)  # noqa: T201 - as above
