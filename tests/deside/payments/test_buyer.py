"""A buyer signs what is asked for within its caps, and nothing that it does not know."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from solders.keypair import Keypair
from tests.clock import Clock
from tests.deside.payments.market import PRICE, Market, market, order

from accord.deside.payments.buyer import Caps, NotPayingError
from accord.deside.payments.seller import Held
from accord.deside.payments.transactions import read_base64
from accord.deside.store import open_store

Json = dict[str, Any]


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Market]:
    store = open_store(f"sqlite:///{tmp_path / 'deside.db'}")
    yield market(store, Clock())
    await store.close()


@pytest.fixture
async def quoted(at: Market) -> Json:
    return dict(await at.seller.quote(order()))


async def test_what_it_signs_is_taken(at: Market, quoted: Json) -> None:
    held = await at.seller.present(order(), await at.buyer().pay(quoted))

    assert isinstance(held, Held)
    await at.seller.settle(held)
    assert at.earned == PRICE


async def test_it_leaves_the_fee_and_its_signature_to_the_fee_payer(at: Market, quoted: Json) -> None:
    payment = orjson.loads(base64.b64decode(await at.buyer().pay(quoted)))

    transaction = read_base64(payment["payload"]["transaction"])
    assert str(transaction.message.account_keys[0]) == quoted["accepts"][0]["extra"]["feePayer"]
    assert transaction.verify_with_results() == [False, True]


async def test_it_pays_no_more_at_once_than_its_cap(at: Market, quoted: Json) -> None:
    assert await at.buyer(caps=Caps(PRICE, PRICE)).pay(quoted)
    with pytest.raises(NotPayingError, match="most that is paid at once"):
        await at.buyer(caps=Caps(PRICE - 1, 10**9)).pay(quoted)


async def test_it_pays_no_more_in_all_than_its_cap(at: Market, quoted: Json) -> None:
    buyer = at.buyer(caps=Caps(PRICE, 2 * PRICE + 1))
    await buyer.pay(quoted)
    await buyer.pay(quoted)

    with pytest.raises(NotPayingError, match=r"0\.004 USDC is spent"):
        await buyer.pay(quoted)

    assert buyer.spent == 2 * PRICE


def changed(quoted: Json, **accepted: object) -> Json:
    return {**quoted, "accepts": [{**quoted["accepts"][0], **accepted}]}


def extra(quoted: Json, **more: object) -> Json:
    return changed(quoted, extra={**quoted["accepts"][0]["extra"], **more})


@pytest.mark.parametrize(
    "change",
    [
        lambda q: {**q, "x402Version": 1},
        lambda q: {**q, "accepts": []},
        lambda q: {**q, "accepts": None},
        lambda q: {**q, "accepts": ["x"]},
        lambda q: changed(q, scheme="upto"),
        lambda q: changed(q, network="solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"),
        lambda q: changed(q, asset=str(Keypair().pubkey())),
        lambda q: changed(q, amount=2000),
        lambda q: changed(q, amount="-1"),
        lambda q: changed(q, amount="0"),
        lambda q: changed(q, amount="2e3"),
        lambda q: changed(q, amount="²"),
        lambda q: changed(q, amount=str(2**64)),
        lambda q: changed(q, payTo="nobody"),
        lambda q: changed(q, extra=None),
        lambda q: extra(q, feePayer="nobody"),
        lambda q: extra(q, memo=None),
        lambda q: extra(q, memo=""),
        lambda q: extra(q, memo="x" * 257),
    ],
)
async def test_it_does_not_sign_what_it_does_not_know(at: Market, quoted: Json, change: Any) -> None:
    buyer = at.buyer()

    with pytest.raises(NotPayingError):
        await buyer.pay(change(quoted))

    assert buyer.spent == 0


async def test_it_does_not_pay_the_fees_itself(at: Market, quoted: Json) -> None:
    with pytest.raises(NotPayingError):
        await at.buyer().pay(extra(quoted, feePayer=at.sandbox.wallet))


async def test_of_several_ways_to_pay_it_takes_the_first_that_it_knows(at: Market, quoted: Json) -> None:
    other = {**quoted["accepts"][0], "network": "eip155:8453"}

    payment = await at.buyer().pay({**quoted, "accepts": [other, *quoted["accepts"]]})

    assert isinstance(await at.seller.present(order(), payment), Held)
