"""How a conversation's row moves on by some messages of one side, made where it is missing."""

from __future__ import annotations

from typing import Any, TypeAlias

import sqlalchemy as sa

from accord.deside.messaging.judging import BINDS
from accord.deside.messaging.pairs import OTHER, Side
from accord.deside.store.tables.messaging import CONVERSATIONS

__all__ = ["COUNT", "first_row", "moved_on"]

Expression: TypeAlias = sa.ColumnElement[Any]

COUNT = sa.bindparam("count", type_=sa.BigInteger)
"""How many messages."""


def first_row(side: Side, tx: Expression) -> dict[str, Expression]:
    """Return the row of a conversation that begins with messages of this side."""
    none = sa.literal(0, sa.BigInteger, literal_execute=True)
    other = OTHER[side]
    return {
        "conv_id": BINDS["conv_id"],
        side: BINDS["sender"],
        other: BINDS["recipient"],
        "seq_max": COUNT,
        "place": tx,
        f"{side}_sent": COUNT,
        f"{other}_sent": none,
        f"{side}_read": none,
        f"{other}_read": none,
        f"{side}_unread": none,
        f"{other}_unread": COUNT,
    }


def moved_on(side: Side, tx: Expression) -> dict[str, Expression]:
    """Return what changes of a row that is there; evaluated once the row is locked."""
    sent, unread = f"{side}_sent", f"{OTHER[side]}_unread"
    return {
        "seq_max": CONVERSATIONS.c.seq_max + COUNT,
        "place": sa.case((CONVERSATIONS.c.place > tx, CONVERSATIONS.c.place), else_=tx),
        sent: CONVERSATIONS.c[sent] + COUNT,
        unread: CONVERSATIONS.c[unread] + COUNT,
    }
