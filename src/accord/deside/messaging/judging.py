"""Whether a letter may go, and what becomes of it: one SELECT, the same on both databases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa

from accord.deside.messaging.letters import HELD_MOST
from accord.deside.messaging.pairs import OTHER, Side
from accord.deside.store.tables.messaging import CONTACT_REQUESTS, CONVERSATIONS, SENDERS, SENDS
from accord.deside.store.tables.people import BLOCKS, WALLETS

__all__ = ["BINDS", "Verdict", "judgement"]

Column: TypeAlias = sa.ColumnElement[Any]

Verdict: TypeAlias = Literal[
    "known",  # its key was used before
    "unregistered",
    "blocked",
    "nobody",  # the recipient's policy
    "rate",
    "burst",
    "release",  # what waits between the two goes first
    "deliver",
    "full",  # as many as may wait are waiting
    "declined",  # not long ago
    "hold",
]

TEXTS = ("sender", "recipient", "conv_id", "client_msg_id", "content", "blocks")
NUMBERS = ("at_ms", "hour_ago", "window_ago", "again_before", "per_hour", "burst")
BINDS: dict[str, sa.BindParameter[Any]] = {
    **{name: sa.bindparam(name, type_=sa.String) for name in TEXTS},
    **{name: sa.bindparam(name, type_=sa.BigInteger) for name in NUMBERS},
    "fingerprint": sa.bindparam("fingerprint", type_=sa.LargeBinary),
}
"""The values of one letter."""

REQUEST = CONTACT_REQUESTS.c
SENDER = WALLETS.alias("sender")
RECIPIENT = WALLETS.alias("recipient")
KNOWN = SENDS.alias("known")
NTH = SENDS.alias("nth")  # the send that must be an hour old by now,
MTH = SENDS.alias("mth")  # and the one to this recipient that must be ten seconds old


@dataclass(frozen=True, slots=True)
class _Sides:
    """What the sender and the recipient have sent in their conversation, and the sender everywhere."""

    mine: Column
    theirs: Column
    sent: Column


@cache
def judgement(side: Side) -> sa.Select[Any]:
    """Return the one row that judges a letter of a sender on this side; it changes nothing."""
    sides = _Sides(
        mine=sa.func.coalesce(CONVERSATIONS.c[f"{side}_sent"], 0),
        theirs=sa.func.coalesce(CONVERSATIONS.c[f"{OTHER[side]}_sent"], 0),
        sent=sa.func.coalesce(SENDERS.c.sent, 0),
    )
    return sa.select(
        _verdict(sides).label("verdict"),
        KNOWN.c.fingerprint.label("known_fingerprint"),
        KNOWN.c.seq.label("known_seq"),
        NTH.c.sent_at_ms.label("nth_at_ms"),
        MTH.c.sent_at_ms.label("mth_at_ms"),
        sa.case((SENDER.c.role == "agent", "agent"), else_="user").label("source_type"),
        sa.func.coalesce(CONVERSATIONS.c.seq_max, 0).label("seq_max"),
        sides.sent.label("sent"),
        sides.mine.label("sent_here"),
        sa.func.coalesce(REQUEST.held, 0).label("held"),
        REQUEST.state.label("request_state"),
    ).select_from(_one_row(sides))


def _verdict(sides: _Sides) -> Column:
    """Return the first rule that applies."""
    is_admitted = sa.or_(
        RECIPIENT.c.policy == "everyone",
        REQUEST.state == "accepted",
        REQUEST.requester == BINDS["recipient"],  # who asked to write may be written to
        sides.theirs > 0,  # and who wrote may be answered
    )
    is_pending = REQUEST.state == "pending"
    return sa.case(
        (KNOWN.c.sender.is_not(None), "known"),
        (RECIPIENT.c.wallet.is_(None), "unregistered"),
        (BLOCKS.c.owner.is_not(None), "blocked"),
        (RECIPIENT.c.policy == "nobody", "nobody"),
        (NTH.c.sent_at_ms > BINDS["hour_ago"], "rate"),
        (MTH.c.sent_at_ms > BINDS["window_ago"], "burst"),
        (sa.and_(is_admitted, is_pending), "release"),
        (is_admitted, "deliver"),
        (sa.and_(is_pending, REQUEST.held >= HELD_MOST), "full"),
        (sa.and_(REQUEST.state == "declined", REQUEST.answered_at_ms > BINDS["again_before"]), "declined"),
        else_="hold",
    )


def _one_row(sides: _Sides) -> sa.FromClause:
    """Join all that is looked at; each of it is there once, or not."""
    sender, recipient, conv_id = BINDS["sender"], BINDS["recipient"], BINDS["conv_id"]
    in_conversation = sa.and_(MTH.c.sender == sender, MTH.c.conv_id == conv_id)
    joined: tuple[tuple[sa.FromClause, Column], ...] = (
        (KNOWN, sa.and_(KNOWN.c.sender == sender, KNOWN.c.client_msg_id == BINDS["client_msg_id"])),
        (RECIPIENT, RECIPIENT.c.wallet == recipient),
        (SENDER, SENDER.c.wallet == sender),
        (BLOCKS, sa.and_(BLOCKS.c.owner == recipient, BLOCKS.c.blocked == sender)),
        (CONTACT_REQUESTS, REQUEST.conv_id == conv_id),
        (CONVERSATIONS, CONVERSATIONS.c.conv_id == conv_id),
        (SENDERS, SENDERS.c.sender == sender),
        (NTH, sa.and_(NTH.c.sender == sender, NTH.c.n == sides.sent + 1 - BINDS["per_hour"])),
        (MTH, sa.and_(in_conversation, MTH.c.m == sides.mine + 1 - BINDS["burst"], BINDS["burst"] > 0)),
    )
    row: sa.FromClause = sa.select(sa.literal(1).label("one")).subquery("start")
    for table, on in joined:
        row = row.outerjoin(table, on)
    return row
