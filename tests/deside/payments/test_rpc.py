"""A node that fails, lies or is slow: it costs time, blocks nobody, and its URL stays a secret."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import orjson
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from tests.clock import Clock
from tests.deside.payments.market import PRICE, Market, market, order
from tests.deside.payments.serving import in_parts, on_port

from accord.deside.payments.rpc import HttpNode, Rpc, RpcError, RpcUnavailableError
from accord.deside.payments.seller import Held
from accord.deside.payments.solana import Solana
from accord.deside.payments.transactions import digest_of, read_base64
from accord.deside.payments.wire import read_payment
from accord.deside.store import open_store

Act = Callable[[Request], Awaitable[Response]]


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Market]:
    store = open_store(f"sqlite:///{tmp_path / 'deside.db'}")
    yield market(store, Clock())
    await store.close()


def answering(body: object, status: int = 200) -> Act:
    async def act(_: Request) -> Response:
        return JSONResponse(body, status)

    return act


async def redirecting(_: Request) -> Response:
    return RedirectResponse("http://127.0.0.1:1/")


async def endless(_: Request) -> Response:
    return Response(b'{"result": "' + b"x" * 2_000_000 + b'"}')


async def asked(act: Act) -> object:
    """Ask a node that answers so."""
    app = Starlette(routes=[Route("/canary-key", act, methods=["GET", "POST"])])
    async with on_port(app) as url:
        node = HttpNode(f"{url}/canary-key")
        try:
            return await Rpc(node)("getHealth")
        finally:
            await node.close()


@pytest.mark.parametrize(
    "act",
    [
        answering({}, 500),
        answering({"result": "ok"}, 503),
        answering([]),
        answering("ok"),
        answering({"error": "x"}),
        answering({"error": {"message": "no code"}}),
        redirecting,
        endless,
    ],
    ids=["500", "503", "a list", "a text", "an error in words", "no code", "a redirect", "endless"],
)
async def test_what_is_no_answer_counts_as_none_and_the_url_is_not_told(act: Act) -> None:
    with pytest.raises(RpcUnavailableError) as lost:
        await asked(act)

    assert "canary" not in repr(lost.value)
    assert lost.value.__cause__ is None


async def test_an_answer_that_comes_in_parts_is_taken_whole() -> None:
    result = ["one of many"] * 1_000

    async def act(_: Request) -> Response:
        return in_parts(orjson.dumps({"jsonrpc": "2.0", "id": 1, "result": result}))

    assert await asked(act) == result


async def test_nobody_listening_counts_as_no_answer() -> None:
    node = HttpNode("http://127.0.0.1:1/canary-key")
    with pytest.raises(RpcUnavailableError) as lost:
        await Rpc(node)("getHealth")
    await node.close()

    assert "canary" not in str(lost.value)


@pytest.mark.parametrize("code", [-32005, -32429, 7])
async def test_a_refusal_has_its_code_with_or_without_data(code: int) -> None:
    with pytest.raises(RpcError) as refused:
        await asked(answering({"error": {"code": code, "message": "busy"}}, 429))

    assert refused.value.code == code


async def test_a_status_that_does_not_say_whether_it_failed_is_no_success() -> None:
    async def post(_: object) -> object:
        return {"result": {"value": [{"confirmationStatus": "finalized"}]}}

    with pytest.raises(RpcUnavailableError):
        await Solana(Rpc(post)).outcome("x")


async def test_what_is_only_processed_is_not_sure_yet() -> None:
    async def post(_: object) -> object:
        return {"result": {"value": [{"confirmationStatus": "processed", "err": None}]}}

    assert await Solana(Rpc(post)).outcome("x") is None


@pytest.mark.parametrize("result", [None, {}, {"value": []}, {"value": 7}, "x", {"value": [7]}, {"value": [{}]}])
async def test_an_answer_of_another_form_counts_as_none(result: object) -> None:
    async def post(_: object) -> object:
        return {"result": result}

    with pytest.raises(RpcUnavailableError):
        await Solana(Rpc(post)).outcome("x")


# --- A payer's transactions ---

SINCE = 1_000_000
"""When the payment was reserved, in seconds: what the node dates ten minutes earlier was there before."""


@dataclass
class History:
    """A node that knows so many transactions of a payer, the newest first, and what each of them is."""

    listed: list[dict[str, object]]
    transactions: dict[str, str] = field(default_factory=dict)
    pages: int = 0

    async def post(self, request: Any) -> Any:
        if request["method"] == "getTransaction":
            whole = self.transactions.get(request["params"][0])
            return {"result": None if whole is None else {"transaction": [whole, "base64"]}}
        options = request["params"][1]
        self.pages += 1
        names = [one["signature"] for one in self.listed]
        start = names.index(options["before"]) + 1 if "before" in options else 0
        return {"result": self.listed[start : start + options["limit"]]}

    async def find(self, digest: str = "") -> str | None:
        return await Solana(Rpc(self.post)).find("payer", "the memo", digest, SINCE * 1000)


def landed(name: str, *, memo: str | None = None, at: int | None = SINCE) -> dict[str, object]:
    return {"signature": name, "memo": memo, "blockTime": at, "err": None, "slot": 1}


def others(count: int, at: int | None = SINCE) -> list[dict[str, object]]:
    return [landed(str(number), at=at) for number in range(count)]


@pytest.mark.parametrize("dated", [SINCE, None])
async def test_what_arrived_before_thousands_of_others_is_found(at: Market, dated: int | None) -> None:
    payload = read_payment(await at.paid())
    whole = payload["payload"]["transaction"]
    history = History([*others(2_500, dated), landed("this", memo="[8] the memo", at=dated)], {"this": whole})

    assert await history.find(digest_of(read_base64(whole))) == "this"


async def test_nobody_looks_further_back_than_the_payment_was_there() -> None:
    history = History([*others(1_000, SINCE), *others(5_000, SINCE - 601)])
    for number, one in enumerate(history.listed):
        one["signature"] = str(number)

    assert await history.find() is None
    assert history.pages == 2


async def test_what_cannot_be_looked_through_proves_nothing() -> None:
    history = History(others(30_000))

    with pytest.raises(RpcUnavailableError):
        await history.find()

    assert history.pages == 20


async def test_a_transaction_that_may_be_the_one_and_cannot_be_read_yet_proves_nothing() -> None:
    with pytest.raises(RpcUnavailableError):
        await History([landed("this", memo="[8] the memo")]).find()


async def test_a_transaction_with_the_memo_that_is_another_one_is_not_it(at: Market) -> None:
    whole = read_payment(await at.paid())["payload"]["transaction"]

    assert await History([landed("other", memo="[8] the memo")], {"other": whole}).find("x") is None


# --- The loop ---


async def test_a_sale_never_keeps_the_loop_for_long(at: Market) -> None:
    await sold(at)  # what is loaded and compiled once
    longest = Longest()
    async with longest:
        for _ in range(10):
            await sold(at)

    assert longest.seconds < 0.02


async def test_a_node_that_takes_its_time_keeps_nobody_waiting_but_its_caller(at: Market) -> None:
    sandbox = at.sandbox

    async def slow(request: object) -> object:
        await asyncio.sleep(0.05)
        return await sandbox.post(request)

    shop = market(at.store, at.clock, sandbox, post=slow)
    began, longest = perf_counter(), Longest()
    async with longest:
        await asyncio.gather(*(sold(shop) for _ in range(10)))

    assert longest.seconds < 0.02
    assert perf_counter() - began < 10 * 4 * 0.05
    assert at.earned == 10 * PRICE


async def sold(at: Market) -> None:
    held = await at.seller.present(order(), await at.paid())
    assert isinstance(held, Held)
    await at.seller.settle(held)
    await at.seller.deliver(held)


class Longest:
    """Measures the most processor time that this thread used between two turns of the loop."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def __aenter__(self) -> None:
        self._watching = asyncio.create_task(self._watch())

    async def __aexit__(self, *_: object) -> None:
        self._watching.cancel()

    async def _watch(self) -> None:
        while True:
            before = thread_time()
            await asyncio.sleep(0)
            self.seconds = max(self.seconds, thread_time() - before)
