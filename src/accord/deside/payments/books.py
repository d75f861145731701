"""The ledger with its clock and its budget: what is counted is counted in the transaction that takes the step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Concatenate, Final, ParamSpec

import sqlalchemy as sa

from accord.deside.payments import ledger
from accord.deside.payments.ledger import Sale, State
from accord.deside.payments.seller import Budget, Receipt
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database

__all__ = ["Books"]

Facts = ParamSpec("Facts")
StepOf = Callable[Concatenate[sa.Connection, str, int, Facts], Sale | None]

CLAIM_MS: Final = 120_000
"""How long an answer may take that is owed: the provider's 40 seconds, and what comes before and after it."""


class Books:
    """What is written down of payments."""

    def __init__(self, store: Database, budget: Budget, clock: Clock) -> None:
        self._store = store
        self._budget = budget
        self._clock = clock

    @property
    def now_ms(self) -> int:
        """The time now."""
        return ms_of(self._clock)

    async def quote(self, sale: Sale) -> None:
        """Write a quote down."""
        await self._store.write(partial(ledger.quote, sale=sale))

    async def find(self, nonce: str) -> Sale | None:
        """Return what became of a quote."""
        return await self._store.read(partial(ledger.find, nonce=nonce))

    async def reserve(self, nonce: str, *, digest: str, payer: str) -> Sale | None:
        """Keep a quote for a payment and count it; None where it is open no more.

        Raises:
            BudgetExceededError: The budget does not allow it; then the quote stays open.
        """
        now_ms = self.now_ms

        def work(connection: sa.Connection) -> Sale | None:
            sale = ledger.reserve(connection, nonce, now_ms, digest=digest, payer=payer)
            if sale is not None:
                self._budget.count(connection, sale.wallet, sale.amount, now_ms)
            return sale

        return await self._store.write(work)

    async def answer(self, nonce: str) -> Sale | None:
        """Say that the goods are there."""
        return await self._take(ledger.answer, nonce)

    async def settle(self, nonce: str, *, signature: str | None, last_block_height: int) -> Sale | None:
        """Say that the transaction is about to be sent."""
        return await self._take(ledger.settle, nonce, signature=signature, last_block_height=last_block_height)

    async def arrive(self, nonce: str, receipt: Receipt, *, is_answered: bool) -> Sale | None:
        """Say that the money is there, and whether the answer is about to go out."""
        until_ms = self.now_ms + CLAIM_MS if is_answered else 0
        signature = receipt["transaction"]
        return await self._take(ledger.arrive, nonce, signature=signature, receipt=receipt, claimed_until_ms=until_ms)

    async def deliver(self, nonce: str) -> Sale | None:
        """Say that the answer went out."""
        return await self._take(ledger.deliver, nonce)

    async def claim(self, nonce: str) -> Sale | None:
        """Be the one who gives an answer that is owed."""
        return await self._take(ledger.claim, nonce, until_ms=self.now_ms + CLAIM_MS)

    async def put_back(self, nonce: str, claimed_until_ms: int) -> None:
        """Leave an answer owed, as far as it is claimed until that time: by whoever gives it up."""
        await self._store.write(partial(ledger.put_back, nonce=nonce, claimed_until_ms=claimed_until_ms))

    async def release(self, nonce: str) -> Sale | None:
        """Let go of a payment that was never sent."""
        return await self._give_back(ledger.release, nonce)

    async def fail(self, nonce: str) -> Sale | None:
        """Say that what was sent can land no more."""
        return await self._give_back(ledger.fail, nonce)

    async def older(self, states: frozenset[State], age_ms: int, limit: int) -> list[Sale]:
        """Return what has been in one of these states for longer than that."""
        before_ms = self.now_ms - age_ms
        return await self._store.read(partial(ledger.since, states=states, before_ms=before_ms, limit=limit))

    async def owed(self, wallet: Wallet | None = None) -> list[Sale]:
        """Return the payments whose answer is owed."""
        return await self._store.read(partial(ledger.owed, wallet=wallet))

    async def forget_quotes(self, age_ms: int) -> int:
        """Delete the quotes that expired unused longer ago than that; returns how many."""
        return await self._store.write(partial(ledger.forget_quotes, before_ms=self.now_ms - age_ms))

    async def _take(self, step: StepOf[...], nonce: str, **facts: Any) -> Sale | None:
        return await self._store.write(partial(step, nonce=nonce, now_ms=self.now_ms, **facts))

    async def _give_back(self, step: StepOf[[]], nonce: str) -> Sale | None:
        now_ms = self.now_ms

        def work(connection: sa.Connection) -> Sale | None:
            sale = step(connection, nonce, now_ms)
            if sale is not None and sale.reserved_ms is not None:
                self._budget.give_back(connection, sale.wallet, sale.amount, sale.reserved_ms)
            return sale

        return await self._store.write(work)
