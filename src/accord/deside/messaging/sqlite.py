"""Sending in SQLite: some statements of the one writer, so what was read still holds when it is written."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from accord.deside.messaging.advancing import first_row, moved_on
from accord.deside.messaging.judging import BINDS, judgement
from accord.deside.messaging.letters import Letter, Limits
from accord.deside.messaging.outcomes import Judged
from accord.deside.messaging.pairs import Side
from accord.deside.store.tables.messaging import (
    CONTACT_REQUESTS,
    CONVERSATIONS,
    HELD_MESSAGES,
    MESSAGES,
    SENDERS,
    SENDS,
)
from accord.deside.store.transactions import this_transaction

__all__ = ["send"]

Row: TypeAlias = sa.Row[Any]
Values: TypeAlias = dict[str, Any]

COUNTED = (
    insert(SENDERS)
    .values(sender=BINDS["sender"], sent=1)
    .on_conflict_do_update(index_elements=["sender"], set_={"sent": SENDERS.c.sent + 1})
)
NOTED = sa.insert(SENDS)
DELIVERED = sa.insert(MESSAGES)
HELD = sa.insert(HELD_MESSAGES)


@cache
def _advanced(side: Side) -> Any:
    tx = this_transaction("sqlite")
    row = insert(CONVERSATIONS).values(**first_row(side, tx))
    return row.on_conflict_do_update(index_elements=["conv_id"], set_=moved_on(side, tx))


def send(connection: sa.Connection, letter: Letter, limits: Limits) -> Judged:
    """Judge a letter, and keep it if it may go."""
    bound = letter.bound(limits)
    row = connection.execute(judgement(letter.pair.side), bound).one()
    if row.verdict == "deliver":
        seq, m = row.seq_max + 1, row.sent_here + 1
        connection.execute(_advanced(letter.pair.side), bound)
        connection.execute(DELIVERED, _message(letter, row, seq))
        _note(connection, bound, {"n": row.sent + 1, "m": m, "seq": seq})
        return Judged(verdict="deliver", seq=seq)
    if row.verdict == "hold":
        held = row.held + 1 if row.request_state == "pending" else 1
        _ask(connection, letter, held)
        connection.execute(HELD, _words(letter, row) | {"conv_id": letter.pair.conv_id})
        _note(connection, bound, {"n": row.sent + 1, "m": None, "seq": None})
        return Judged(verdict="hold", held=held)
    return Judged(
        verdict=row.verdict,
        seq=row.known_seq,
        known_fingerprint=row.known_fingerprint,
        nth_at_ms=row.nth_at_ms,
        mth_at_ms=row.mth_at_ms,
    )


def _note(connection: sa.Connection, bound: Values, numbers: Values) -> None:
    names = ("sender", "client_msg_id", "fingerprint", "conv_id")
    connection.execute(COUNTED, {"sender": bound["sender"]})
    connection.execute(NOTED, {name: bound[name] for name in names} | {"sent_at_ms": bound["at_ms"]} | numbers)


def _ask(connection: sa.Connection, letter: Letter, held: int) -> None:
    """Begin a request, or let one that is pending have one message more."""
    asked: Values = {"requester": letter.pair.own, "recipient": letter.pair.peer, "state": "pending", "held": held}
    if held == 1:
        asked |= {"asked_at_ms": letter.at_ms, "answered_at_ms": None}
    row = insert(CONTACT_REQUESTS).values(conv_id=letter.pair.conv_id, **({"asked_at_ms": letter.at_ms} | asked))
    connection.execute(row.on_conflict_do_update(index_elements=["conv_id"], set_=asked))


def _words(letter: Letter, row: Row) -> Values:
    return {
        "source_type": row.source_type,
        "content": letter.content,
        "blocks": letter.blocks,
        "created_at_ms": letter.at_ms,
    }


def _message(letter: Letter, row: Row, seq: int) -> Values:
    return _words(letter, row) | {
        "tx": 0,
        "place": 0,
        "conv_id": letter.pair.conv_id,
        "seq": seq,
        "sender": letter.pair.own,
        "recipient": letter.pair.peer,
    }
