"""Approvals: for one payload, once, for a while, and nobody's business but their caller's."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from tests.clock import Clock

from accord.engine.calls.approvals import APPROVAL_SECONDS, Binding, Ledger, fingerprint
from accord.engine.errors import QuotaExceededError
from accord.engine.state import MemoryState
from accord.engine.state.sql import SqlState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from accord.engine.nouns import State

BOUND = Binding(tool="layout_send", target="channel 1", payload_hash="0" * 64, caller="token:ci", bot="2")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
async def state(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> AsyncIterator[State]:
    path = tmp_path / "state.db"
    opened: State = (
        MemoryState(clock=clock) if request.param == "memory" else SqlState.open(f"sqlite:///{path}", clock=clock)
    )
    yield opened
    await opened.close()


@pytest.fixture
def ledger(state: State, clock: Clock) -> Ledger:
    return Ledger(state, seconds=100, most_pending=3, clock=clock)


async def test_an_approval_is_good_once(ledger: Ledger) -> None:
    issued = await ledger.issue(BOUND)

    assert [await ledger.consume(issued.id, BOUND) for _ in range(3)] == ["ok", "replayed", "replayed"]


async def test_looking_at_an_approval_leaves_it_good(ledger: Ledger) -> None:
    issued = await ledger.issue(BOUND)

    looked = [await ledger.check(issued.id, BOUND) for _ in range(2)]
    used = await ledger.consume(issued.id, BOUND)

    assert [*looked, used, await ledger.check(issued.id, BOUND)] == ["ok", "ok", "ok", "replayed"]


async def test_an_unknown_id_is_missing(ledger: Ledger) -> None:
    assert await ledger.consume("8c0a5c5e-2f0b-4a68-9d3e-2f1f6f1c9f10", BOUND) == "missing"


@pytest.mark.parametrize(
    "other",
    [
        replace(BOUND, tool="layout_edit"),
        replace(BOUND, target="channel 2"),
        replace(BOUND, payload_hash="1" * 64),
        replace(BOUND, caller="token:other"),
        replace(BOUND, bot=None),
    ],
    ids=["tool", "target", "payload", "caller", "bot"],
)
async def test_another_binding_does_not_fit_and_uses_nothing_up(ledger: Ledger, other: Binding) -> None:
    issued = await ledger.issue(BOUND)

    assert await ledger.consume(issued.id, other) == "mismatch"
    assert await ledger.consume(issued.id, BOUND) == "ok"


async def test_an_approval_runs_out_and_is_forgotten_a_lifetime_later(ledger: Ledger, clock: Clock) -> None:
    issued = await ledger.issue(BOUND)
    verdicts = []

    for seconds in (101, 0, 101):
        clock.now += seconds
        verdicts.append(await ledger.consume(issued.id, BOUND))

    assert verdicts == ["expired", "expired", "missing"]


async def test_issuing_others_in_between_changes_no_verdict(ledger: Ledger, clock: Clock) -> None:
    issued = await ledger.issue(BOUND)
    clock.now += 101
    await ledger.issue(BOUND)

    assert await ledger.consume(issued.id, BOUND) == "expired"


async def test_a_use_is_remembered_for_a_lifetime(ledger: Ledger, clock: Clock) -> None:
    issued = await ledger.issue(BOUND)
    await ledger.consume(issued.id, BOUND)

    clock.now += 99
    assert await ledger.consume(issued.id, BOUND) == "replayed"
    clock.now += 2
    assert await ledger.consume(issued.id, BOUND) == "missing"


async def test_of_many_at_once_exactly_one_gets_through(ledger: Ledger) -> None:
    issued = await ledger.issue(BOUND)

    verdicts = await asyncio.gather(*(ledger.consume(issued.id, BOUND) for _ in range(20)))

    assert sorted(verdicts) == ["ok", *["replayed"] * 19]


async def test_a_caller_has_so_many_pending_and_nobody_elses_are_touched(ledger: Ledger, clock: Clock) -> None:
    other = replace(BOUND, caller="token:other")
    kept = await ledger.issue(other)
    for _ in range(3):
        await ledger.issue(BOUND)

    with pytest.raises(QuotaExceededError) as refused:
        await ledger.issue(BOUND)

    assert refused.value.facts["retry_after_ms"] > 0
    assert await ledger.consume(kept.id, other) == "ok"
    clock.now += 101
    assert await ledger.issue(BOUND)


def stored_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_an_id_is_nowhere_in_the_store(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    state = SqlState.open(f"sqlite:///{path}")
    issued = await Ledger(state).issue(BOUND)
    await state.close()

    assert issued.id.encode() not in stored_in(tmp_path)


async def test_an_approval_outlives_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.db'}"
    before = SqlState.open(url)
    issued = await Ledger(before).issue(BOUND)
    await before.close()

    after = SqlState.open(url)

    assert await Ledger(after).consume(issued.id, BOUND) == "ok"
    await after.close()


@pytest.mark.parametrize("seconds", [0, -1])
async def test_a_lifetime_of_nothing_is_the_usual_one(seconds: float, clock: Clock) -> None:
    ledger = Ledger(MemoryState(clock=clock), seconds=seconds, clock=clock)

    assert (await ledger.issue(BOUND)).expires_at == clock.now + APPROVAL_SECONDS


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, True),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": {"__confirm": True}}, {"a": {}}, False),
        ({"\U00010000": 1, "\uffff": 2}, {"\uffff": 2, "\U00010000": 1}, True),
    ],
)
def test_a_fingerprint_is_of_the_payload_and_not_of_its_order(
    one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    assert (fingerprint(one) == fingerprint(other)) is same


@pytest.mark.parametrize("name", ["plain", "ünï", "\uffff", "\U00010000"])
def test_a_fingerprint_is_the_same_however_it_is_made(name: str) -> None:
    plain = {name: [1, {"b": None, "a": "x"}], "z": 1.5, "\ue000": True}
    other = MappingProxyType({**plain, name: (1, MappingProxyType({"a": "x", "b": None}))})  # no library takes these

    assert fingerprint(plain) == fingerprint(other)


def test_a_fingerprint_is_the_sha256_of_compact_json() -> None:
    assert fingerprint({"b": "ü", "a": 1.5}) == "01864f2e28bd5a5492be0354acafbbcee7edcf07f9ce2d66dadba3840fb1bb49"
