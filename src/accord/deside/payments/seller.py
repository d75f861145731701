"""What selling takes: an order is quoted, its payment held, settled once the goods are there, and delivered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypedDict

import sqlalchemy as sa

from accord.deside.wallets import Wallet

__all__ = ["Budget", "Held", "Json", "NoBudget", "Order", "Owed", "Receipt", "Resource", "Seller", "Settled"]

Json: TypeAlias = dict[str, Any]


class Resource(TypedDict):
    """What is sold, as x402 says it."""

    url: str
    description: str
    mimeType: str


class Receipt(TypedDict):
    """That the money arrived: x402's SettleResponse. `transaction` is its signature on the chain."""

    success: bool
    transaction: str
    network: str
    payer: str
    amount: str  # atomic units


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a wallet asks for. A quote is good for this order alone.

    Args:
        wallet: Who asks; the money may come from another one.
        tier: What is asked for.
        price: In atomic units of the token: millionths of a USDC.
        request_hash: A hash of everything that the wallet sent but the payment.
        resource: What the quote says that it is for.
    """

    wallet: Wallet
    tier: str
    price: int
    request_hash: str
    resource: Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A payment that was checked and is reserved for an order; nothing is charged yet."""

    nonce: str
    wallet: Wallet
    amount: int
    requirements: Json = field(repr=False)
    payload: Json = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """The money is there, and no answer went out yet: answer now, and say that it was delivered.

    Args:
        nonce: Which payment it was.
        receipt: That it arrived.
        claimed_until_ms: Until when this one, and nobody else, answers it.
    """

    nonce: str
    receipt: Receipt
    claimed_until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The money arrived earlier, and the answer went out with this receipt."""

    nonce: str
    receipt: Receipt


class Budget(Protocol):
    """Counts what a wallet spends, within the transaction that reserves or releases its payment."""

    def count(self, connection: sa.Connection, wallet: Wallet, amount: int, at_ms: int) -> None:
        """Count it as spent.

        Raises:
            BudgetExceededError: It would be too much; then nothing is reserved.
        """

    def give_back(self, connection: sa.Connection, wallet: Wallet, amount: int, counted_ms: int) -> None:
        """Take back what was counted at that time: it will not be charged."""


class NoBudget:
    """Sets no limit."""

    def count(self, connection: sa.Connection, wallet: Wallet, amount: int, at_ms: int) -> None:
        """Let it pass."""

    def give_back(self, connection: sa.Connection, wallet: Wallet, amount: int, counted_ms: int) -> None:
        """Do nothing."""


class Seller(Protocol):
    """Sells one order at a time: quote; present; settle or release; deliver."""

    async def quote(self, order: Order) -> Json:
        """Return x402's PaymentRequired for an order. Nothing is reserved.

        Raises:
            ModelUnavailableError: Nothing can be paid now: the facilitator cannot be reached.
        """

    async def present(self, order: Order, payment: str) -> Held | Owed | Settled:
        """Check a payment (x402's PaymentPayload in base64) and reserve it for its order.

        Raises:
            PaymentRequiredError: It pays no open quote of this order; `data` is a fresh one.
            PaymentInvalidError: It does not pay what was quoted.
            BudgetExceededError: The wallet's budget does not allow it.
            ConflictError: The same payment is being served now.
            PaymentUncheckedError: It cannot be checked now. Nothing happened to it.
        """

    async def settle(self, held: Held) -> Owed:
        """Charge a held payment; returns when the money has arrived, and its answer is owed.

        Raises:
            ConflictError: It arrived so late that somebody else answers it by now.
            PaymentFailedError: It did not arrive. Where its outcome is unknown it may still do so: then it is owed,
                and whoever presents it again with the same order is answered without being charged.
        """

    async def release(self, outcome: Held | Owed) -> None:
        """Say that there is no answer: a held payment is not charged, an owed one stays owed.

        An owed one that somebody else claimed meanwhile stays with him.
        """

    async def deliver(self, outcome: Held | Owed) -> None:
        """Say that the answer went out. Until then the payer counts as owed one: say it as late as possible."""
