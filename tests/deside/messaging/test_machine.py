"""Whatever is done in whatever order, the service and the model in memory say the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.clock import Clock
from tests.deside.messaging.model import Model
from tests.deside.wallets import wallet

from accord.deside.messaging import Limits, Messaging, drop
from accord.deside.people import People, register
from accord.deside.store import open_store
from accord.deside.store.metadata import METADATA
from accord.deside.wallets import Wallet
from accord.engine import Database, ToolError

PEOPLE: Final = [wallet(number) for number in range(1, 4)]
STRANGER: Final = wallet(99)
ONE = st.sampled_from(PEOPLE)
TWO = st.permutations(PEOPLE).map(lambda people: people[:2])
PAGE = 2

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]


def emptied(connection: sa.Connection) -> None:
    """Begin anew in the same database."""
    for table in METADATA.sorted_tables:
        if table.name != "deside_schema":
            connection.execute(sa.delete(table))
    for each in PEOPLE:
        register(connection, each, 0)


class Comparison(RuleBasedStateMachine):
    """Both, side by side."""

    def __init__(self, run: Run[Any], store: Database) -> None:
        super().__init__()
        self.run = run
        self.clock = Clock()
        self.model = Model(dict.fromkeys(PEOPLE, "everyone"), now=self.clock.now)
        run(store.write(emptied))
        limits = Limits(sends_per_hour=1_000_000, burst_per_recipient=0)
        self.messaging = Messaging(store, clock=self.clock, limits=limits)
        self.people = People(store, clock=self.clock, when_blocked=drop)
        self.cursors: dict[Wallet, str | None] = dict.fromkeys(PEOPLE)
        self.synced: dict[Wallet, list[tuple[str, str]]] = {each: [] for each in PEOPLE}
        self.count = 0

    async def _outcome(self, sender: Wallet, to: Wallet, text: str, key: str | None) -> str | int:
        try:
            sent = await self.messaging.send(sender, to, text=text, idempotency_key=key)
        except ToolError as refusal:
            return refusal.code
        return sent.get("seq", sent["status"])

    @rule(who=TWO, key=st.none() | st.integers(0, 3), says_same=st.booleans())
    def send(self, who: list[Wallet], key: int | None, says_same: bool) -> None:
        self.count += 1
        named = None if key is None else f"key-000{key}"
        text = f"with {key}" if says_same and key is not None else f"text {self.count}"
        assert self.run(self._outcome(who[0], who[1], text, named)) == self.model.send(who[0], who[1], text, named)

    @rule(who=ONE)
    def send_to_a_stranger(self, who: Wallet) -> None:
        assert self.run(self._outcome(who, STRANGER, "hello?", None)) == self.model.send(who, STRANGER, "hello?", None)

    @rule(who=ONE, policy=st.sampled_from(["contacts", "contacts", "everyone", "nobody"]))
    def set_policy(self, who: Wallet, policy: Any) -> None:
        self.run(self.people.set_policy(who, policy))
        self.model.policies[who] = policy

    @rule(who=TWO, action=st.sampled_from(["accept", "decline"]))
    def answer(self, who: list[Wallet], action: Any) -> None:
        async def answered() -> bool:
            try:
                await self.messaging.answer_request(who[0], who[1], action)
            except ToolError:
                return False
            return True

        assert self.run(answered()) == self.model.answer(who[0], who[1], action)

    @rule(who=TWO)
    def block(self, who: list[Wallet]) -> None:
        self.run(self.people.block(who[0], who[1]))
        self.model.block(who[0], who[1])

    @rule(who=TWO)
    def unblock(self, who: list[Wallet]) -> None:
        self.run(self.people.unblock(who[0], who[1]))
        self.model.blocks.discard((who[0], who[1]))

    @rule(who=TWO, seq=st.integers(1, 9))
    def mark(self, who: list[Wallet], seq: int) -> None:
        async def marked() -> int | None:
            try:
                return (await self.messaging.mark_read(who[0], ":".join(sorted(who)), seq))["seq"]
            except ToolError:
                return None

        assert self.run(marked()) == self.model.mark(who[0], who[1], seq)

    @rule(hours=st.sampled_from([1, 25]))
    def wait(self, hours: int) -> None:
        self.clock.now += hours * 3600
        self.model.now = self.clock.now

    @rule(who=ONE)
    def sync(self, who: Wallet) -> None:
        async def page() -> None:
            got = await self.messaging.sync(who, cursor=self.cursors[who], limit=PAGE)
            self.synced[who] += [(message["sender"], message["content"]) for message in got["messages"]]
            self.cursors[who] = got["next_cursor"]

        self.run(page())
        known = [(sender, text) for sender, to, text in self.model.log if who in {sender, to}]
        assert self.synced[who] == known[: len(self.synced[who])]
        assert len(self.synced[who]) >= min(PAGE, len(known))

    @rule(who=TWO)
    def read(self, who: list[Wallet]) -> None:
        page = self.run(self.messaging.read(who[0], ":".join(sorted(who)), limit=100))
        got = [(message["seq"], message["sender"], message["content"]) for message in reversed(page["messages"])]
        assert got == [(seq, *said) for seq, said in enumerate(self.model.between(who[0], who[1]), 1)]

    @rule(who=ONE)
    def list_requests(self, who: Wallet) -> None:
        page = self.run(self.messaging.requests(who))
        got = {each["wallet"]: [message["content"] for message in each["messages"]] for each in page["requests"]}
        assert got == self.model.asked_of(who)

    @invariant()
    def conversations_are_the_same(self) -> None:
        for who in PEOPLE:
            listed = self.run(self.messaging.conversations(who))["conversations"]
            expected = [
                (peer, self.model.unread(who, peer), len(between := self.model.between(who, peer)), between[-1][1])
                for peer in self.model.listed(who)
            ]
            got = [(c["peerWallet"], c["unread"], c["seqMax"], c["lastMessage"]["content"]) for c in listed]
            assert got == expected


def test_the_service_says_what_the_model_says(database_url: str) -> None:
    with asyncio.Runner() as runner:
        store = open_store(database_url)

        class Here(Comparison):
            def __init__(self) -> None:
                super().__init__(runner.run, store)

        examples = 25 if store.dialect == "sqlite" else 8
        profile = settings(max_examples=examples, stateful_step_count=40, suppress_health_check=list(HealthCheck))
        try:
            run_state_machine_as_test(Here, settings=profile)
        finally:
            runner.run(store.close())
