"""Sends a second through the service layer, at 64 in flight: `python -m bench.deside.sends [seconds]`.

1,000 wallets write to each other in pairs, a tenth as many, and in one conversation, with limits set high; a fiftieth
of the sends is repeated with its key. Each run is checked: every conversation's numbers without gaps or doubles. Ends
with 1 where 1,000 wallets send less than they must.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Literal

import sqlalchemy as sa
from solders.keypair import Keypair
from tests.postgres import databases

from accord.deside.messaging import Limits, Messaging
from accord.deside.people import register
from accord.deside.store import bring_up
from accord.deside.store.tables.messaging import CONVERSATIONS, MESSAGES
from accord.deside.wallets import Wallet
from accord.engine import Database, PostgresDatabase, SqliteDatabase

IN_FLIGHT = 64
WALLETS = 1000
TEXT = "a message of some forty characters, no more"
REPEATED = 50  # one in so many
UNLIMITED = Limits(sends_per_hour=1_000_000, burst_per_recipient=0)
LEAST_A_SECOND = {"SQLite NORMAL": 1000, "SQLite FULL": 0, "PostgreSQL": 1000}
Synchronous = Literal["NORMAL", "FULL"]


def wallets() -> list[Wallet]:
    seeds = (hashlib.sha256(str(number).encode()).digest() for number in range(WALLETS))
    return [Wallet(str(Keypair.from_seed(seed).pubkey())) for seed in seeds]


async def _load(name: str, store: Database, people: list[Wallet], seconds: float) -> float:
    """Send, print, and return how many a second."""
    messaging = Messaging(store, limits=UNLIMITED)
    chance = random.Random(1)  # noqa: S311 - a load, not a secret
    taken_ms: list[float] = []
    stop = time.perf_counter() + seconds

    async def one() -> None:
        while time.perf_counter() < stop:
            sender, recipient = chance.sample(people, 2)
            key = token_hex(16)
            for _ in range(2 if chance.randrange(REPEATED) == 0 else 1):
                begun = time.perf_counter()
                await messaging.send(sender, recipient, text=TEXT, idempotency_key=key)
                taken_ms.append((time.perf_counter() - begun) * 1000)

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(IN_FLIGHT)))
    elapsed = time.perf_counter() - begun
    taken_ms.sort()
    p50, p99 = (taken_ms[int(len(taken_ms) * share)] for share in (0.5, 0.99))
    a_second = len(taken_ms) / elapsed
    print(f"{name:18} {len(people):4} wallets   {a_second:6.0f}/s   p50 {p50:5.1f} ms   p99 {p99:5.1f} ms", flush=True)
    return a_second


def _check(connection: sa.Connection) -> None:
    kept = sa.select(MESSAGES.c.conv_id, sa.func.count().label("count"), sa.func.max(MESSAGES.c.seq).label("newest"))
    counted = kept.group_by(MESSAGES.c.conv_id).subquery()
    both = CONVERSATIONS.outerjoin(counted, counted.c.conv_id == CONVERSATIONS.c.conv_id)
    for row in connection.execute(sa.select(CONVERSATIONS.c.seq_max, counted).select_from(both)):
        if not row.seq_max == row.count == row.newest:
            raise AssertionError(
                f"{row.conv_id}: {row.seq_max} given out, {row.count} kept, the newest is {row.newest}"
            )


async def _run(name: str, store: Database, seconds: float) -> bool:
    people = wallets()
    for wallet in people:
        await store.write(partial(register, wallet=wallet, at_ms=0))
    rates = [await _load(name, store, people[:count], seconds) for count in (WALLETS, WALLETS // 10, 2)]
    await store.read(_check)
    await store.close()
    return rates[0] >= LEAST_A_SECOND[name]


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="sends-") as folder:
        yield Path(folder)


def main(seconds: float = 5.0) -> bool:
    held = True
    modes: tuple[Synchronous, ...] = ("NORMAL", "FULL")
    for mode in modes:
        with _folder() as folder:
            store = SqliteDatabase.open(f"sqlite:///{folder / 'sends.db'}", bring_up, synchronous=mode)
            held &= asyncio.run(_run(f"SQLite {mode}", store, seconds))
    with _folder() as folder, databases(folder) as urls:
        store_there = PostgresDatabase.open(next(urls), bring_up)
        return held & asyncio.run(_run("PostgreSQL", store_there, seconds))


if __name__ == "__main__":
    sys.exit(not main(*map(float, sys.argv[1:])))
