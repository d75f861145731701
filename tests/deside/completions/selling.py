"""A seller in memory, without a chain: a payment is a text that names what it pays."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from accord.deside.errors import PaymentInvalidError, PaymentRequiredError
from accord.deside.payments import Held, Json, Order, Owed, Receipt, Settled
from accord.engine import ToolError

__all__ = ["PAYER", "Stall"]

PAYER = "payer"


@dataclass
class Stall:
    """Sells for payments `pays:<nonce>`; what happened stands in `steps`, and money in `treasury`."""

    treasury: int = 0
    steps: list[str] = field(default_factory=list)
    quotes: dict[str, Order] = field(default_factory=dict)
    states: dict[str, Literal["quoted", "held", "owed", "settled", "failed"]] = field(default_factory=dict)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    failure: ToolError | None = None
    settling: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.go_on.set()

    async def quote(self, order: Order) -> Json:
        self.steps.append("quote")
        nonce = f"n{len(self.quotes)}"
        self.quotes[nonce] = order
        self.states[nonce] = "quoted"
        return {"x402Version": 2, "resource": order.resource, "accepts": [{"extra": {"memo": nonce}}]}

    async def present(self, order: Order, payment: str) -> Held | Owed | Settled:
        self.steps.append("present")
        prefix, _, nonce = payment.partition(":")
        if prefix != "pays":
            raise PaymentInvalidError
        if self.quotes.get(nonce) != order or self.states[nonce] == "failed":
            raise PaymentRequiredError(data=await self.quote(order))
        if self.states[nonce] == "settled":
            return Settled(nonce=nonce, receipt=self.receipts[nonce])
        if self.states[nonce] == "owed":
            return Owed(nonce=nonce, receipt=self.receipts[nonce], claimed_until_ms=0)
        self.states[nonce] = "held"
        return Held(nonce=nonce, wallet=order.wallet, amount=order.price, requirements={}, payload={})

    async def settle(self, held: Held) -> Owed:
        self.steps.append("settle")
        self.settling.set()
        await self.go_on.wait()
        if self.failure is not None:
            self.states[held.nonce] = "failed"
            raise self.failure
        self.treasury += held.amount
        self.states[held.nonce] = "owed"
        receipt = Receipt(success=True, transaction="sig", network="net", payer=PAYER, amount=str(held.amount))
        self.receipts[held.nonce] = receipt
        return Owed(nonce=held.nonce, receipt=receipt, claimed_until_ms=0)

    async def release(self, outcome: Held | Owed) -> None:
        self.steps.append("release")
        if self.states[outcome.nonce] == "held":
            self.states[outcome.nonce] = "failed"

    async def deliver(self, outcome: Held | Owed) -> None:
        self.steps.append("deliver")
        self.states[outcome.nonce] = "settled"
