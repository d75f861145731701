"""A seller on a chain in this process, with somebody who buys: what tests of payments stand on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from solders.keypair import Keypair
from tests.clock import Clock
from tests.deside.wallets import wallet

from accord.deside.chain import Chain, ChainSandbox
from accord.deside.client.wallet import LocalWallet
from accord.deside.payments import ledger
from accord.deside.payments.buyer import Buyer, Caps
from accord.deside.payments.ledger import Sale
from accord.deside.payments.opening import Payments, payments_on
from accord.deside.payments.rpc import Rpc
from accord.deside.payments.seller import Budget, Order, Resource
from accord.deside.payments.solana import Solana
from accord.deside.usdc import NETWORKS
from accord.engine import Database

__all__ = ["ANN", "BOB", "PRICE", "Market", "market", "order", "soon"]

ANN, BOB = wallet(1), wallet(2)
PRICE = 2000

Json = dict[str, Any]


async def soon(_: float) -> None:
    """Wait for nothing."""


def order(**other: Any) -> Order:
    """Return an order of Ann's, for a completion of the tier cheap."""
    resource = Resource(url="mcp://deside/llm_complete/cheap", description="A completion", mimeType="application/json")
    own = {"wallet": ANN, "tier": "cheap", "price": PRICE, "request_hash": "a" * 64, "resource": resource}
    return Order(**{**own, **other})


@dataclass
class Market:
    """One seller of any number on one chain and one database, and a buyer."""

    store: Database
    clock: Clock
    sandbox: ChainSandbox
    payments: Payments
    _before: int = field(default=0)

    def __post_init__(self) -> None:
        self._before = self.treasury

    @property
    def chain(self) -> Chain:
        return self.sandbox.chain

    @property
    def seller(self) -> Any:
        return self.payments.seller

    @property
    def treasury(self) -> int:
        """The money that is there, in atomic units."""
        return self.sandbox.balance(self.sandbox.treasury)

    @property
    def earned(self) -> int:
        """What came in since the market opened."""
        return self.treasury - self._before

    def buyer(self, key: Keypair | None = None, caps: Caps | None = None) -> Buyer:
        """Return a buyer with a wallet: the funded one, if no other is given."""
        local = LocalWallet(key or self.sandbox.payer)
        return Buyer(local, Solana(Rpc(self.sandbox.post)), NETWORKS["mainnet"], caps or Caps(10**9, 10**9))

    async def paid(self, for_order: Order | None = None, key: Keypair | None = None) -> str:
        """Quote an order and sign its payment."""
        return await self.buyer(key).pay(await self.seller.quote(for_order or order()))

    async def sale(self, nonce: str) -> Sale:
        """Return what is written down of a quote."""
        sale = await self.store.read(partial(ledger.find, nonce=nonce))
        assert sale is not None
        return sale


def market(
    store: Database,
    clock: Clock,
    sandbox: ChainSandbox | None = None,
    *,
    budget: Budget | None = None,
    post: Callable[[Any], Any] | None = None,
    sleep: Callable[[float], Any] = soon,
) -> Market:
    """Open a market, on a chain of its own or on one that is there."""
    on = sandbox or ChainSandbox()
    payments = payments_on(
        post or on.post,
        store,
        pay_to=on.treasury,
        fee_payer=on.fee_payer,
        budget=budget,
        clock=clock,
        sleep=sleep,
    )
    return Market(store, clock, on, payments)
