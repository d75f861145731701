"""Every step between the states of a payment, and every one that there is not, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import get_args

import pytest
import sqlalchemy as sa
from tests.deside.wallets import wallet

from accord.deside.payments import ledger
from accord.deside.payments.ledger import STEPS, Sale, State
from accord.deside.payments.seller import Receipt
from accord.deside.store.tables.payments import PAYMENTS
from accord.engine import Database

ANN = wallet(1)
NOW_MS = 1_000_000
RECEIPT = Receipt(success=True, transaction="sig", network="solana:x", payer=str(ANN), amount="2000")

TAKE: dict[str, Callable[[sa.Connection], Sale | None]] = {
    "reserve": lambda c: ledger.reserve(c, "n", NOW_MS, digest="d", payer=str(ANN)),
    "answer": lambda c: ledger.answer(c, "n", NOW_MS),
    "settle": lambda c: ledger.settle(c, "n", NOW_MS, signature="sig", last_block_height=150),
    "arrive": lambda c: ledger.arrive(c, "n", NOW_MS, signature="sig", receipt=RECEIPT),
    "deliver": lambda c: ledger.deliver(c, "n", NOW_MS),
    "release": lambda c: ledger.release(c, "n", NOW_MS),
    "fail": lambda c: ledger.fail(c, "n", NOW_MS),
}


async def put(store: Database, state: State, **columns: object) -> None:
    """Put a payment into a state."""
    row = {"tier": "cheap", "request_hash": "h", "amount": 2000, "requirements": {}, "state_ms": 1, "expires_ms": 2**40}
    given = {"nonce": "n", "wallet": ANN, "state": state, **row, **columns}
    await store.write(lambda connection: connection.execute(sa.insert(PAYMENTS).values(given)))


async def state_of(store: Database) -> Sale:
    sale = await store.read(partial(ledger.find, nonce="n"))
    assert sale is not None
    return sale


@pytest.mark.parametrize("name", TAKE)
@pytest.mark.parametrize("state", get_args(State))
async def test_a_step_leads_from_its_own_states_alone(store: Database, name: str, state: State) -> None:
    await put(store, state)

    taken = await store.write(TAKE[name])

    if state in STEPS[name].sources:
        assert taken is not None
        assert (taken.state, taken.state_ms) == (STEPS[name].target, NOW_MS)
        assert await state_of(store) == taken
    else:
        assert taken is None
        assert (await state_of(store)).state == state


def test_every_step_is_tried() -> None:
    assert set(TAKE) == set(STEPS)


@pytest.mark.parametrize("name", TAKE)
async def test_of_many_that_take_a_step_at_once_one_does(store: Database, name: str) -> None:
    await put(store, min(STEPS[name].sources))

    taken = await asyncio.gather(*(store.write(TAKE[name]) for _ in range(20)))

    assert sum(sale is not None for sale in taken) == 1


async def test_an_expired_quote_is_not_reserved(store: Database) -> None:
    await put(store, "quoted", expires_ms=NOW_MS)

    assert await store.write(TAKE["reserve"]) is None
    assert (await state_of(store)).state == "quoted"


async def test_a_reservation_keeps_what_is_needed_to_know_the_payment_again(store: Database) -> None:
    await put(store, "quoted")

    await store.write(TAKE["reserve"])

    sale = await state_of(store)
    assert (sale.digest, sale.payer, sale.reserved_ms) == ("d", str(ANN), NOW_MS)


async def test_what_is_about_to_be_sent_can_be_found_again(store: Database) -> None:
    await put(store, "answered")

    await store.write(TAKE["settle"])

    sale = await state_of(store)
    assert (sale.signature, sale.last_block_height) == ("sig", 150)


async def test_an_owed_answer_is_claimed_by_one_until_its_time_is_over(store: Database) -> None:
    await put(store, "owed")
    claims = [partial(ledger.claim, nonce="n", now_ms=NOW_MS, until_ms=NOW_MS + 10) for _ in range(10)]

    taken = await asyncio.gather(*(store.write(claim) for claim in claims))

    assert sum(sale is not None for sale in taken) == 1
    assert await store.write(partial(ledger.claim, nonce="n", now_ms=NOW_MS + 9, until_ms=NOW_MS + 20)) is None
    assert await store.write(partial(ledger.claim, nonce="n", now_ms=NOW_MS + 10, until_ms=NOW_MS + 20)) is not None


async def test_a_claim_that_is_given_up_can_be_taken_at_once(store: Database) -> None:
    await put(store, "owed", claimed_until_ms=NOW_MS + 10)

    await store.write(partial(ledger.put_back, nonce="n", claimed_until_ms=NOW_MS + 10))

    assert await store.write(partial(ledger.claim, nonce="n", now_ms=NOW_MS, until_ms=NOW_MS + 10)) is not None


async def test_a_claim_of_somebody_else_cannot_be_given_up(store: Database) -> None:
    await put(store, "owed", claimed_until_ms=NOW_MS + 20)

    await store.write(partial(ledger.put_back, nonce="n", claimed_until_ms=NOW_MS + 10))

    assert await store.write(partial(ledger.claim, nonce="n", now_ms=NOW_MS, until_ms=NOW_MS + 30)) is None


async def test_an_answer_on_its_way_is_claimed_from_the_moment_the_money_is_there(store: Database) -> None:
    await put(store, "settling")

    await store.write(
        partial(ledger.arrive, nonce="n", now_ms=NOW_MS, signature="sig", receipt=RECEIPT, claimed_until_ms=NOW_MS + 10)
    )

    assert (await state_of(store)).receipt == RECEIPT
    assert await store.write(partial(ledger.claim, nonce="n", now_ms=NOW_MS + 9, until_ms=NOW_MS + 20)) is None


async def test_what_has_long_been_in_a_state_is_found_oldest_first(store: Database) -> None:
    for nonce, state, at_ms in [("b", "settling", 5), ("a", "settling", 3), ("c", "settling", 10), ("d", "settled", 1)]:
        await put(store, state, nonce=nonce, state_ms=at_ms)  # type: ignore[arg-type] # the states are literals above

    found = await store.read(partial(ledger.since, states=frozenset({"settling"}), before_ms=10, limit=10))

    assert [sale.nonce for sale in found] == ["a", "b"]


async def test_what_is_owed_can_be_listed_by_wallet(store: Database) -> None:
    await put(store, "owed", nonce="a")
    await put(store, "owed", nonce="b", wallet=wallet(2))
    await put(store, "settled", nonce="c")

    assert [sale.nonce for sale in await store.read(ledger.owed)] == ["a", "b"]
    assert [sale.nonce for sale in await store.read(partial(ledger.owed, wallet=ANN))] == ["a"]


async def test_only_quotes_that_expired_unused_are_forgotten(store: Database) -> None:
    await put(store, "quoted", nonce="old", expires_ms=5)
    await put(store, "quoted", nonce="open", expires_ms=20)
    await put(store, "settled", nonce="paid", expires_ms=5)

    assert await store.write(partial(ledger.forget_quotes, before_ms=10)) == 1

    left = await store.read(lambda connection: connection.scalars(sa.select(PAYMENTS.c.nonce)).all())
    assert sorted(left) == ["open", "paid"]
