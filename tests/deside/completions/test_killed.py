"""kill -9 between each two steps of a paid call: what is in the books then, what a restart makes of it, and the money.

The server is killed while somebody outside of it, whom it asked, keeps it waiting: the node of Solana or the model. The
service that is started on the same database afterwards has a clock that is ahead, so that nobody waits for minutes.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa
from aiohttp import web
from tests.deside.cli.command import ran
from tests.deside.completions.node import Node, node
from tests.deside.completions.process import ANN, asked, process
from tests.deside.completions.upstream import Upstream, answered, upstream
from tests.deside.served import body_of, served

from accord.deside.completions import PaidBudget
from accord.deside.config import load_config
from accord.deside.payments import ledger
from accord.deside.payments.opening import open_payments
from accord.deside.store import open_store
from accord.deside.store.tables.completions import BUDGETS
from accord.deside.wallets import Wallet

Json: TypeAlias = Any

ASKED = {"messages": [{"role": "user", "content": "What is two and two?"}], "model": "cheap"}
LATER_SECONDS = 600
PRICE = 2_000


@dataclass
class Scene:
    """A database, a chain and a model that outlive every server, and what a server is told."""

    home: Path
    node: Node
    model: Upstream
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def env(self) -> dict[str, str]:
        return {
            "DESIDE_DATABASE_URL": f"sqlite:///{self.home / 'deside.db'}",
            "DESIDE_LLM_CHEAP_BASE_URL": self.model.url,
            "DESIDE_LLM_CHEAP_MODEL": "m",
            **self.node.settings,
        }

    async def killed(self, stop: Callable[[Scene], asyncio.Event]) -> str:
        """Pay for a completion, kill the server as soon as it has come so far, and return the payment."""
        async with process(self.home, **self.env) as server, server.client() as client:
            required = await asked(client, **ASKED)
            payment = await self.node.buyer.pay(required["data"])
            halted = stop(self)
            call = asyncio.create_task(asked(client, **ASKED, payment=payment))
            await asyncio.wait({call, waiting := asyncio.create_task(halted.wait())}, return_when="FIRST_COMPLETED")
            assert waiting.done(), call.result()
            await server.end(signal.SIGKILL)
            with pytest.raises(Exception, match=r"cannot be reached"):
                await call
        self.node.go_on()
        self.model.manner = answered()
        return payment

    async def books(self) -> tuple[str, int]:
        """Return the state of the one payment, and what counts as spent."""
        store = open_store(self.env["DESIDE_DATABASE_URL"])
        try:
            (sale,) = await store.read(partial(ledger.since, states=ALL_STATES, before_ms=2**62, limit=9))
            spent = await store.read(lambda connection: connection.scalar(sa.select(BUDGETS.c.used)))
        finally:
            await store.close()
        return sale.state, spent or 0

    async def reconciled(self) -> tuple[str, int]:
        """Do what a server does at its start, later; return what is in the books then."""
        settings = load_config(self.env).payments
        assert settings is not None
        store = open_store(self.env["DESIDE_DATABASE_URL"])
        payments = open_payments(settings, store, budget=PaidBudget(), clock=later)
        try:
            await payments.reconciliation.round()
        finally:
            await payments.close()
            await store.close()
        return await self.books()

    async def presented(self, payment: str) -> Json:
        """Present the payment once more, at a server that was started later."""
        async with served(self.env["DESIDE_DATABASE_URL"], env=self.env, clock=later) as service:
            client = await service.signed_in(Wallet(ANN.address), "llm:invoke")
            session = await client.greet()
            return body_of(await client.call("llm_complete", {**ASKED, "payment": payment}, mcp_session_id=session))


ALL_STATES: frozenset[ledger.State] = frozenset(
    {"quoted", "reserved", "answered", "settling", "owed", "settled", "failed"}
)


def later() -> float:
    return time.time() + LATER_SECONDS


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with node() as chain, upstream() as model:
        yield Scene(tmp_path, chain, model)


# --- Where it is killed -----------------------------------------------------------------------------------------------


def before(method: str, scene: Scene) -> asyncio.Event:
    """Stop the server when it asks the node, which has not done it."""
    scene.node.stop_before = method
    return scene.node.stopped


def after(method: str, scene: Scene) -> asyncio.Event:
    """Stop the server when the node has done what it asks, and not answered."""
    scene.node.stop_after = method
    return scene.node.stopped


def while_the_model_thinks(scene: Scene) -> asyncio.Event:
    """Stop the server when the model has its prompt."""

    async def thinking(_request: web.Request, _body: Json) -> web.Response:
        scene.reached.set()
        await asyncio.Event().wait()
        return web.Response()

    scene.model.manner = thinking
    return scene.reached


@dataclass(frozen=True)
class Row:
    """Where the server is killed, and what that leaves: at once, after a restart, and for who presents it again."""

    stop: Callable[[Scene], asyncio.Event]
    state: str
    spent: int
    restarted: str
    spent_then: int
    earned: int
    again: str


ROWS = {
    "while it checks the payment": Row(
        partial(before, "simulateTransaction"), "quoted", 0, "quoted", 0, 0, "PAYMENT_REQUIRED"
    ),
    "while the model thinks": Row(while_the_model_thinks, "reserved", PRICE, "failed", 0, 0, "PAYMENT_REQUIRED"),
    "when the answer is there": Row(
        partial(before, "getBlockHeight"), "answered", PRICE, "failed", 0, 0, "PAYMENT_REQUIRED"
    ),
    "before the payment gets to the node": Row(
        partial(before, "sendTransaction"), "settling", PRICE, "failed", 0, 0, "PAYMENT_REQUIRED"
    ),
    "when the payment has landed": Row(
        partial(after, "sendTransaction"), "settling", PRICE, "owed", PRICE, PRICE, "Four."
    ),
    "while it asks what became of it": Row(
        partial(before, "getSignatureStatuses"), "settling", PRICE, "owed", PRICE, PRICE, "Four."
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
async def test_after_a_kill_nobody_has_paid_for_nothing(scene: Scene, row: Row) -> None:
    payment = await scene.killed(row.stop)
    assert await scene.books() == (row.state, row.spent)
    for _ in range(3):
        scene.node.sandbox.chain.age()  # its blockhash is dead, and long so

    assert await scene.reconciled() == (row.restarted, row.spent_then)
    assert scene.node.earned == row.earned
    again = await scene.presented(payment)

    assert again.get("error", again.get("text")) == row.again
    assert scene.node.earned == row.earned


async def test_what_may_still_land_stays_open(scene: Scene) -> None:
    await scene.killed(partial(before, "sendTransaction"))

    assert await scene.reconciled() == ("settling", PRICE)


@asynccontextmanager
async def nothing_is_delivered(scene: Scene) -> AsyncIterator[None]:
    """Let the database refuse that an answer counts as delivered: as if the server had died just before."""
    store = open_store(scene.env["DESIDE_DATABASE_URL"])
    trigger = (
        "CREATE TRIGGER stop BEFORE UPDATE ON payments WHEN NEW.state = 'settled' BEGIN SELECT RAISE(ABORT, ''); END"
    )
    await store.write(lambda connection: connection.execute(sa.text(trigger)))
    yield
    await store.write(lambda connection: connection.execute(sa.text("DROP TRIGGER stop")))
    await store.close()


async def test_between_the_money_and_the_answer_the_answer_is_owed(scene: Scene) -> None:
    async with nothing_is_delivered(scene), process(scene.home, **scene.env) as server, server.client() as client:
        required = await asked(client, **ASKED)
        payment = await scene.node.buyer.pay(required["data"])
        answer = await asked(client, **ASKED, payment=payment)
        await server.end(signal.SIGKILL)

    assert answer["text"] == "Four."
    assert await scene.books() == ("owed", PRICE)
    answer = await scene.presented(payment)
    assert (answer["text"], answer["paymentReceipt"]["amount"]) == ("Four.", "2000")
    assert (await scene.books(), scene.node.earned) == (("settled", PRICE), PRICE)


async def test_when_everything_is_done_a_kill_changes_nothing(scene: Scene) -> None:
    async with process(scene.home, **scene.env) as server, server.client() as client:
        required = await asked(client, **ASKED)
        payment = await scene.node.buyer.pay(required["data"])
        first = await asked(client, **ASKED, payment=payment)
        second = await asked(client, **ASKED, payment=payment)  # by now it is known that the first answer went out
        await server.end(signal.SIGKILL)

    assert second["finishReason"] == "already_answered"
    assert await scene.books() == ("settled", PRICE)
    again = await scene.presented(payment)

    assert (again["finishReason"], again["paymentReceipt"]) == ("already_answered", first["paymentReceipt"])
    assert scene.node.earned == PRICE


async def test_what_is_owed_is_listed_for_the_servers_owner(scene: Scene) -> None:
    await scene.killed(partial(after, "sendTransaction"))
    nothing_yet = await ran("owed", "--json", home=scene.home, **scene.env)
    await scene.reconciled()

    listed = await ran("owed", "--json", home=scene.home, **scene.env)
    shown = await ran("owed", home=scene.home, **scene.env)

    assert (nothing_yet.code, nothing_yet.json) == (0, {"owed": []})
    (one,) = listed.json["owed"]
    assert (one["wallet"], one["tier"], one["usdc"]) == (ANN.address, "cheap", 0.002)
    assert one["payer"] == scene.node.sandbox.wallet
    assert "cheap" in shown.out
