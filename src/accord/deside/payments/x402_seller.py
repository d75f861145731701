"""The seller that takes USDC on Solana by x402, scheme exact."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from accord.deside.errors import (
    ConflictError,
    ModelUnavailableError,
    PaymentFailedError,
    PaymentInvalidError,
    PaymentRequiredError,
    PaymentUncheckedError,
)
from accord.deside.payments.books import Books
from accord.deside.payments.checking import Checked, RefusedPaymentError, check
from accord.deside.payments.confirming import Sleep, confirmed
from accord.deside.payments.facilitator import Facilitator, UnreachableError
from accord.deside.payments.ledger import Sale, State
from accord.deside.payments.rpc import RpcError, RpcUnavailableError
from accord.deside.payments.seller import Held, Json, Order, Owed, Settled
from accord.deside.payments.solana import BLOCKHASH_BLOCKS, Outcome, Solana
from accord.deside.payments.wire import (
    TIMEOUT_SECONDS,
    payment_required,
    read_payment,
    receipt_of,
    requirements_of,
)
from accord.deside.usdc import Network
from accord.engine import logger

__all__ = ["Terms", "X402Seller"]

NONCE_BYTES: Final = 16
ASKED: Final = "Payment required"
USED: Final = "This payment pays no open quote of this request; here is a fresh one"

MAY_STILL_ARRIVE: Final = (
    "It may still arrive. Repeat the same call with the same payment in some minutes: where it arrived, you are "
    "answered and not charged again; where it did not, you get a fresh quote."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Where the money goes: on which network, and to whom."""

    network: Network
    pay_to: str


class X402Seller:
    """Quotes, checks, reserves and settles. Each step is in the books before it has an effect elsewhere."""

    def __init__(
        self, terms: Terms, books: Books, facilitator: Facilitator, solana: Solana, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._terms = terms
        self._books = books
        self._facilitator = facilitator
        self._solana = solana
        self._sleep = sleep

    async def quote(self, order: Order) -> Json:
        """Quote an order, good once and for two minutes."""
        return await self._quoted(order, ASKED)

    async def present(self, order: Order, payment: str) -> Held | Owed | Settled:
        """Check and reserve a payment, or say what became of it when it was presented before."""
        payload = _read(payment)
        sale = await self._books.find(_nonce_of(payload))
        if sale is None or not _is_for(sale, order):
            raise await self._fresh(order)
        if payload["accepted"] != sale.requirements:
            raise PaymentInvalidError(reason="requirements_mismatch")
        checked = _checked(payload, sale)
        if sale.state == "quoted":
            return await self._reserved(order, sale, checked)
        return await self._presented_again(order, sale, checked)

    async def settle(self, held: Held) -> Owed:
        """Send a held payment, and see that the money arrived."""
        payment = check(held.payload, held.requirements)
        if await self._books.answer(held.nonce) is None:
            raise PaymentFailedError
        foretold = self._facilitator.signature_of(payment)
        await self._about_to_send(held, foretold)
        outcome = await self._sent(payment, foretold)
        if outcome is None:
            raise _may_still_arrive(held)
        if not outcome.succeeded:
            await self._books.fail(held.nonce)
            raise PaymentFailedError
        return await self._arrived(held, payment, outcome.signature)

    async def release(self, outcome: Held | Owed) -> None:
        """Let go of a held payment; leave an owed answer owed."""
        if isinstance(outcome, Held):
            await self._books.release(outcome.nonce)
        else:
            await self._books.put_back(outcome.nonce, outcome.claimed_until_ms)

    async def deliver(self, outcome: Held | Owed) -> None:
        """Say that the answer went out."""
        await self._books.deliver(outcome.nonce)

    # --- Quoting and reserving ---

    async def _quoted(self, order: Order, error: str) -> Json:
        try:
            fee_payer = await self._facilitator.fee_payer()
        except UnreachableError as lost:
            raise ModelUnavailableError from lost
        nonce, now_ms = secrets.token_hex(NONCE_BYTES), self._books.now_ms
        requirements = requirements_of(
            self._terms.network, pay_to=self._terms.pay_to, fee_payer=fee_payer, amount=order.price, nonce=nonce
        )
        await self._books.quote(
            Sale(
                nonce=nonce,
                wallet=order.wallet,
                tier=order.tier,
                request_hash=order.request_hash,
                amount=order.price,
                requirements=requirements,
                state="quoted",
                state_ms=now_ms,
                expires_ms=now_ms + TIMEOUT_SECONDS * 1000,
            )
        )
        return payment_required(order.resource, requirements, error)

    async def _fresh(self, order: Order) -> PaymentRequiredError:
        return PaymentRequiredError(data=await self._quoted(order, USED))

    async def _reserved(self, order: Order, sale: Sale, payment: Checked) -> Held | Owed | Settled:
        if sale.expires_ms <= self._books.now_ms:
            raise await self._fresh(order)
        if (refused := await self._refusal(payment)) is None:
            reserved = await self._books.reserve(sale.nonce, digest=payment.digest, payer=payment.payer)
            if reserved is not None:
                return _held(reserved, payment)
        # Somebody was faster, and may even have settled: the chain refuses a transaction that it has.
        taken = await self._books.find(sale.nonce)
        if taken is not None and taken.state != "quoted":
            return await self._presented_again(order, taken, payment)
        raise await self._fresh(order) if refused is None else refused

    async def _refusal(self, payment: Checked) -> PaymentInvalidError | None:
        """Ask whether a payment would go through now; return why it would not."""
        try:
            await self._facilitator.verify(payment)
        except RefusedPaymentError as refused:
            return PaymentInvalidError(reason=str(refused))
        except UnreachableError as lost:
            raise PaymentUncheckedError from lost
        return None

    async def _presented_again(self, order: Order, sale: Sale, payment: Checked) -> Owed | Settled:
        if sale.digest != payment.digest or sale.state == "failed":
            raise await self._fresh(order)
        if sale.state == "settled" and sale.receipt is not None:
            return Settled(nonce=sale.nonce, receipt=sale.receipt)
        claimed = await self._books.claim(sale.nonce) if sale.state == "owed" else None
        if claimed is None or claimed.receipt is None:
            raise ConflictError(reason=BUSY.get(sale.state, BUSY_ANSWERING))
        return Owed(nonce=claimed.nonce, receipt=claimed.receipt, claimed_until_ms=claimed.claimed_until_ms)

    # --- Settling ---

    async def _about_to_send(self, held: Held, foretold: str | None) -> None:
        """Write down what may land from now on, and until when."""
        try:
            last = await self._solana.height() + BLOCKHASH_BLOCKS  # its blockhash is not newer than this moment
        except (RpcError, RpcUnavailableError) as lost:
            await self._books.release(held.nonce)
            raise PaymentFailedError from lost
        if await self._books.settle(held.nonce, signature=foretold, last_block_height=last) is None:
            raise PaymentFailedError

    async def _sent(self, payment: Checked, foretold: str | None) -> Outcome | None:
        """Send a payment and wait until it is known what became of it; None where that stays unknown."""
        try:
            signature: str | None = await self._facilitator.send(payment)
        except RefusedPaymentError:
            # Most likely it went nowhere, but that is known for sure only once its blockhash is dead.
            return None
        except UnreachableError:
            signature = foretold
        if signature is None or (foretold is not None and signature != foretold):
            return None
        # What somebody else names need not be what was paid with.
        digest = payment.digest if foretold is None else None
        return await confirmed(self._solana, signature, self._sleep, digest=digest)

    async def _arrived(self, held: Held, payment: Checked, signature: str) -> Owed:
        receipt = receipt_of(held.requirements, signature=signature, payer=payment.payer)
        sale = await self._books.arrive(held.nonce, receipt, is_answered=True)
        if sale is None:
            sale = await self._books.claim(held.nonce)  # the reconciliation saw it first
        if sale is None:
            raise ConflictError(reason=BUSY_ANSWERING)  # and so did the payer, who is being answered
        return Owed(nonce=held.nonce, receipt=receipt, claimed_until_ms=sale.claimed_until_ms)


BUSY_ANSWERING: Final = "this payment is being answered; ask again in a moment"
BUSY: Final[Mapping[State, str]] = {
    "reserved": "this payment is being served; ask again in a moment",
    "answered": "this payment is being settled; ask again in a moment",
    "settling": "this payment is being settled; ask again in a moment",
}


def _read(payment: str) -> Json:
    try:
        return read_payment(payment)
    except ValueError as error:
        raise PaymentInvalidError(reason=str(error)) from None


def _nonce_of(payload: Json) -> str:
    """Return which quote a payment says that it pays."""
    extra = payload["accepted"].get("extra")
    nonce = extra.get("memo") if isinstance(extra, dict) else None
    if not isinstance(nonce, str):
        raise PaymentInvalidError(reason="requirements_mismatch")
    return nonce


def _is_for(sale: Sale, order: Order) -> bool:
    """Whether a quote is of this order; one that nobody has paid is not, once the price is another."""
    quoted = (sale.wallet, sale.tier, sale.request_hash)
    is_priced = sale.state != "quoted" or sale.amount == order.price
    return is_priced and quoted == (order.wallet, order.tier, order.request_hash)


def _checked(payload: Json, sale: Sale) -> Checked:
    try:
        return check(payload, sale.requirements)
    except RefusedPaymentError as refused:
        raise PaymentInvalidError(reason=str(refused)) from refused


def _held(sale: Sale, payment: Checked) -> Held:
    return Held(
        nonce=sale.nonce,
        wallet=sale.wallet,
        amount=sale.amount,
        requirements=sale.requirements,
        payload=payment.payload,
    )


def _may_still_arrive(held: Held) -> PaymentFailedError:
    logger("deside.payments").warning("settlement_unknown", nonce=held.nonce)
    return PaymentFailedError(outcome="unknown", recovery_hint=MAY_STILL_ARRIVE)
