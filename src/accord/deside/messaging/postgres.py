"""Sending in PostgreSQL: one statement, whose writes lock what they change and say if the verdict no longer holds."""

from __future__ import annotations

from dataclasses import dataclass
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
from accord.deside.store.tables.people import BLOCKS
from accord.deside.store.transactions import this_transaction

__all__ = ["send"]

Row: TypeAlias = sa.Row[Any]
Columns: TypeAlias = dict[str, sa.ColumnElement[Any]]

ALWAYS = sa.literal(True)  # noqa: FBT003 - an SQL constant


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
    if row.n is None or _is_beyond(connection, row, letter, limits):
        raise Raced
    if row.verdict == "hold" and connection.scalar(_BLOCK, letter.bound(limits)):
        raise Raced  # whoever blocked it did not see the request, which waited for the block
    return Judged(verdict=row.verdict, seq=row.seq, held=row.held_now or 0)


def _is_beyond(connection: sa.Connection, row: Row, letter: Letter, limits: Limits) -> bool:
    """Whether by its final numbers it is one too many."""
    bound = letter.bound(limits)
    if row.n > limits.sends_per_hour and (row.final_nth_at_ms is None or row.final_nth_at_ms > bound["hour_ago"]):
        return True  # every n is somebody's: what is not seen is too new to be
    if row.m is None or not limits.burst_per_recipient or row.m <= limits.burst_per_recipient:
        return False
    at_ms = row.final_mth_at_ms
    if at_ms is None:
        # Too new to be seen by the first statement, or none: the numbers of what was released are nobody's. Now that
        # the conversation is locked, another statement sees all that there is.
        at_ms = connection.scalar(_SENT_AS_MTH, bound | {"mth": row.m - limits.burst_per_recipient})
    return at_ms is not None and at_ms > bound["window_ago"]


@dataclass(frozen=True, slots=True)
class _Steps:
    """The parts of the statement that give something: each has one row, or none where it wrote nothing."""

    judged: sa.CTE
    advanced: sa.CTE
    asked: sa.CTE
    counted: sa.CTE


@cache
def _statement(side: Side) -> sa.Select[Any]:
    """Judge; advance the conversation or the request, and lock it; count the sender's, and lock that; keep."""
    judged = judgement(side).cte("judged")
    advanced, asked = _advanced(side, judged), _asked(judged)
    steps = _Steps(judged, advanced, asked, _counted(advanced, asked))
    nth, mth = _final_nth(steps), _final_mth(steps)
    return (
        sa.select(
            judged.c.verdict,
            judged.c.known_fingerprint,
            judged.c.known_seq,
            judged.c.nth_at_ms,
            judged.c.mth_at_ms,
            steps.counted.c.n,
            advanced.c.m,
            advanced.c.seq_max.label("seq"),
            asked.c.held.label("held_now"),
            nth.label("final_nth_at_ms"),
            mth.label("final_mth_at_ms"),
        )
        .select_from(judged.outerjoin(advanced, ALWAYS).outerjoin(asked, ALWAYS).outerjoin(steps.counted, ALWAYS))
        .add_cte(*_kept(steps))
    )


def _advanced(side: Side, judged: sa.CTE) -> sa.CTE:
    """Give the letter its numbers: in the conversation, and of the sender's in there."""
    tx = this_transaction("postgresql")
    row = _inserted(CONVERSATIONS, first_row(side, tx), judged, judged.c.verdict == "deliver")
    moved = row.on_conflict_do_update(index_elements=["conv_id"], set_=moved_on(side, tx))
    mine = CONVERSATIONS.c[f"{side}_sent"].label("m")
    advanced: sa.CTE = moved.returning(CONVERSATIONS.c.seq_max, CONVERSATIONS.c.place, mine).cte("advanced")
    return advanced


def _counted(advanced: sa.CTE, asked: sa.CTE) -> sa.CTE:
    """Count what the sender sends, if it is kept at all."""
    is_kept = sa.or_(*(sa.exists(sa.select(sa.literal(1)).select_from(step)) for step in (advanced, asked)))
    once = sa.select(sa.literal(1).label("one")).where(is_kept).subquery("once")
    row = _inserted(SENDERS, {"sender": BINDS["sender"], "sent": sa.literal(1, sa.BigInteger)}, once)
    more = row.on_conflict_do_update(index_elements=["sender"], set_={"sent": SENDERS.c.sent + 1})
    counted: sa.CTE = more.returning(SENDERS.c.sent.label("n")).cte("counted")
    return counted


def _kept(steps: _Steps) -> tuple[sa.CTE, ...]:
    """Keep the message where it belongs, and that it was sent."""
    advanced, counted = steps.advanced.c, steps.counted.c
    words: Columns = {
        "source_type": steps.judged.c.source_type,
        "content": BINDS["content"],
        "blocks": BINDS["blocks"],
        "created_at_ms": BINDS["at_ms"],
        "conv_id": BINDS["conv_id"],
    }
    place: Columns = {"tx": this_transaction("postgresql"), "place": advanced.place, "seq": advanced.seq_max}
    whose = {name: BINDS[name] for name in ("sender", "recipient")}
    numbers: Columns = {"n": counted.n, "m": advanced.m, "seq": advanced.seq_max, "sent_at_ms": BINDS["at_ms"]}
    named = {name: BINDS[name] for name in ("sender", "client_msg_id", "fingerprint", "conv_id")}
    return (
        _inserted(MESSAGES, words | place | whose, steps.judged.join(steps.advanced, ALWAYS)).cte("message"),
        _inserted(HELD_MESSAGES, words, steps.judged.join(steps.asked, ALWAYS)).cte("held"),
        _inserted(SENDS, numbers | named, steps.counted.outerjoin(steps.advanced, ALWAYS)).cte("noted"),
    )


def _final_nth(steps: _Steps) -> sa.ScalarSelect[Any]:
    """Find when the send was that must be an hour old, by the final number."""
    nth = SENDS.alias("final_nth")
    number = nth.c.n == steps.counted.c.n - BINDS["per_hour"]
    return sa.select(nth.c.sent_at_ms).where(nth.c.sender == BINDS["sender"], number).scalar_subquery()


def _final_mth(steps: _Steps) -> sa.ScalarSelect[Any]:
    """Find when the send to this recipient was that must be ten seconds old, by the final number."""
    mth = SENDS.alias("final_mth")
    here = sa.and_(mth.c.sender == BINDS["sender"], mth.c.conv_id == BINDS["conv_id"])
    number = mth.c.m == steps.advanced.c.m - BINDS["burst"]
    return sa.select(mth.c.sent_at_ms).where(here, number).scalar_subquery()


_SENT_AS_MTH = sa.select(SENDS.c.sent_at_ms).where(
    SENDS.c.sender == BINDS["sender"], SENDS.c.conv_id == BINDS["conv_id"], SENDS.c.m == sa.bindparam("mth")
)


_BLOCK = sa.select(sa.literal(1)).where(BLOCKS.c.owner == BINDS["recipient"], BLOCKS.c.blocked == BINDS["sender"])


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
