"""The states of a payment, and every step between them: each one statement, which one of any number of replicas wins.

    quoted ─ reserve ─> reserved ─ answer ─> answered ─ settle ─> settling ─ arrive ─> owed ─ deliver ─> settled
                           └────── release ──────┴─> failed <─ fail ─┘

A payment is charged from `arrive` on. `fail` is for what was sent and can land no more, `release` for what never
was sent. Between `arrive` and `deliver` an answer is owed, which is what a crash there leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import sqlalchemy as sa

from accord.deside.payments.seller import Json, Receipt
from accord.deside.store.tables.payments import PAYMENTS
from accord.deside.wallets import Wallet

__all__ = [
    "STEPS",
    "Sale",
    "State",
    "Step",
    "answer",
    "arrive",
    "claim",
    "deliver",
    "fail",
    "find",
    "forget_quotes",
    "owed",
    "put_back",
    "quote",
    "release",
    "reserve",
    "settle",
    "since",
]

State: TypeAlias = Literal["quoted", "reserved", "answered", "settling", "owed", "settled", "failed"]


class Step(NamedTuple):
    """From which states a step leads, and to which."""

    sources: frozenset[State]
    target: State


STEPS: Final[Mapping[str, Step]] = {
    "reserve": Step(frozenset({"quoted"}), "reserved"),
    "answer": Step(frozenset({"reserved"}), "answered"),
    "settle": Step(frozenset({"answered"}), "settling"),
    "arrive": Step(frozenset({"settling"}), "owed"),
    "deliver": Step(frozenset({"owed"}), "settled"),
    "release": Step(frozenset({"reserved", "answered"}), "failed"),
    "fail": Step(frozenset({"settling"}), "failed"),
}
"""All there are; what is not here cannot happen."""

NOBODY_SINCE_MS = 0
"""`claimed_until_ms` of what nobody is answering."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sale:
    """A row: a quote and what became of it. Columns and units are those of the table."""

    nonce: str
    wallet: Wallet
    tier: str
    request_hash: str
    amount: int
    requirements: Json = field(repr=False)
    state: State
    state_ms: int
    expires_ms: int
    digest: str | None = None
    payer: str | None = None
    reserved_ms: int | None = None
    last_block_height: int | None = None
    signature: str | None = None
    claimed_until_ms: int = NOBODY_SINCE_MS
    receipt: Receipt | None = None


def quote(connection: sa.Connection, sale: Sale) -> None:
    """Write down a quote."""
    names = ("nonce", "wallet", "tier", "request_hash", "amount", "requirements", "state", "state_ms", "expires_ms")
    connection.execute(sa.insert(PAYMENTS).values({name: getattr(sale, name) for name in names}))


def find(connection: sa.Connection, nonce: str) -> Sale | None:
    """Return what became of a quote, None where there is none."""
    row = connection.execute(sa.select(PAYMENTS).where(PAYMENTS.c.nonce == nonce)).one_or_none()
    return None if row is None else _sale(row)


def reserve(connection: sa.Connection, nonce: str, now_ms: int, *, digest: str, payer: str) -> Sale | None:
    """Keep an open quote for a payment; None where it is open no more."""
    is_open = PAYMENTS.c.expires_ms > now_ms
    return _step(connection, "reserve", nonce, now_ms, is_open, digest=digest, payer=payer, reserved_ms=now_ms)


def answer(connection: sa.Connection, nonce: str, now_ms: int) -> Sale | None:
    """Say that the goods are there; None where the reservation was released meanwhile."""
    return _step(connection, "answer", nonce, now_ms)


def settle(
    connection: sa.Connection, nonce: str, now_ms: int, *, signature: str | None, last_block_height: int
) -> Sale | None:
    """Say that the transaction is about to be sent; None where it must not be."""
    return _step(connection, "settle", nonce, now_ms, signature=signature, last_block_height=last_block_height)


def arrive(
    connection: sa.Connection,
    nonce: str,
    now_ms: int,
    *,
    signature: str,
    receipt: Receipt,
    claimed_until_ms: int = NOBODY_SINCE_MS,
) -> Sale | None:
    """Say that the money is there, and until when somebody is about to answer it; None where that was said before."""
    return _step(
        connection,
        "arrive",
        nonce,
        now_ms,
        signature=signature,
        receipt=dict(receipt),
        claimed_until_ms=claimed_until_ms,
    )


def deliver(connection: sa.Connection, nonce: str, now_ms: int) -> Sale | None:
    """Say that the answer went out; None where that was said before."""
    return _step(connection, "deliver", nonce, now_ms, claimed_until_ms=NOBODY_SINCE_MS)


def release(connection: sa.Connection, nonce: str, now_ms: int) -> Sale | None:
    """Let go of a payment that was never sent; None where it was, or was released before."""
    return _step(connection, "release", nonce, now_ms)


def fail(connection: sa.Connection, nonce: str, now_ms: int) -> Sale | None:
    """Say that what was sent can land no more; None where it arrived, or this was said before."""
    return _step(connection, "fail", nonce, now_ms)


def claim(connection: sa.Connection, nonce: str, now_ms: int, until_ms: int) -> Sale | None:
    """Be the one who gives the answer that is owed, until that time; None where somebody is, or none is owed."""
    free = (PAYMENTS.c.nonce == nonce, PAYMENTS.c.state == "owed", PAYMENTS.c.claimed_until_ms <= now_ms)
    return _changed(connection, sa.update(PAYMENTS).where(*free).values(claimed_until_ms=until_ms))


def put_back(connection: sa.Connection, nonce: str, claimed_until_ms: int) -> None:
    """Give up the claim that was made until that time: the answer stays owed. A later claim is somebody else's."""
    mine = (PAYMENTS.c.nonce == nonce, PAYMENTS.c.state == "owed", PAYMENTS.c.claimed_until_ms == claimed_until_ms)
    connection.execute(sa.update(PAYMENTS).where(*mine).values(claimed_until_ms=NOBODY_SINCE_MS))


def since(connection: sa.Connection, states: frozenset[State], before_ms: int, limit: int) -> list[Sale]:
    """Return what has been in one of these states since before that time, the oldest first."""
    rows = sa.select(PAYMENTS).where(PAYMENTS.c.state.in_(states), PAYMENTS.c.state_ms < before_ms)
    return [_sale(row) for row in connection.execute(rows.order_by(PAYMENTS.c.state_ms).limit(limit))]


def owed(connection: sa.Connection, wallet: Wallet | None = None, limit: int = 100) -> list[Sale]:
    """Return the payments (of one wallet, or of all) whose answer is owed, the oldest first."""
    rows = sa.select(PAYMENTS).where(PAYMENTS.c.state == "owed")
    if wallet is not None:
        rows = rows.where(PAYMENTS.c.wallet == wallet)
    return [_sale(row) for row in connection.execute(rows.order_by(PAYMENTS.c.state_ms).limit(limit))]


def forget_quotes(connection: sa.Connection, before_ms: int) -> int:
    """Delete the quotes that expired unused before that time; returns how many."""
    unused = (PAYMENTS.c.state == "quoted", PAYMENTS.c.expires_ms < before_ms)
    return connection.execute(sa.delete(PAYMENTS).where(*unused)).rowcount


def _step(
    connection: sa.Connection,
    name: str,
    nonce: str,
    now_ms: int,
    *conditions: sa.ColumnElement[bool],
    **values: Any,
) -> Sale | None:
    step = STEPS[name]
    allowed = (PAYMENTS.c.nonce == nonce, PAYMENTS.c.state.in_(step.sources), *conditions)
    changes = {"state": step.target, "state_ms": now_ms, **values}
    return _changed(connection, sa.update(PAYMENTS).where(*allowed).values(changes))


def _changed(connection: sa.Connection, statement: sa.Update) -> Sale | None:
    row = connection.execute(statement.returning(*PAYMENTS.c)).one_or_none()
    return None if row is None else _sale(row)


def _sale(row: sa.Row[Any]) -> Sale:
    values = row._asdict()
    return Sale(**values | {"wallet": Wallet(values["wallet"])})
