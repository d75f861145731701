"""Sales through somebody else's facilitator: ours in another process, and ones that lie or fail."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import orjson
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.clock import Clock
from tests.deside.payments.market import PRICE, Market, market, order, soon
from tests.deside.payments.serving import in_parts, on_port
from tests.deside.payments.test_sales import dead, later

from accord.deside.chain import ChainSandbox, chain_app
from accord.deside.config import PaymentSettings
from accord.deside.errors import (
    ModelUnavailableError,
    PaymentFailedError,
    PaymentInvalidError,
    PaymentUncheckedError,
)
from accord.deside.payments.facilitator_app import facilitator_app
from accord.deside.payments.opening import open_payments
from accord.deside.payments.reconciliation import SETTLING_MS
from accord.deside.payments.seller import Held
from accord.deside.store import open_store
from accord.deside.usdc import NETWORKS
from accord.engine import Database, Secret

PROCESS: Final = Path(__file__).with_name("facilitator_process.py")
NETWORK: Final = NETWORKS["mainnet"].caip2

Json = dict[str, Any]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Database]:
    opened = open_store(f"sqlite:///{tmp_path / 'deside.db'}")
    yield opened
    await opened.close()


@asynccontextmanager
async def remote(store: Database, sandbox: ChainSandbox, url: str) -> AsyncIterator[Market]:
    """A market whose facilitator is at this URL, and whose node is asked over HTTP."""
    async with on_port(chain_app(sandbox.chain)) as rpc:
        settings = PaymentSettings(pay_to=sandbox.treasury, network="mainnet", rpc_url=Secret(rpc), facilitator_url=url)
        clock = Clock()
        payments = open_payments(settings, store, clock=clock, sleep=soon)
        yield Market(store, clock, sandbox, payments)
        await payments.close()


@asynccontextmanager
async def second_process(sandbox: ChainSandbox) -> AsyncIterator[str]:
    """Our facilitator in a process of its own."""
    pipe = asyncio.subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    async with on_port(chain_app(sandbox.chain)) as rpc:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(PROCESS), rpc, stdin=pipe, stdout=pipe, env=environment
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{sandbox.fee_payer}\n".encode())
        yield (await process.stdout.readline()).decode().strip()
        process.kill()
        await process.wait()


async def held(at: Market) -> Held:
    outcome = await at.seller.present(order(), await at.paid())
    assert isinstance(outcome, Held)
    return outcome


async def test_our_facilitator_in_another_process_settles_and_pays_the_fees(store: Database) -> None:
    sandbox = ChainSandbox()
    lamports = sandbox.chain.lamports(str(sandbox.fee_payer.pubkey()))
    async with second_process(sandbox) as url, remote(store, sandbox, url) as at:
        assert await at.payments.faults() == []
        for _ in range(3):
            one = await held(at)
            assert (await at.seller.settle(one)).receipt["success"]
            await at.seller.deliver(one)

        poor = sandbox.balance(sandbox.wallet)
        payment = await at.paid()
        sandbox.fund(sandbox.wallet, -poor)
        with pytest.raises(PaymentInvalidError) as refused:
            await at.seller.present(order(), payment)

    assert refused.value.reason == "transaction_simulation_failed"
    assert at.earned == 3 * PRICE
    assert lamports - sandbox.chain.lamports(str(sandbox.fee_payer.pubkey())) == 3 * 10_000


# --- Facilitators that are not as they should be ---

Act = Callable[[Request], Awaitable[Response]]


def odd(sandbox: ChainSandbox, **acts: Act) -> Starlette:
    """A facilitator that does as it should but for what is given."""
    ours = facilitator_app(payments_facilitator(sandbox), payments_solana(sandbox), NETWORKS["mainnet"], sleep=soon)
    proper = {route.path: route for route in ours.routes if isinstance(route, Route)}
    methods = {"supported": "GET", "verify": "POST", "settle": "POST"}
    given = [Route(f"/{name}", act, methods=[methods[name]]) for name, act in acts.items()]
    return Starlette(routes=[*given, *(route for path, route in proper.items() if path[1:] not in acts)])


def payments_facilitator(sandbox: ChainSandbox) -> Any:
    return market_of(sandbox).payments.facilitator


def payments_solana(sandbox: ChainSandbox) -> Any:
    return market_of(sandbox).payments.solana


def market_of(sandbox: ChainSandbox) -> Market:
    return market(None, Clock(), sandbox)  # type: ignore[arg-type] # its store is not used


def answering(body: object, status: int = 200) -> Act:
    async def act(_: Request) -> Response:
        return JSONResponse(body, status)

    return act


def saying(success: bool, signature: str, **more: object) -> Act:
    return answering({"success": success, "transaction": signature, "network": NETWORK, **more})


async def unsettled(store: Database, act: Act) -> tuple[Market, Held]:
    """Settle through a facilitator with this answer; nothing may come of it."""
    sandbox = ChainSandbox()
    async with on_port(odd(sandbox, settle=act)) as url, remote(store, sandbox, url) as at:
        one = await held(at)
        with pytest.raises(PaymentFailedError) as failed:
            await at.seller.settle(one)
        assert failed.value.outcome == "unknown"
        assert (await at.sale(one.nonce)).state == "settling"
        assert at.earned == 0
        dead(at)
        assert (await at.payments.reconciliation.round()).failed == (one.nonce,)
    return at, one


@pytest.mark.parametrize(
    "act",
    [
        saying(True, "1" * 88),
        saying(True, ""),
        saying(False, "", errorReason="transaction_failed"),
        saying(False, "1" * 88, errorReason="settlement_pending"),
        answering({"error": "broken"}, 500),
        answering([]),
        answering({"success": True}),
    ],
    ids=["a lie", "a lie without a name", "a failure", "never confirmed", "an error", "a list", "half an answer"],
)
async def test_there_is_no_receipt_for_money_that_did_not_arrive(store: Database, act: Act) -> None:
    await unsettled(store, act)


async def test_there_is_no_receipt_for_another_ones_transaction(store: Database) -> None:
    sandbox = ChainSandbox()
    other = market_of(sandbox)
    store_of_other = open_store("sqlite://")
    seller = market(store_of_other, Clock(), sandbox)
    one = await seller.seller.present(order(), await seller.paid())
    receipt = (await seller.seller.settle(one)).receipt
    await store_of_other.close()
    before = other.treasury

    app = odd(sandbox, settle=saying(True, receipt["transaction"]))
    async with on_port(app) as url, remote(store, sandbox, url) as at:
        mine = await held(at)
        with pytest.raises(PaymentFailedError):
            await at.seller.settle(mine)

    assert sandbox.balance(sandbox.treasury) == before


async def test_money_that_arrived_is_found_by_its_memo_where_the_facilitators_answer_was_lost(store: Database) -> None:
    sandbox = ChainSandbox()
    proper = {route.path: route for route in odd(sandbox).routes if isinstance(route, Route)}

    async def settle(request: Request) -> Response:
        await proper["/settle"].endpoint(request)
        return Response(status_code=502)

    async with on_port(odd(sandbox, settle=settle)) as url, remote(store, sandbox, url) as at:
        one = await held(at)
        with pytest.raises(PaymentFailedError):
            await at.seller.settle(one)
        later(at, SETTLING_MS)

        assert (await at.payments.reconciliation.round()).owed == (one.nonce,)
        sale = await at.sale(one.nonce)

    assert sale.receipt is not None
    assert sandbox.chain.landed(sale.receipt["transaction"]) is not None
    assert at.earned == PRICE


async def test_what_a_node_cannot_show_yet_is_asked_for_again(store: Database) -> None:
    sandbox = ChainSandbox()
    async with on_port(odd(sandbox)) as url, remote(store, sandbox, url) as at:
        one = await held(at)
        sandbox.chain.faults.error("getTransaction", -32005, times=2)
        sandbox.chain.faults.lose("getTransaction")

        assert (await at.seller.settle(one)).receipt["success"]


async def test_money_that_arrived_is_found_behind_a_thousand_later_transactions_of_its_payer(store: Database) -> None:
    sandbox = ChainSandbox()

    async def busy(request: Any) -> Any:
        answer = await sandbox.post(request)
        if request["method"] == "getSignaturesForAddress" and "before" not in request["params"][1]:
            later_ones = [{"signature": str(number), "memo": None, "blockTime": None} for number in range(1000)]
            return answer | {"result": later_ones}
        if request["method"] == "getSignaturesForAddress" and request["params"][1]["before"] == "999":
            del request["params"][1]["before"]
            return await sandbox.post(request)
        return answer

    at = market(store, Clock(), sandbox, post=busy)
    at.payments.facilitator.signature_of = lambda _: None  # type: ignore[assignment,method-assign] # as a remote one
    one = await held(at)
    sandbox.chain.faults.lose("sendTransaction", answers=True)
    with pytest.raises(PaymentFailedError):
        await at.seller.settle(one)
    dead(at)

    assert (await at.payments.reconciliation.round()).owed == (one.nonce,)


@pytest.mark.parametrize("act", [answering({}, 503), answering({"isValid": "perhaps"}), answering("x")])
async def test_a_facilitator_that_cannot_check_leaves_the_payment_as_it_was(store: Database, act: Act) -> None:
    sandbox = ChainSandbox()
    async with on_port(odd(sandbox, verify=act)) as url, remote(store, sandbox, url) as at:
        payment = await at.paid()
        with pytest.raises(PaymentUncheckedError):
            await at.seller.present(order(), payment)
        (sale,) = await at.payments.books.older(frozenset({"quoted"}), -1000, 10)

    assert sale.state == "quoted"


async def test_a_facilitator_that_would_take_too_much_does_not_get_its_way(store: Database) -> None:
    sandbox = ChainSandbox()
    yes = answering({"isValid": True, "payer": sandbox.wallet})
    async with on_port(odd(sandbox, verify=yes)) as url, remote(store, sandbox, url) as at:
        required = await at.seller.quote(order())
        (accepted,) = required["accepts"]
        more = {**required, "accepts": [{**accepted, "amount": str(PRICE + 1)}]}
        overpaid = await at.buyer().pay(more)
        with pytest.raises(PaymentInvalidError):
            await at.seller.present(order(), overpaid)


@pytest.mark.parametrize(
    "act",
    [
        answering({"kinds": []}),
        answering({"kinds": [{"x402Version": 2, "scheme": "exact", "network": "solana:other"}]}),
        answering({"kinds": [{"x402Version": 1, "scheme": "exact", "network": NETWORK, "extra": {"feePayer": "x"}}]}),
        answering({}, 500),
    ],
)
async def test_without_a_facilitator_for_the_network_nothing_is_quoted(store: Database, act: Act) -> None:
    sandbox = ChainSandbox()
    async with on_port(odd(sandbox, supported=act)) as url, remote(store, sandbox, url) as at:
        with pytest.raises(ModelUnavailableError):
            await at.seller.quote(order())
        assert len(await at.payments.faults()) == 1


async def test_what_a_facilitator_says_in_parts_is_taken_whole(store: Database) -> None:
    sandbox = ChainSandbox()
    others = [{"x402Version": 2, "scheme": "exact", "network": f"eip155:{number}"} for number in range(50)]
    ours = {"x402Version": 2, "scheme": "exact", "network": NETWORK, "extra": {"feePayer": "F" * 44}}

    async def supported(_: Request) -> Response:
        return in_parts(orjson.dumps({"kinds": [*others, ours], "extensions": [], "signers": {}}))

    async with on_port(odd(sandbox, supported=supported)) as url, remote(store, sandbox, url) as at:
        assert await at.payments.facilitator.fee_payer() == "F" * 44


async def test_our_facilitator_settles_a_payment_once_and_answers_nobody_from_elsewhere(store: Database) -> None:
    sandbox = ChainSandbox()
    async with on_port(odd(sandbox)) as url, remote(store, sandbox, url) as at, aiohttp.ClientSession() as http:
        one = await held(at)
        body = {"x402Version": 2, "paymentPayload": one.payload, "paymentRequirements": one.requirements}
        answers = await asyncio.gather(*(posted(http, f"{url}/settle", body) for _ in range(10)))

    assert [answer["success"] for answer in answers].count(True) == 1
    assert {answer.get("errorReason") for answer in answers} == {None, "duplicate_settlement"}
    assert sandbox.balance(sandbox.treasury) == PRICE


async def posted(http: aiohttp.ClientSession, url: str, body: Json) -> Json:
    async with http.post(url, json=body) as answer:
        assert answer.status == 200
        return dict(await answer.json())


async def test_our_facilitator_is_for_loopback_alone(store: Database) -> None:
    app = facilitator_app(
        payments_facilitator(sandbox := ChainSandbox()), payments_solana(sandbox), NETWORKS["mainnet"], sleep=soon
    )
    async with on_port(app) as url, aiohttp.ClientSession() as http:
        for headers, status in [({}, 200), ({"Host": "evil.example"}, 403), ({"Origin": "https://evil.example"}, 403)]:
            async with http.get(f"{url}/supported", headers=headers) as answer:
                assert answer.status == status
