"""Everything that taking money needs, put together from what is configured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from solders.keypair import Keypair

from accord.deside.config import PaymentSettings
from accord.deside.payments.books import Books
from accord.deside.payments.confirming import Sleep
from accord.deside.payments.embedded import EmbeddedFacilitator
from accord.deside.payments.facilitator import Facilitator, UnreachableError
from accord.deside.payments.keys import key_of, read_key
from accord.deside.payments.reconciliation import Reconciliation
from accord.deside.payments.remote import RemoteFacilitator
from accord.deside.payments.rpc import HttpNode, Post, Rpc, RpcError, RpcUnavailableError
from accord.deside.payments.seller import Budget, NoBudget
from accord.deside.payments.solana import Solana
from accord.deside.payments.x402_seller import Terms, X402Seller
from accord.deside.times import Clock
from accord.deside.usdc import NETWORKS, account_of
from accord.engine import Database

__all__ = ["Payments", "open_payments", "payments_on"]

LEAST_LAMPORTS = 2_000_000
"""Of a fee payer: a hundred payments at two signatures of 5,000 lamports each and the highest priority fee, beside the
890,880 that an account must keep (https://solana.com/docs/core/accounts#rent)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payments:
    """A seller, and who looks after what it leaves behind: run `reconciliation.forever()` beside it."""

    seller: X402Seller
    reconciliation: Reconciliation
    books: Books
    terms: Terms
    facilitator: Facilitator
    solana: Solana
    close: Callable[[], Awaitable[None]]

    async def faults(self) -> list[str]:
        """Return what is wrong with the set-up, as far as facilitator and chain can tell; for a start and a doctor."""
        try:
            return [words async for words in self._faults()]
        except (UnreachableError, RpcError, RpcUnavailableError) as lost:
            return [f"the node or the facilitator does not answer: {lost}"]

    async def _faults(self) -> AsyncIterator[str]:
        network = self.terms.network
        if await self.solana.genesis() != network.genesis:
            yield f"DESIDE_SOLANA_RPC_URL does not serve {network.caip2}"
        account = account_of(self.terms.pay_to, network.usdc)
        if not await self.solana.has_account(account):
            yield f"DESIDE_PAY_TO has no token account for USDC ({account}): nobody can pay it"
        fee_payer = await self.facilitator.fee_payer()
        if isinstance(self.facilitator, EmbeddedFacilitator):
            if await self.solana.lamports(fee_payer) < LEAST_LAMPORTS:
                yield f"the fee payer {fee_payer} has less than {LEAST_LAMPORTS} lamports"
            if fee_payer == self.terms.pay_to:
                yield "DESIDE_PAY_TO is the fee payer itself: let a key that lies on a server hold no money"


def open_payments(
    settings: PaymentSettings,
    store: Database,
    *,
    budget: Budget | None = None,
    clock: Clock = time.time,
    sleep: Sleep = asyncio.sleep,
) -> Payments:
    """Open what is configured; nothing is asked of anybody yet.

    Raises:
        ValueError: The key of the fee payer cannot be used.
    """
    node = HttpNode(settings.rpc_url.reveal())
    terms = Terms(network=NETWORKS[settings.network], pay_to=settings.pay_to)
    solana = Solana(Rpc(node))
    facilitator = _facilitator(settings, terms, solana)

    async def close() -> None:
        await facilitator.close()
        await node.close()

    return _together(terms, store, facilitator, solana, close, budget=budget, clock=clock, sleep=sleep)


def payments_on(
    post: Post,
    store: Database,
    *,
    pay_to: str,
    fee_payer: Keypair,
    budget: Budget | None = None,
    clock: Clock = time.time,
    sleep: Sleep = asyncio.sleep,
) -> Payments:
    """Take money on a chain that is asked without a network: the sandbox's."""
    solana = Solana(Rpc(post))
    terms = Terms(network=NETWORKS["mainnet"], pay_to=pay_to)
    facilitator = EmbeddedFacilitator(fee_payer, solana)
    return _together(terms, store, facilitator, solana, facilitator.close, budget=budget, clock=clock, sleep=sleep)


def _facilitator(settings: PaymentSettings, terms: Terms, solana: Solana) -> Facilitator:
    if settings.facilitator_url is not None:
        return RemoteFacilitator(settings.facilitator_url, terms.network.caip2)
    if settings.fee_payer_key is not None:
        return EmbeddedFacilitator(key_of(settings.fee_payer_key), solana)
    if settings.fee_payer_key_file is not None:
        return EmbeddedFacilitator(read_key(settings.fee_payer_key_file), solana)
    raise ValueError("nobody pays the fees")


def _together(
    terms: Terms,
    store: Database,
    facilitator: Facilitator,
    solana: Solana,
    close: Callable[[], Awaitable[None]],
    *,
    budget: Budget | None,
    clock: Clock,
    sleep: Sleep,
) -> Payments:
    books = Books(store, budget or NoBudget(), clock)
    return Payments(
        seller=X402Seller(terms, books, facilitator, solana, sleep=sleep),
        reconciliation=Reconciliation(books, solana),
        books=books,
        terms=terms,
        facilitator=facilitator,
        solana=solana,
        close=close,
    )
