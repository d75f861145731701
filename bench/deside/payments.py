"""What a sale costs on LiteSVM: `python -m bench.deside.payments [sales]`.

A quote, presenting a payment (parsing, checking, simulating, reserving), settling it (four transactions of the
database, sending, confirming); with the chain in process and behind HTTP, on SQLite and on PostgreSQL. Beside them runs
a task that notes how long the loop was kept from it: by the clock, and by the processor time of this thread, which
other processes on the machine do not add to. Ends with 1 where a limit does not hold.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from tests.deside.payments.market import Market, order
from tests.deside.payments.serving import on_port
from tests.postgres import databases

from accord.deside.chain import ChainSandbox, chain_app
from accord.deside.payments.opening import payments_on
from accord.deside.payments.rpc import HttpNode
from accord.deside.payments.seller import Held
from accord.deside.store import open_store
from accord.engine import Database

LIMITS_MS = {"quote": 3.0, "present": 15.0, "settle": 15.0, "deliver": 15.0}
"""For the median of each step."""

BLOCKED_MS = 20.0
WARM_UP = 32
IN_FLIGHT = 16


@dataclass
class Watch:
    """Notes the longest time between two turns of the loop, in milliseconds."""

    clock_ms: float = 0.0
    processor_ms: float = 0.0
    _task: asyncio.Task[None] | None = field(default=None)

    def __enter__(self) -> Self:
        self._task = asyncio.create_task(self._watch())
        return self

    def __exit__(self, *_: object) -> None:
        assert self._task is not None  # noqa: S101 - it was entered
        self._task.cancel()

    async def _watch(self) -> None:
        while True:
            clock, processor = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0)
            self.clock_ms = max(self.clock_ms, (time.perf_counter() - clock) * 1000)
            self.processor_ms = max(self.processor_ms, (time.thread_time() - processor) * 1000)


async def sold(at: Market, taken_ms: dict[str, list[float]]) -> None:
    """Go through one sale and note how long each step took."""
    begun = time.perf_counter()
    required = await at.seller.quote(order())
    taken_ms["quote"].append((time.perf_counter() - begun) * 1000)
    payment = await at.buyer().pay(required)
    begun = time.perf_counter()
    held = await at.seller.present(order(), payment)
    taken_ms["present"].append((time.perf_counter() - begun) * 1000)
    if not isinstance(held, Held):
        raise TypeError
    begun = time.perf_counter()
    await at.seller.settle(held)
    taken_ms["settle"].append((time.perf_counter() - begun) * 1000)
    begun = time.perf_counter()
    await at.seller.deliver(held)
    taken_ms["deliver"].append((time.perf_counter() - begun) * 1000)


async def measured(name: str, at: Market, sales: int) -> bool:
    """Sell so many one after the other, then as many at once; print, and return whether all limits hold."""
    # Everything is loaded, and PostgreSQL's connections are there: each takes 5 ms of processor time to make.
    await asyncio.gather(*(sold(at, {step: [] for step in LIMITS_MS}) for _ in range(WARM_UP)))
    gc.collect()
    gc.freeze()  # as the server does once it listens: looking through all that is loaded takes 70 ms
    taken_ms: dict[str, list[float]] = {step: [] for step in LIMITS_MS}
    # The watch keeps the loop turning, which costs what is measured here; so each has a turn of its own.
    for _ in range(sales):
        await sold(at, taken_ms)
    with Watch() as alone:
        for _ in range(sales):
            await sold(at, {step: [] for step in LIMITS_MS})
    begun = time.perf_counter()
    with Watch() as crowded:
        for _ in range(sales // IN_FLIGHT + 1):
            await asyncio.gather(*(sold(at, {step: [] for step in LIMITS_MS}) for _ in range(IN_FLIGHT)))
    a_second = (sales // IN_FLIGHT + 1) * IN_FLIGHT / (time.perf_counter() - begun)
    steps = "   ".join(f"{step} {_at(taken, 0.5):4.1f}/{_at(taken, 0.99):4.1f}" for step, taken in taken_ms.items())
    print(f"{name:22} {steps}   p50/p99 ms   {a_second:4.0f} sales/s at {IN_FLIGHT}")
    print(f"{'':22} {_blocked('one by one', alone)}; {_blocked(f'{IN_FLIGHT} at once', crowded)}", flush=True)
    held = all(_at(taken, 0.5) < LIMITS_MS[step] for step, taken in taken_ms.items())
    return held and max(alone.processor_ms, crowded.processor_ms) < BLOCKED_MS


def _at(taken: list[float], share: float) -> float:
    return sorted(taken)[int(len(taken) * share)]


def _blocked(when: str, watch: Watch) -> str:
    return f"the loop was kept {when} for at most {watch.clock_ms:.1f} ms ({watch.processor_ms:.1f} of processor time)"


@asynccontextmanager
async def markets(store: Database) -> AsyncIterator[dict[str, Market]]:
    """Open a market with the chain in process, and one with it behind HTTP."""
    near, far = ChainSandbox(), ChainSandbox()
    async with on_port(chain_app(far.chain)) as url:
        node = HttpNode(url)
        yield {"in process": market(store, near, near.post), "over HTTP": market(store, far, node)}
        await node.close()


def market(store: Database, sandbox: ChainSandbox, post: object) -> Market:
    sandbox.fund(sandbox.wallet, 10**9)
    payments = payments_on(post, store, pay_to=sandbox.treasury, fee_payer=sandbox.fee_payer)  # type: ignore[arg-type] # one of two
    return Market(store, time.time, sandbox, payments)  # type: ignore[arg-type] # a clock that nobody moves


async def run(name: str, store: Database, sales: int) -> bool:
    async with markets(store) as opened:
        held = [await measured(f"{name}, {where}", at, sales) for where, at in opened.items()]
    await store.close()
    return all(held)


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="payments-") as folder:
        yield Path(folder)


def main(sales: int = 100) -> bool:
    with _folder() as folder:
        held = asyncio.run(run("SQLite", open_store(f"sqlite:///{folder / 'payments.db'}"), sales))
    with _folder() as folder, databases(folder) as urls:
        return held & asyncio.run(run("PostgreSQL", open_store(next(urls)), sales))


if __name__ == "__main__":
    sys.exit(not main(*map(int, sys.argv[1:])))
