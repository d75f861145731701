"""How a sale goes on, whatever happens between its steps; the treasury is counted each time, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa
from tests.clock import Clock
from tests.deside.payments.market import ANN, BOB, PRICE, Market, market, order

from accord.deside.chain import ChainSandbox
from accord.deside.errors import (
    BudgetExceededError,
    ConflictError,
    PaymentFailedError,
    PaymentInvalidError,
    PaymentRequiredError,
    PaymentUncheckedError,
)
from accord.deside.payments import confirming
from accord.deside.payments.reconciliation import RESERVED_MS, SETTLING_MS, UNFOUND_MS
from accord.deside.payments.seller import Held, Order, Owed, Settled
from accord.deside.store.tables.payments import PAYMENTS
from accord.deside.wallets import Wallet
from accord.engine import Database

QUOTE_SECONDS = 120


@dataclass
class Purse:
    """A budget in memory: what is counted, and what was given back."""

    limit: int = 10**9
    counted: list[tuple[Wallet, int]] = field(default_factory=list)
    given_back: list[tuple[Wallet, int, int]] = field(default_factory=list)

    def count(self, connection: sa.Connection, wallet: Wallet, amount: int, at_ms: int) -> None:
        if amount > self.limit:
            raise BudgetExceededError(resets_at="2026-01-01T00:00:00.000Z")
        self.counted.append((wallet, amount))

    def give_back(self, connection: sa.Connection, wallet: Wallet, amount: int, counted_ms: int) -> None:
        self.given_back.append((wallet, amount, counted_ms))


@pytest.fixture
def purse() -> Purse:
    return Purse()


@pytest.fixture
def at(store: Database, clock: Clock, purse: Purse) -> Market:
    return market(store, clock, budget=purse)


async def held(at: Market) -> tuple[Held, str]:
    """Return a payment that is held, and the payment as it was presented."""
    payment = await at.paid()
    outcome = await at.seller.present(order(), payment)
    assert isinstance(outcome, Held)
    return outcome, payment


async def sold(at: Market) -> tuple[Held, str]:
    """Return a sale that is over."""
    one, payment = await held(at)
    await at.seller.settle(one)
    await at.seller.deliver(one)
    return one, payment


def later(at: Market, milliseconds: int) -> None:
    at.clock.now += milliseconds / 1000 + 1


def dead(at: Market) -> None:
    """Let so much time pass that nothing which was signed before can land, on any node."""
    at.chain.age()
    at.chain.age()
    at.chain.age()
    later(at, UNFOUND_MS)


# --- Quotes ---


async def test_a_quote_is_what_the_contract_says(at: Market) -> None:
    required = await at.seller.quote(order())

    (accepted,) = required.pop("accepts")
    nonce = accepted["extra"].pop("memo")
    assert required == {"x402Version": 2, "error": "Payment required", "resource": dict(order().resource)}
    assert accepted == {
        "scheme": "exact",
        "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        "amount": "2000",
        "asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "payTo": at.sandbox.treasury,
        "maxTimeoutSeconds": 120,
        "extra": {"feePayer": str(at.sandbox.fee_payer.pubkey())},
    }
    assert (await at.sale(nonce)).state == "quoted"


@pytest.mark.parametrize(
    "other",
    [{"wallet": BOB}, {"tier": "strong"}, {"request_hash": "b" * 64}, {"price": 2001}],
    ids=["wallet", "tier", "request", "price"],
)
async def test_a_payment_is_good_for_the_order_that_was_quoted_alone(at: Market, other: dict[str, Any]) -> None:
    payment = await at.paid()

    await fresh(at, order(**other), payment)

    assert isinstance(await at.seller.present(order(), payment), Held)


async def test_a_quote_expires(at: Market) -> None:
    payment = await at.paid()
    at.clock.now += QUOTE_SECONDS

    await fresh(at, order(), payment)


async def test_an_unknown_quote_gives_a_fresh_one(at: Market) -> None:
    payment = await at.paid()
    await at.store.write(lambda connection: connection.execute(sa.delete(PAYMENTS)))

    await fresh(at, order(), payment)


async def test_a_nonce_is_used_once(at: Market) -> None:
    required = await at.seller.quote(order())
    first = await at.buyer().pay(required)
    at.chain.age()
    second = await at.buyer().pay(required)
    one = await at.seller.present(order(), second)
    await at.seller.settle(one)

    await fresh(at, order(), first)
    assert at.earned == PRICE


async def fresh(at: Market, presented_for: Order, payment: str) -> None:
    """See that a payment is answered with a quote that can be paid."""
    before = at.earned
    with pytest.raises(PaymentRequiredError) as answered:
        await at.seller.present(presented_for, payment)
    quote = answered.value.data["accepts"][0]["extra"]["memo"]
    assert (await at.sale(quote)).state == "quoted"
    assert at.earned == before


# --- Retries ---


async def test_a_payment_that_is_settled_returns_its_receipt_and_nothing_is_charged_again(at: Market) -> None:
    one, payment = await sold(at)

    again = await at.seller.present(order(), payment)

    assert isinstance(again, Settled)
    assert again.receipt == (await at.sale(one.nonce)).receipt
    assert at.earned == PRICE


@pytest.mark.parametrize("state", ["reserved", "answered", "settling"])
async def test_a_payment_that_is_being_served_is_not_served_twice(at: Market, state: str) -> None:
    one, payment = await held(at)
    await at.store.write(lambda connection: connection.execute(sa.update(PAYMENTS).values(state=state)))

    with pytest.raises(ConflictError):
        await at.seller.present(order(), payment)

    assert (await at.sale(one.nonce)).state == state
    assert at.earned == 0


async def test_a_payment_whose_goods_failed_is_not_charged_and_cannot_be_used_again(at: Market, purse: Purse) -> None:
    one, payment = await held(at)

    await at.seller.release(one)

    assert purse.given_back == [(ANN, PRICE, int(at.clock.now * 1000))]
    await fresh(at, order(), payment)
    assert at.earned == 0


async def test_of_twenty_retries_at_once_one_is_held(at: Market) -> None:
    payment = await at.paid()

    outcomes = await asyncio.gather(*(sale(at, payment) for _ in range(20)))

    assert outcomes.count("sold") == 1
    assert set(outcomes) <= {"sold", "CONFLICT", "Settled"}
    assert at.earned == PRICE


async def test_four_sellers_race_for_one_payment_and_one_settles(store: Database, clock: Clock) -> None:
    sandbox = ChainSandbox()
    sellers = [market(store, clock, sandbox) for _ in range(4)]
    payment = await sellers[0].paid()

    outcomes = await asyncio.gather(*(sale(at, payment) for at in sellers for _ in range(3)))

    assert outcomes.count("sold") == 1
    assert sellers[0].earned == PRICE


async def test_who_is_overtaken_while_the_chain_is_asked_hears_what_became_of_the_payment(
    store: Database, clock: Clock
) -> None:
    sandbox = ChainSandbox()
    fast = market(store, clock, sandbox)
    payment = await fast.paid()

    async def overtaken(request: Any) -> Any:
        if request["method"] == "simulateTransaction":
            assert await sale(fast, payment) == "sold"
        return await sandbox.post(request)

    slow = market(store, clock, sandbox, post=overtaken)

    assert isinstance(await slow.seller.present(order(), payment), Settled)
    assert fast.earned == PRICE


async def sale(at: Market, payment: str) -> str:
    """Go through a whole sale; return how it ended."""
    try:
        one = await at.seller.present(order(), payment)
    except ConflictError as error:
        return error.code
    if not isinstance(one, Held):
        return type(one).__name__
    await at.seller.settle(one)
    await at.seller.deliver(one)
    return "sold"


async def test_twenty_payments_at_once_settle_each_once(at: Market) -> None:
    payments = [await at.paid() for _ in range(20)]

    outcomes = await asyncio.gather(*(sale(at, payment) for payment in payments))

    assert outcomes == ["sold"] * 20
    assert at.earned == 20 * PRICE


# --- Budgets ---


async def test_a_payment_is_counted_when_it_is_reserved(at: Market, purse: Purse) -> None:
    await sold(at)

    assert purse.counted == [(ANN, PRICE)]
    assert purse.given_back == []


async def test_without_budget_nothing_is_reserved(at: Market, purse: Purse) -> None:
    purse.limit = PRICE - 1
    payment = await at.paid()

    with pytest.raises(BudgetExceededError):
        await at.seller.present(order(), payment)

    purse.limit = PRICE
    assert isinstance(await at.seller.present(order(), payment), Held)


# --- What goes wrong on the chain ---


@pytest.mark.parametrize("code", [-32005, -32002, -32016, -32429])
async def test_a_node_that_refuses_leaves_a_payment_as_it_was(at: Market, code: int) -> None:
    payment = await at.paid()
    at.chain.faults.error("simulateTransaction", code)

    with pytest.raises(PaymentUncheckedError):
        await at.seller.present(order(), payment)

    assert isinstance(await at.seller.present(order(), payment), Held)


async def test_a_node_that_does_not_answer_leaves_a_payment_as_it_was(at: Market) -> None:
    payment = await at.paid()
    at.chain.faults.lose("simulateTransaction")

    with pytest.raises(PaymentUncheckedError):
        await at.seller.present(order(), payment)

    assert isinstance(await at.seller.present(order(), payment), Held)


async def test_a_transaction_that_is_too_old_is_invalid(at: Market) -> None:
    payment = await at.paid()
    at.chain.age()

    with pytest.raises(PaymentInvalidError, match="does not pay"):
        await at.seller.present(order(), payment)


async def test_what_gets_too_old_while_the_goods_are_made_is_not_charged(at: Market, purse: Purse) -> None:
    one, payment = await held(at)
    at.chain.age()

    await unknown(at, one)
    dead(at)
    assert (await at.payments.reconciliation.round()).failed == (one.nonce,)
    assert purse.given_back == [(ANN, PRICE, purse.given_back[0][2])]
    await fresh(at, order(), payment)
    assert at.earned == 0


async def test_money_that_is_gone_before_it_is_sent_is_not_charged(at: Market) -> None:
    one, _ = await held(at)
    drain(at)()

    await unknown(at, one)
    dead(at)
    await at.payments.reconciliation.round()
    assert (await at.sale(one.nonce)).state == "failed"
    assert at.earned == 0


async def test_a_transaction_that_lands_and_fails_gives_no_receipt(at: Market, purse: Purse) -> None:
    one, _ = await held(at)
    at.chain.faults.meanwhile = drain(at)

    with pytest.raises(PaymentFailedError) as failed:
        await at.seller.settle(one)

    sale = await at.sale(one.nonce)
    landed = at.chain.landed(sale.signature or "")
    assert landed is not None
    assert landed.error is not None
    assert failed.value.outcome is None
    assert (sale.state, sale.receipt) == ("failed", None)
    assert len(purse.given_back) == 1
    assert at.earned == 0


def drain(at: Market) -> Callable[[], None]:
    """Return what takes the money out of the payer's account."""
    wallet = at.sandbox.wallet
    return lambda: at.sandbox.fund(wallet, 1 - at.sandbox.balance(wallet))


@pytest.mark.parametrize("method", ["getBlockHeight"])
async def test_what_could_not_be_sent_is_released_at_once(at: Market, method: str, purse: Purse) -> None:
    one, payment = await held(at)
    at.chain.faults.lose(method)

    with pytest.raises(PaymentFailedError) as failed:
        await at.seller.settle(one)

    assert failed.value.outcome is None
    assert len(purse.given_back) == 1
    await fresh(at, order(), payment)
    assert at.earned == 0


@pytest.mark.parametrize("code", [-32005, -32002, -32429])
async def test_what_a_node_refused_to_send_is_given_up_once_it_can_land_no_more(at: Market, code: int) -> None:
    one, payment = await held(at)
    at.chain.faults.error("sendTransaction", code)

    await unknown(at, one)
    with pytest.raises(ConflictError):
        await at.seller.present(order(), payment)
    dead(at)
    assert (await at.payments.reconciliation.round()).failed == (one.nonce,)
    assert at.earned == 0


async def test_a_lost_request_to_send_is_given_up_once_it_can_land_no_more(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.lose("sendTransaction")

    await unknown(at, one)
    dead(at)
    assert (await at.payments.reconciliation.round()).failed == (one.nonce,)
    assert at.earned == 0


async def test_a_lost_answer_to_sending_does_not_lose_the_money(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.lose("sendTransaction", answers=True)

    receipt = (await at.seller.settle(one)).receipt

    assert receipt["success"]
    assert at.earned == PRICE


async def test_a_late_confirmation_is_waited_for(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.late = 5

    receipt = (await at.seller.settle(one)).receipt

    assert receipt["success"]
    assert at.earned == PRICE


async def test_a_node_that_fails_while_it_is_asked_is_asked_again(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.error("getSignatureStatuses", -32005, times=3)
    at.chain.faults.lose("getSignatureStatuses", times=3)

    receipt = (await at.seller.settle(one)).receipt

    assert receipt["success"]


async def test_a_dropped_transaction_is_open_until_it_can_land_no_more(at: Market, purse: Purse) -> None:
    one, _ = await held(at)
    at.chain.faults.dropped = 1

    await unknown(at, one)
    later(at, SETTLING_MS)
    assert (await at.payments.reconciliation.round()).open == (one.nonce,)
    assert (await at.sale(one.nonce)).state == "settling"
    at.chain.age()
    assert (await at.payments.reconciliation.round()).open == (one.nonce,)
    dead(at)
    assert (await at.payments.reconciliation.round()).failed == (one.nonce,)
    assert len(purse.given_back) == 1
    assert at.earned == 0


async def test_what_is_not_found_is_open_for_five_minutes_whatever_a_node_says_of_its_height(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.dropped = 1
    await unknown(at, one)
    at.chain.height += 10_000

    later(at, UNFOUND_MS - 2_000)
    assert (await at.payments.reconciliation.round()).open == (one.nonce,)
    later(at, 2_000)
    assert (await at.payments.reconciliation.round()).failed == (one.nonce,)


async def test_a_node_that_hangs_is_waited_for_no_longer_than_is_said(
    store: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirming, "WAIT_SECONDS", 0.2)
    sandbox = ChainSandbox()

    async def hanging(request: Any) -> Any:
        if request["method"] == "getSignatureStatuses":
            await asyncio.sleep(0.1)
            raise TimeoutError
        return await sandbox.post(request)

    shop = market(store, clock, sandbox, post=hanging)
    one, _ = await held(shop)
    async with asyncio.timeout(2):
        await unknown(shop, one)


async def test_money_that_arrives_after_the_wait_is_owed_and_answered_once_without_another_charge(
    at: Market, purse: Purse
) -> None:
    one, payment = await held(at)
    at.chain.faults.unconfirmed = 10_000
    await unknown(at, one)
    at.chain.faults.unconfirmed = 0
    later(at, SETTLING_MS)

    assert (await at.payments.reconciliation.round()).owed == (one.nonce,)
    assert [sale.nonce for sale in await at.payments.books.owed(ANN)] == [one.nonce]
    outcomes = [await at.seller.present(order(), payment)]
    with pytest.raises(ConflictError):
        await at.seller.present(order(), payment)

    (owed,) = outcomes
    assert isinstance(owed, Owed)
    await at.seller.deliver(owed)
    assert isinstance(await at.seller.present(order(), payment), Settled)
    assert await at.payments.books.owed() == []
    assert purse.given_back == []
    assert at.earned == PRICE


async def test_what_is_owed_is_owed_to_its_wallet_for_its_request_alone(at: Market) -> None:
    one, payment = await held(at)
    await at.seller.settle(one)

    await fresh(at, order(wallet=BOB), payment)
    await fresh(at, order(request_hash="b" * 64), payment)


async def test_what_was_paid_is_owed_whatever_it_costs_by_now(at: Market) -> None:
    one, payment = await held(at)
    await at.seller.settle(one)
    later(at, 120_000)

    assert isinstance(await at.seller.present(order(price=2 * PRICE), payment), Owed)


async def test_an_owed_answer_that_fails_again_stays_owed(at: Market) -> None:
    one, payment = await held(at)
    await at.seller.settle(one)
    later(at, 120_000)
    owed = await at.seller.present(order(), payment)
    assert isinstance(owed, Owed)

    await at.seller.release(owed)

    assert isinstance(await at.seller.present(order(), payment), Owed)
    assert at.earned == PRICE


async def test_of_many_who_ask_for_an_owed_answer_one_gets_it(at: Market) -> None:
    one, payment = await held(at)
    await at.seller.settle(one)
    later(at, 120_000)

    outcomes = await asyncio.gather(*(sale_or_owed(at, payment) for _ in range(20)))

    assert sorted(outcomes) == ["CONFLICT"] * 19 + ["Owed"]


async def sale_or_owed(at: Market, payment: str) -> str:
    try:
        return type(await at.seller.present(order(), payment)).__name__
    except ConflictError as error:
        return error.code


async def test_between_the_money_and_the_answer_the_payer_is_owed_one(at: Market) -> None:
    one, _ = await held(at)

    await at.seller.settle(one)

    assert [sale.nonce for sale in await at.payments.books.owed()] == [one.nonce]


# --- Reconciliation ---


async def test_a_reservation_that_nobody_looks_after_is_released_and_its_late_owner_charges_nothing(
    at: Market, purse: Purse
) -> None:
    one, _ = await held(at)
    later(at, RESERVED_MS)

    assert (await at.payments.reconciliation.round()).released == (one.nonce,)

    with pytest.raises(PaymentFailedError):
        await at.seller.settle(one)
    assert len(purse.given_back) == 1
    assert at.earned == 0


async def test_a_reservation_in_use_is_left_alone(at: Market) -> None:
    one, _ = await held(at)

    assert (await at.payments.reconciliation.round()).released == ()

    await at.seller.settle(one)
    assert at.earned == PRICE


async def test_what_is_just_being_settled_is_left_to_whoever_settles(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.dropped = 1
    await unknown(at, one)

    assert (await at.payments.reconciliation.round()).open == ()


async def test_a_node_that_does_not_answer_proves_nothing(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.unconfirmed = 10_000
    await unknown(at, one)
    at.chain.faults.unconfirmed = 0
    dead(at)
    at.chain.faults.lose("getSignatureStatuses")

    assert (await at.payments.reconciliation.round()).open == (one.nonce,)
    assert (await at.payments.reconciliation.round()).owed == (one.nonce,)


async def test_replicas_that_reconcile_at_once_give_back_once(store: Database, clock: Clock, purse: Purse) -> None:
    sandbox = ChainSandbox()
    replicas = [market(store, clock, sandbox, budget=purse) for _ in range(4)]
    one, _ = await held(replicas[0])
    sandbox.chain.faults.dropped = 1
    await unknown(replicas[0], one)
    dead(replicas[0])

    await asyncio.gather(*(at.payments.reconciliation.round() for at in replicas))

    assert len(purse.given_back) == 1


async def test_a_landed_transaction_that_failed_is_given_up(at: Market) -> None:
    one, _ = await held(at)
    at.chain.faults.meanwhile = drain(at)
    at.chain.faults.unconfirmed = 10_000
    await unknown(at, one)
    at.chain.faults.unconfirmed = 0
    later(at, SETTLING_MS)

    assert (await at.payments.reconciliation.round()).failed == (one.nonce,)
    assert at.earned == 0


async def test_what_reconciliation_saw_first_is_still_delivered_by_its_owner(store: Database, clock: Clock) -> None:
    async def meanwhile(_: float) -> None:
        later(shop, SETTLING_MS)
        await shop.payments.reconciliation.round()

    shop = market(store, clock, sleep=meanwhile)
    one, payment = await held(shop)

    receipt = (await shop.seller.settle(one)).receipt

    with pytest.raises(ConflictError):
        await shop.seller.present(order(), payment)
    await shop.seller.deliver(one)
    assert await shop.seller.present(order(), payment) == Settled(nonce=one.nonce, receipt=receipt)
    assert shop.earned == PRICE


async def test_who_settles_so_late_that_the_payer_is_answered_by_somebody_else_answers_nothing(
    store: Database, clock: Clock
) -> None:
    answers: list[object] = []

    async def overtaken(_: float) -> None:
        if not answers:
            later(shop, SETTLING_MS)
            await shop.payments.reconciliation.round()
            answers.append(await shop.seller.present(order(), payment))

    shop = market(store, clock, sleep=overtaken)
    one, payment = await held(shop)

    with pytest.raises(ConflictError):
        await shop.seller.settle(one)

    (owed,) = answers
    assert isinstance(owed, Owed)
    with pytest.raises(ConflictError):
        await shop.seller.present(order(), payment)


async def test_who_gives_up_an_answer_that_somebody_else_gives_by_now_takes_nothing_from_him(at: Market) -> None:
    one, payment = await held(at)
    first = await at.seller.settle(one)
    later(at, 120_000)
    assert isinstance(await at.seller.present(order(), payment), Owed)

    await at.seller.release(first)

    with pytest.raises(ConflictError):
        await at.seller.present(order(), payment)


async def test_expired_quotes_are_forgotten_after_a_day(at: Market) -> None:
    await at.seller.quote(order())
    later(at, 25 * 3_600_000)

    await at.payments.reconciliation.round()

    assert (
        await at.store.read(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(PAYMENTS))) == 0
    )


async def unknown(at: Market, one: Held) -> None:
    """Settle, and see that nobody says what became of it."""
    with pytest.raises(PaymentFailedError) as failed:
        await at.seller.settle(one)
    assert failed.value.outcome == "unknown"
    assert (await at.sale(one.nonce)).state == "settling"
