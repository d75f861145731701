"""Whether a letter may go, and what becomes of it: one SELECT, the same on both databases."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa

from accord.deside.messaging.letters import HELD_MOST
from accord.deside.messaging.pairs import OTHER, Side
from accord.deside.store.tables.messaging import CONTACT_REQUESTS, CONVERSATIONS, SENDERS, SENDS
from accord.deside.store.tables.people import BLOCKS, WALLETS

__all__ = ["BINDS", "Verdict", "judgement"]

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

BINDS: dict[str, sa.BindParameter[Any]] = {
    **{name: sa.bindparam(name, type_=sa.String) for name in ("sender", "recipient", "conv_id", "client_msg_id")},
    **{name: sa.bindparam(name, type_=sa.String) for name in ("content", "blocks")},
    **{
        name: sa.bindparam(name, type_=sa.BigInteger)
        for name in ("at_ms", "hour_ago", "window_ago", "again_before", "per_hour", "burst")
    },
    "fingerprint": sa.bindparam("fingerprint", type_=sa.LargeBinary),
}
"""The values of one letter."""


@cache
def judgement(side: Side) -> sa.Select[Any]:
    """Return the one row that judges a letter of a sender on this side; it changes nothing."""
    known, nth, mth = SENDS.alias("known"), SENDS.alias("nth"), SENDS.alias("mth")
    recipient, sender = WALLETS.alias("recipient"), WALLETS.alias("sender")
    mine, theirs = CONVERSATIONS.c[f"{side}_sent"], CONVERSATIONS.c[f"{OTHER[side]}_sent"]
    sent, here = sa.func.coalesce(SENDERS.c.sent, 0), sa.func.coalesce(mine, 0)
    request = CONTACT_REQUESTS.c
    is_admitted = sa.or_(
        recipient.c.policy == "everyone",
        request.state == "accepted",
        request.requester == BINDS["recipient"],  # who asked to write may be written to
        theirs > 0,  # and who wrote may be answered
    )
    verdict = sa.case(
        (known.c.sender.is_not(None), "known"),
        (recipient.c.wallet.is_(None), "unregistered"),
        (BLOCKS.c.owner.is_not(None), "blocked"),
        (recipient.c.policy == "nobody", "nobody"),
        (nth.c.sent_at_ms > BINDS["hour_ago"], "rate"),
        (mth.c.sent_at_ms > BINDS["window_ago"], "burst"),
        (sa.and_(is_admitted, request.state == "pending"), "release"),
        (is_admitted, "deliver"),
        (sa.and_(request.state == "pending", request.held >= HELD_MOST), "full"),
        (sa.and_(request.state == "declined", request.answered_at_ms > BINDS["again_before"]), "declined"),
        else_="hold",
    )
    start = sa.select(sa.literal(1).label("one")).subquery("start")
    rows = (
        start.outerjoin(
            known,
            sa.and_(known.c.sender == BINDS["sender"], known.c.client_msg_id == BINDS["client_msg_id"]),
        )
        .outerjoin(recipient, recipient.c.wallet == BINDS["recipient"])
        .outerjoin(sender, sender.c.wallet == BINDS["sender"])
        .outerjoin(BLOCKS, sa.and_(BLOCKS.c.owner == BINDS["recipient"], BLOCKS.c.blocked == BINDS["sender"]))
        .outerjoin(CONTACT_REQUESTS, request.conv_id == BINDS["conv_id"])
        .outerjoin(CONVERSATIONS, CONVERSATIONS.c.conv_id == BINDS["conv_id"])
        .outerjoin(SENDERS, SENDERS.c.sender == BINDS["sender"])
        .outerjoin(nth, sa.and_(nth.c.sender == BINDS["sender"], nth.c.n == sent + 1 - BINDS["per_hour"]))
        .outerjoin(
            mth,
            sa.and_(
                mth.c.sender == BINDS["sender"],
                mth.c.conv_id == BINDS["conv_id"],
                mth.c.m == here + 1 - BINDS["burst"],
                BINDS["burst"] > 0,
            ),
        )
    )
    return sa.select(
        verdict.label("verdict"),
        known.c.fingerprint.label("known_fingerprint"),
        known.c.seq.label("known_seq"),
        nth.c.sent_at_ms.label("nth_at_ms"),
        mth.c.sent_at_ms.label("mth_at_ms"),
        sa.case((sender.c.role == "agent", "agent"), else_="user").label("source_type"),
        sa.func.coalesce(CONVERSATIONS.c.seq_max, 0).label("seq_max"),
        sent.label("sent"),
        here.label("sent_here"),
        sa.func.coalesce(request.held, 0).label("held"),
        request.state.label("request_state"),
    ).select_from(rows)
