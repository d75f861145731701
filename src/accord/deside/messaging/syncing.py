"""All that was written in a wallet's conversations, in an order in which nothing is skipped and nothing repeats.

In SQLite ids are given in the order of commits, for one thread writes. In PostgreSQL they are not: a message with a
smaller id may be committed later. So messages are read in the order of their transactions, and only those of
transactions that are older than any that is still under way (https://www.postgresql.org/docs/current/
functions-info.html, pg_snapshot_xmin).

A cursor names the message that it has come to: by its place and id, and by when it was written, since a database that
was restored, or begins anew, gives places and ids again.
"""

from __future__ import annotations

from typing import Any, cast

import sqlalchemy as sa

from accord.deside.messaging.cursors import no_cursor, opened, sealed
from accord.deside.messaging.pairs import Pair
from accord.deside.messaging.reading import said
from accord.deside.models.messages import Synced, SyncedMessage
from accord.deside.store.tables.messaging import MESSAGES
from accord.deside.store.transactions import first_unsettled
from accord.deside.wallets import Wallet

__all__ = ["since"]

BEGINNING: list[Any] = [0, 0, 0]


def since(connection: sa.Connection, wallet: Wallet, limit: int, cursor: str | None, pair: Pair | None) -> Synced:
    """Return the first messages after the cursor, from the very first on without one; of one conversation if asked.

    Raises:
        InvalidMeaningError: The cursor is none of ours, or its message is not here: it would skip what took its place.
    """
    came_to: list[Any] = BEGINNING if cursor is None else opened(cursor, int, int, int)
    if came_to != BEGINNING and not _is_here(connection, wallet, came_to):
        raise no_cursor("names a message that is not in this database, as after a restore; begin without one")
    place, last_id, _ = came_to
    after = _after(place, last_id)
    sent = _side(connection, pair, limit, MESSAGES.c.sender == wallet, after)
    received = _side(connection, pair, limit, MESSAGES.c.recipient == wallet, after)
    both = sa.union_all(sent, received).subquery("both")
    rows = connection.execute(sa.select(both).order_by(both.c.place, both.c.id).limit(limit + 1)).all()
    shown = rows[:limit]
    ended = [shown[-1].place, shown[-1].id, shown[-1].created_at_ms] if shown else came_to
    return {"messages": [_message(row) for row in shown], "next_cursor": sealed(ended), "has_more": len(rows) > limit}


def _is_here(connection: sa.Connection, wallet: Wallet, came_to: list[Any]) -> bool:
    (place, last_id, at_ms), kept = came_to, MESSAGES.c
    named = sa.select(sa.literal(1)).where(kept.id == last_id, kept.place == place, kept.created_at_ms == at_ms)
    return connection.scalar(named.where(sa.or_(kept.sender == wallet, kept.recipient == wallet))) is not None


def _after(place: int, last_id: int) -> sa.ColumnElement[bool]:
    values = (sa.literal(place, sa.BigInteger), sa.literal(last_id, sa.BigInteger))
    return sa.tuple_(MESSAGES.c.place, MESSAGES.c.id) > sa.tuple_(*values)


def _side(connection: sa.Connection, pair: Pair | None, limit: int, *where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Select what one index has of a wallet's messages, in its order."""
    found = sa.select(MESSAGES).where(*where)
    if connection.dialect.name == "postgresql":
        found = found.where(MESSAGES.c.place < first_unsettled())
    if pair is not None:
        found = found.where(MESSAGES.c.conv_id == pair.conv_id)
    ordered = found.order_by(MESSAGES.c.place, MESSAGES.c.id).limit(limit + 1)
    return sa.select(ordered.subquery())


def _message(row: Any) -> SyncedMessage:
    known = {"id": str(row.id), "convId": row.conv_id, "seq": row.seq, "sender": row.sender}
    return cast("SyncedMessage", {**known, **said(row)})
