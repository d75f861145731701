"""A paid completion over HTTP, on a real runtime of Solana: quoted, signed, answered, settled, or refused."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import pytest
from aiohttp import web
from tests.deside.completions.node import node
from tests.deside.completions.shop import ANN, HI, Shop, open_shop, paid_at
from tests.deside.completions.upstream import answered, failing, upstream
from tests.deside.served import served
from tests.deside.wallets import wallet

Json: TypeAlias = Any

BOB = wallet(2)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with open_shop(f"sqlite:///{tmp_path / 'deside.db'}") as opened:
        yield opened


@pytest.fixture
async def either(database_url: str) -> AsyncIterator[Shop]:
    """A shop on SQLite and one on PostgreSQL, for what the database decides."""
    async with open_shop(database_url) as opened:
        yield opened


async def test_a_paid_completion(either: Shop) -> None:
    required = await either.ask(model="strong")

    assert (required["error"], required["status"]) == ("PAYMENT_REQUIRED", 402)
    (accepted,) = required["data"].pop("accepts")
    assert required["data"] == {
        "x402Version": 2,
        "error": "Payment required",
        "resource": {
            "url": "mcp://deside/llm_complete/strong",
            "description": "One completion by the tier strong, at most 4096 tokens",
            "mimeType": "application/json",
        },
    }
    assert accepted == {
        "scheme": "exact",
        "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        "amount": "50000",
        "asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "payTo": either.node.sandbox.treasury,
        "maxTimeoutSeconds": 120,
        "extra": {"feePayer": str(either.node.sandbox.fee_payer.pubkey()), "memo": accepted["extra"]["memo"]},
    }
    payment = await either.node.buyer.pay(required["data"] | {"accepts": [accepted]})
    assert either.model.bodies == []

    result = await either.ask(model="strong", payment=payment)

    receipt = result.pop("paymentReceipt")
    assert result.pop("requestId").startswith("llm_")
    assert result == {
        "text": "Four.",
        "model": "strong",
        "usage": {"inputTokens": 7, "outputTokens": 2},
        "cost": 0.05,
        "currency": "USDC",
        "finishReason": "stop",
    }
    assert len(receipt.pop("transaction")) >= 86
    assert receipt == {
        "success": True,
        "network": accepted["network"],
        "payer": either.node.sandbox.wallet,
        "amount": "50000",
    }
    assert either.node.earned == 50_000
    assert [(body["model"], body["max_tokens"]) for body in either.model.bodies] == [("model-of-strong", 4096)]


async def test_cheap_is_the_tier_of_who_names_none(shop: Shop) -> None:
    payment = await shop.payment()

    result = await shop.ask(payment=payment)

    assert (result["model"], result["cost"], shop.node.earned) == ("cheap", 0.002, 2_000)


async def test_the_same_payment_again_is_answered_with_its_receipt_and_charged_once(either: Shop) -> None:
    payment = await either.payment()
    first = await either.ask(payment=payment)

    again = await either.ask(payment=payment)

    assert again["paymentReceipt"] == first["paymentReceipt"]
    assert (again["text"], again["finishReason"], either.node.earned) == ("", "already_answered", 2_000)
    assert len(either.model.bodies) == 1


async def hung_up_while_the_model_thinks(shop: Shop, payment: str) -> None:
    """Present a payment and hang up before there is an answer."""
    gone = asyncio.Event()

    async def thinking(request: web.Request, body: Json) -> web.StreamResponse:
        await gone.wait()
        await asyncio.sleep(0.5)  # a model's own time, in which the server sees that the client has gone
        return await answered()(request, body)

    shop.model.manner = thinking
    shop.model.reached.clear()
    client = await shop.service.signed_in(ANN, "llm:invoke")
    session = await client.greet()
    asked = {"messages": HI, "payment": payment}
    call = asyncio.create_task(client.call("llm_complete", asked, mcp_session_id=session))
    await shop.model.reached.wait()
    call.cancel()
    with suppress(asyncio.CancelledError):
        await call
    gone.set()


async def test_who_hung_up_before_the_answer_gets_it_with_the_same_payment(shop: Shop) -> None:
    payment = await shop.payment()
    await hung_up_while_the_model_thinks(shop, payment)

    async with asyncio.timeout(10):
        while (answer := await shop.ask(payment=payment)).get("error") == "CONFLICT":  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.2)  # it is being served

    assert (answer["text"], answer["paymentReceipt"]["amount"]) == ("Four.", "2000")
    assert (shop.node.earned, len(shop.model.bodies)) == (2_000, 2)
    assert (await shop.ask(payment=payment))["finishReason"] == "already_answered"


async def test_of_many_at_once_with_one_payment_one_is_answered(either: Shop) -> None:
    payment = await either.payment()

    outcomes = await asyncio.gather(*(either.ask(payment=payment) for _ in range(10)))

    assert sum(outcome.get("text") == "Four." for outcome in outcomes) == 1
    assert {outcome.get("error") for outcome in outcomes} <= {None, "CONFLICT"}
    assert (either.node.earned, len(either.model.bodies)) == (2_000, 1)


async def test_a_payment_is_not_good_for_anything_else(shop: Shop) -> None:
    payment = await shop.payment()

    others = [
        await shop.ask(payment=payment, model="balanced"),
        await shop.ask(payment=payment, temperature=0.2),
        await shop.ask(payment=payment, messages=[{"role": "user", "content": "Another thing."}]),
        await shop.ask(BOB, payment=payment),
    ]

    assert [other["error"] for other in others] == ["PAYMENT_REQUIRED"] * 4
    assert (shop.node.earned, shop.model.bodies) == (0, [])


@pytest.mark.parametrize("made_wrong", ["not base64", "signature", "amount", "garbage"])
async def test_a_payment_that_does_not_pay_is_invalid(shop: Shop, made_wrong: str) -> None:
    payload = orjson.loads(base64.b64decode(await shop.payment()))
    transaction = bytearray(base64.b64decode(payload["payload"]["transaction"]))
    if made_wrong == "signature":
        transaction[70] ^= 1
    if made_wrong == "garbage":
        transaction = bytearray(b"garbage")
    if made_wrong == "amount":
        payload["accepted"]["amount"] = "1"
    payload["payload"]["transaction"] = base64.b64encode(transaction).decode()
    payment = "%%%" if made_wrong == "not base64" else base64.b64encode(orjson.dumps(payload)).decode()

    refused = await shop.ask(payment=payment)

    assert (refused["error"], refused["status"]) == ("PAYMENT_INVALID", 402)
    assert (shop.node.earned, shop.model.bodies) == (0, [])


async def test_a_settlement_that_fails_returns_no_text_and_gives_the_budget_back(either: Shop) -> None:
    await either.spend(4_998_000)
    payment = await either.payment()
    # The node is gone when the answer is there.
    either.node.sandbox.chain.faults.error("getBlockHeight", -32005)

    failed = await either.ask(payment=payment)

    assert (failed["error"], failed["status"]) == ("PAYMENT_FAILED", 402)
    assert "Four." not in orjson.dumps(failed).decode()
    assert (either.node.earned, len(either.model.bodies)) == (0, 1)
    assert (await either.ask())["error"] == "PAYMENT_REQUIRED"


async def test_a_provider_that_fails_settles_nothing_and_gives_the_budget_back(either: Shop) -> None:
    await either.spend(4_998_000)
    payment = await either.payment()
    either.model.manner = failing(500)

    failed = await either.ask(payment=payment)

    assert (failed["error"], failed["status"]) == ("PROVIDER_ERROR", 502)
    assert either.node.earned == 0
    again = await either.ask(payment=payment)
    assert again["error"] == "PAYMENT_REQUIRED"


async def test_half_a_character_of_a_model_is_charged_to_nobody(shop: Shop) -> None:
    payment = await shop.payment()
    shop.model.manner = answered("Smile \ud83d")

    failed = await shop.ask(payment=payment)

    assert ((failed["error"], failed["status"]), shop.node.earned) == (("PROVIDER_ERROR", 502), 0)


async def test_a_count_of_tokens_that_no_json_can_say_costs_nobody_the_answer(shop: Shop) -> None:
    payment = await shop.payment()
    shop.model.manner = answered(usage={"prompt_tokens": 7, "completion_tokens": 10**23, "total_tokens": 9})

    result = await shop.ask(payment=payment)

    assert (result["text"], result["usage"]) == ("Four.", {"inputTokens": 7, "outputTokens": None})


@pytest.mark.parametrize(
    ("status", "code"),
    [(504, ("PROVIDER_TIMEOUT", 504)), (404, ("MODEL_UNAVAILABLE", 400)), (429, ("PROVIDER_ERROR", 502))],
)
async def test_whatever_the_provider_answers_nothing_is_charged(shop: Shop, status: int, code: tuple[str, int]) -> None:
    payment = await shop.payment()
    shop.model.manner = failing(status)

    failed = await shop.ask(payment=payment)

    assert ((failed["error"], failed["status"]), shop.node.earned) == (code, 0)


async def test_what_would_go_beyond_the_days_budget_is_refused_before_a_quote(either: Shop) -> None:
    await either.spend(4_998_001)

    refused = await either.ask()

    assert (refused["error"], refused["status"]) == ("BUDGET_EXCEEDED", 402)
    assert "data" not in refused
    assert refused["resetsAt"].endswith("T00:00:00.000Z")


async def test_two_payments_that_the_budget_has_no_room_for_together_are_charged_one_by_one(either: Shop) -> None:
    await either.spend(4_997_000)
    payments = [await either.payment(), await either.payment()]

    outcomes = await asyncio.gather(*(either.ask(payment=payment) for payment in payments))

    assert sorted(outcome.get("error", "") for outcome in outcomes) == ["", "BUDGET_EXCEEDED"]
    assert either.node.earned == 2_000


async def test_the_21st_paid_call_in_a_minute_is_too_many(shop: Shop) -> None:
    for _ in range(20):
        assert (await shop.ask())["error"] == "PAYMENT_REQUIRED"

    refused = await shop.ask()

    assert (refused["error"], refused["status"]) == ("RATE_LIMITED", 429)
    assert 0 < refused["retry_after_ms"] <= 60_000


async def test_what_nobody_can_pay_is_not_quoted(tmp_path: Path) -> None:
    async with upstream() as model, node() as chain:
        env = paid_at(model.url) | chain.settings
        env["DESIDE_FACILITATOR_URL"] = "http://127.0.0.1:9"
        del env["DESIDE_FEE_PAYER_KEY"]
        async with served(f"sqlite:///{tmp_path / 'other.db'}", env=env) as service:
            refused = await Shop(service, chain, model).ask()

    assert (refused["error"], refused["status"]) == ("MODEL_UNAVAILABLE", 400)
