"""Sending in PostgreSQL: one statement, whose writes lock what they change and say if the verdict no longer holds."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from accord.deside.messaging.advancing import first_row, moved_on
from accord.deside.messaging.judging import BINDS, judgement
from accord.deside.messaging.letters import HELD_MOST, Letter, Limits
from accord.deside.messaging.outcomes import Judged, Raced
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
Columns: TypeAlias = dict[str, sa.ColumnElement[Any]]


def send(connection: sa.Connection, letter: Letter, limits: Limits) -> Judged:
    """Judge a letter, and keep it if it may go.

    Raises:
        Raced: What it was judged by changed while it waited for a row.
    """
    row = connection.execute(_statement(letter.pair.side), letter.bound(limits)).one()
    if row.verdict not in {"deliver", "hold"}:
        return Judged(
            verdict=row.verdict,
            seq=row.known_seq,
            known_fingerprint=row.known_fingerprint,
            nth_at_ms=row.nth_at_ms,
            mth_at_ms=row.mth_at_ms,
        )
    if row.n is None or _is_beyond(row, letter, limits):
        raise Raced
    return Judged(verdict=row.verdict, seq=row.seq, held=row.held_now or 0)


def _is_beyond(row: Row, letter: Letter, limits: Limits) -> bool:
    """Whether by its final numbers it is one too many; what it should be held against may be too new to be seen."""
    bound = letter.bound(limits)
    hour = row.n > limits.sends_per_hour and _is_within(row.final_nth_at_ms, bound["hour_ago"])
    if row.m is None or not limits.burst_per_recipient:
        return hour
    return hour or (row.m > limits.burst_per_recipient and _is_within(row.final_mth_at_ms, bound["window_ago"]))


def _is_within(at_ms: int | None, since_ms: int) -> bool:
    return at_ms is None or at_ms > since_ms


@cache
def _statement(side: Side) -> sa.Select[Any]:
    tx = this_transaction("postgresql")
    judged = judgement(side).cte("judged")

    row = first_row(side, tx)
    conversation = _inserted(CONVERSATIONS, row, judged, judged.c.verdict == "deliver").on_conflict_do_update(
        index_elements=["conv_id"], set_=moved_on(side, tx)
    )
    mine = CONVERSATIONS.c[f"{side}_sent"]
    advanced = conversation.returning(CONVERSATIONS.c.seq_max, CONVERSATIONS.c.place, mine.label("m")).cte("advanced")
    asked = _asked(judged)

    kept = sa.select(sa.literal(1).label("one")).where(
        sa.or_(
            sa.exists(sa.select(sa.literal(1)).select_from(advanced)),
            sa.exists(sa.select(sa.literal(1)).select_from(asked)),
        )
    )
    counted = _inserted(SENDERS, {"sender": BINDS["sender"], "sent": sa.literal(1, sa.BigInteger)}, kept.subquery())
    counted = counted.on_conflict_do_update(index_elements=["sender"], set_={"sent": SENDERS.c.sent + 1})
    count = counted.returning(SENDERS.c.sent.label("n")).cte("counted")

    words: Columns = {
        "source_type": judged.c.source_type,
        "content": BINDS["content"],
        "blocks": BINDS["blocks"],
        "created_at_ms": BINDS["at_ms"],
        "conv_id": BINDS["conv_id"],
    }
    place: Columns = {"tx": tx, "place": advanced.c.place, "seq": advanced.c.seq_max}
    whose: Columns = {"sender": BINDS["sender"], "recipient": BINDS["recipient"]}
    everywhere = sa.literal(True)  # noqa: FBT003 - an SQL constant
    message = _inserted(MESSAGES, words | place | whose, judged.join(advanced, everywhere)).cte("message")
    held = _inserted(HELD_MESSAGES, words, judged.join(asked, everywhere)).cte("held")
    noted = _inserted(
        SENDS,
        {
            **{name: BINDS[name] for name in ("sender", "client_msg_id", "fingerprint", "conv_id")},
            "n": count.c.n,
            "m": advanced.c.m,
            "seq": advanced.c.seq_max,
            "sent_at_ms": BINDS["at_ms"],
        },
        count.outerjoin(advanced, everywhere),
    ).cte("noted")

    nth, mth = SENDS.alias("final_nth"), SENDS.alias("final_mth")
    of_sender = nth.c.sender == BINDS["sender"]
    final_nth = sa.select(nth.c.sent_at_ms).where(of_sender, nth.c.n == count.c.n - BINDS["per_hour"])
    to_recipient = sa.and_(mth.c.sender == BINDS["sender"], mth.c.conv_id == BINDS["conv_id"])
    final_mth = sa.select(mth.c.sent_at_ms).where(to_recipient, mth.c.m == advanced.c.m - BINDS["burst"])
    return (
        sa.select(
            judged.c.verdict,
            judged.c.known_fingerprint,
            judged.c.known_seq,
            judged.c.nth_at_ms,
            judged.c.mth_at_ms,
            count.c.n,
            advanced.c.m,
            sa.func.coalesce(advanced.c.seq_max, judged.c.known_seq).label("seq"),
            asked.c.held.label("held_now"),
            final_nth.scalar_subquery().label("final_nth_at_ms"),
            final_mth.scalar_subquery().label("final_mth_at_ms"),
        )
        .select_from(judged.outerjoin(advanced, everywhere).outerjoin(asked, everywhere).outerjoin(count, everywhere))
        .add_cte(message, held, noted)
    )


def _asked(judged: sa.CTE) -> sa.CTE:
    """Begin a request, or let one that is pending have one message more, unless it was answered meanwhile."""
    request = CONTACT_REQUESTS.c
    fresh: Columns = {
        "conv_id": BINDS["conv_id"],
        "requester": BINDS["sender"],
        "recipient": BINDS["recipient"],
        "state": sa.literal("pending"),
        "held": sa.literal(1),
        "asked_at_ms": BINDS["at_ms"],
    }
    is_pending = request.state == "pending"
    row = _inserted(CONTACT_REQUESTS, fresh, judged, judged.c.verdict == "hold")
    begun = row.on_conflict_do_update(
        index_elements=["conv_id"],
        set_={
            "requester": BINDS["sender"],
            "recipient": BINDS["recipient"],
            "state": "pending",
            "held": sa.case((is_pending, request.held + 1), else_=1),
            "asked_at_ms": sa.case((is_pending, request.asked_at_ms), else_=BINDS["at_ms"]),
            "answered_at_ms": None,
        },
        where=sa.or_(
            sa.and_(is_pending, request.requester == BINDS["sender"], request.held < HELD_MOST),
            sa.and_(request.state == "declined", request.requester == BINDS["sender"])
            & (request.answered_at_ms <= BINDS["again_before"]),
            request.state == "lapsed",
        ),
    )
    asked: sa.CTE = begun.returning(request.held).cte("asked")
    return asked


def _inserted(table: sa.Table, row: Columns, source: Any, *where: sa.ColumnElement[bool]) -> Any:
    """Begin an INSERT of one row for each that the source has."""
    values = sa.select(*(value.label(f"new_{name}") for name, value in row.items())).select_from(source).where(*where)
    return insert(table).from_select(list(row), values)
