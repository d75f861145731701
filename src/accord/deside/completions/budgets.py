"""What a wallet may use up within a day (UTC): free calls, and USDC on paid ones."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Final

import sqlalchemy as sa

from accord.deside.completions.tiers import ATOMS_PER_USDC, Bucket
from accord.deside.errors import BudgetExceededError
from accord.deside.store.tables.completions import BUDGETS
from accord.deside.times import DAY_MS, Clock, iso, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database, inserting

__all__ = ["MOST_A_DAY", "Budgets", "PaidBudget"]

MOST_A_DAY: Final[Mapping[Bucket, int]] = {"free": 100, "paid": 5 * ATOMS_PER_USDC}
"""Free calls, and atoms of USDC, of a wallet (spec/deside.md 3)."""

KEPT_DAYS: Final = 2
"""A call that began before midnight may give back to the day before."""


class PaidBudget:
    """The paid spend of a day, counted within the transaction that reserves a payment or lets go of it."""

    def count(self, connection: sa.Connection, wallet: Wallet, amount: int, at_ms: int) -> None:
        """Count an amount in atoms.

        Raises:
            BudgetExceededError: The day's budget would be exceeded; nothing is counted.
        """
        if not _count(connection, wallet, "paid", amount, at_ms):
            raise _exceeded(at_ms)

    def give_back(self, connection: sa.Connection, wallet: Wallet, amount: int, counted_ms: int) -> None:
        """Take an amount out again, of the day on which it was counted."""
        _give_back(connection, wallet, "paid", amount, counted_ms)


class Budgets:
    """What each wallet has used up today."""

    def __init__(self, store: Database, *, clock: Clock = time.time) -> None:
        self._store = store
        self._clock = clock

    async def count_free(self, wallet: Wallet) -> int:
        """Count a free call, and return when that was, in milliseconds since the epoch.

        Raises:
            BudgetExceededError: The day's free calls are used up.
        """
        at_ms = ms_of(self._clock)
        if not await self._store.write(partial(_count, wallet=wallet, bucket="free", amount=1, at_ms=at_ms)):
            raise _exceeded(at_ms)
        return at_ms

    async def give_back_free(self, wallet: Wallet, counted_ms: int) -> None:
        """Take a free call out again that reached no provider."""
        await self._store.write(
            partial(_give_back, wallet=wallet, bucket="free", amount=1, counted_ms=counted_ms),
        )

    async def check_paid(self, wallet: Wallet, price: int) -> None:
        """See that the day's budget has room for a price in atoms; nothing is counted before it is paid.

        Raises:
            BudgetExceededError: It has not.
        """
        at_ms = ms_of(self._clock)
        used = await self._store.read(partial(_used, wallet=wallet, bucket="paid", at_ms=at_ms))
        if used + price > MOST_A_DAY["paid"]:
            raise _exceeded(at_ms)


def _exceeded(at_ms: int) -> BudgetExceededError:
    return BudgetExceededError(resets_at=iso((at_ms // DAY_MS + 1) * DAY_MS))


def _count(connection: sa.Connection, wallet: Wallet, bucket: Bucket, amount: int, at_ms: int) -> bool:
    """Count in one statement, which is right under row locks too: of racing calls the row lets in what fits."""
    most, day, row = MOST_A_DAY[bucket], at_ms // DAY_MS, BUDGETS.c
    if amount > most:
        return False
    forgotten = (row.wallet == wallet, row.bucket == bucket, row.day <= day - KEPT_DAYS)
    connection.execute(sa.delete(BUDGETS).where(*forgotten))
    first = inserting(connection, BUDGETS).values(wallet=wallet, bucket=bucket, day=day, used=amount)
    counted = connection.execute(
        first.on_conflict_do_update(
            index_elements=[row.wallet, row.bucket, row.day],
            set_={"used": row.used + amount},
            where=row.used + amount <= most,
        )
    )
    return bool(counted.rowcount == 1)


def _give_back(connection: sa.Connection, wallet: Wallet, bucket: Bucket, amount: int, counted_ms: int) -> None:
    row = BUDGETS.c
    mine = (row.wallet == wallet, row.bucket == bucket, row.day == counted_ms // DAY_MS)
    connection.execute(sa.update(BUDGETS).where(*mine).values(used=row.used - amount))


def _used(connection: sa.Connection, wallet: Wallet, bucket: Bucket, at_ms: int) -> int:
    row = BUDGETS.c
    mine = (row.wallet == wallet, row.bucket == bucket, row.day == at_ms // DAY_MS)
    return connection.scalar(sa.select(row.used).where(*mine)) or 0
