"""The official buyers of x402, in TypeScript and in Python, pay our quotes over the chain's JSON-RPC."""

from __future__ import annotations

import asyncio
import gc
import warnings
from pathlib import Path
from typing import Any, Final

import orjson
import pytest
from tests.clock import Clock
from tests.deside.payments.market import Market, market, order
from tests.deside.payments.serving import on_port
from tests.npm import node_with

from accord.deside.chain import chain_app
from accord.deside.payments.seller import Held
from accord.deside.store import open_store

FOLDER: Final = Path(__file__).parent / "typescript"
PRICES: Final = {"cheap": 2_000, "balanced": 10_000, "strong": 50_000}


@pytest.fixture
async def at(tmp_path: Path) -> Any:
    store = open_store(f"sqlite:///{tmp_path / 'deside.db'}")
    yield market(store, Clock())
    await store.close()


async def settled(at: Market, tier: str, payment: str) -> None:
    """Present a payment and settle it."""
    held = await at.seller.present(order(tier=tier, price=PRICES[tier]), payment)
    assert isinstance(held, Held)
    receipt = (await at.seller.settle(held)).receipt
    assert receipt["amount"] == str(PRICES[tier])


async def test_the_typescript_buyer_pays_every_tier(at: Market) -> None:
    node = node_with(FOLDER, "the official TypeScript buyer")
    async with on_port(chain_app(at.chain)) as rpc:
        quotes = [await at.seller.quote(order(tier=tier, price=price)) for tier, price in PRICES.items()]
        payments = await signed_by(node, {"secretKey": list(bytes(at.sandbox.payer)), "rpc": rpc, "quotes": quotes})
    for tier, payment in zip(PRICES, payments, strict=True):
        await settled(at, tier, payment)

    assert at.earned == sum(PRICES.values())


async def signed_by(node: str, asked: dict[str, Any]) -> list[str]:
    pipe = asyncio.subprocess.PIPE
    driver = await asyncio.create_subprocess_exec(
        node, str(FOLDER / "drive.mjs"), stdin=pipe, stdout=pipe, stderr=pipe, cwd=FOLDER
    )
    out, err = await driver.communicate(orjson.dumps(asked))
    assert driver.returncode == 0, err.decode()
    return out.decode().split()


async def test_the_python_buyer_pays_every_tier(at: Market) -> None:
    async with on_port(chain_app(at.chain)) as rpc:
        for tier, price in PRICES.items():
            required = await at.seller.quote(order(tier=tier, price=price))
            await settled(at, tier, await asyncio.to_thread(signed_by_x402, at, rpc, required))

    assert at.earned == sum(PRICES.values())


def signed_by_x402(at: Market, rpc: str, required: dict[str, Any]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its client of solana-py is deprecated, and says so at every use
        from x402 import x402ClientSync  # noqa: PLC0415 - what it loads warns as well
        from x402.http.utils import encode_payment_signature_header  # noqa: PLC0415 - as above
        from x402.mechanisms.svm import KeypairSigner  # noqa: PLC0415 - as above
        from x402.mechanisms.svm.exact.register import register_exact_svm_client  # noqa: PLC0415 - as above
        from x402.schemas import PaymentRequired  # noqa: PLC0415 - as above

        client = x402ClientSync()
        register_exact_svm_client(client, KeypairSigner(at.sandbox.payer), rpc_url=rpc)
        payment = encode_payment_signature_header(
            client.create_payment_payload(PaymentRequired.model_validate(required))
        )
        del client
        gc.collect()  # it leaves its connections to chance
        return payment
