"""Numbers of transactions, which rise as long as the service lives: also when its tables move to another PostgreSQL.

PostgreSQL numbers the transactions of a cluster. Where a dump was restored into another one, those numbers begin anew,
lower than the ones that are kept; so a start adds what is missing. SQLite needs none: one thread writes.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from accord.deside.store.tables.messaging import MESSAGES, TRANSACTION_OFFSET

__all__ = ["catch_up", "first_unsettled", "is_seen", "this_transaction"]

LOOKED_AT = 1000
"""The newest messages that are looked at: far more than transactions that are under way at once."""

Number = sa.ColumnElement[int]


def this_transaction(dialect: str) -> Number:
    """Return the number of the transaction that asks; 0 in SQLite."""
    if dialect == "sqlite":
        return sa.literal(0, sa.BigInteger, literal_execute=True)
    return _as_number(sa.func.pg_current_xact_id()) + _offset()


def first_unsettled() -> Number:
    """Return the lowest number that a transaction has which is still under way: all below have ended."""
    return _as_number(sa.func.pg_snapshot_xmin(sa.func.pg_current_snapshot())) + _offset()


def is_seen(number: sa.ColumnElement[Any], snapshot: str) -> sa.ColumnElement[bool]:
    """Return whether what a transaction of this number wrote is in a snapshot, which is PostgreSQL's text of one."""
    own = sa.func.greatest(number - _offset(), 1)  # what another cluster wrote was there before this one began
    as_xid = sa.cast(sa.cast(own, sa.String), _Named("xid8"))
    return sa.func.pg_visible_in_snapshot(as_xid, sa.cast(sa.literal(snapshot, sa.String), _Named("pg_snapshot")))


def catch_up(connection: sa.Connection) -> None:
    """Let numbers go on from those of the messages that are kept, where the cluster has not come that far."""
    if connection.dialect.name == "sqlite":
        return
    newest = sa.select(MESSAGES.c.place).order_by(MESSAGES.c.id.desc()).limit(LOOKED_AT).subquery()
    reached = connection.scalar(sa.select(sa.func.max(newest.c.place)))
    now = connection.execute(sa.select(this_transaction("postgresql"))).scalar_one()
    if reached is None or reached < now:
        return
    offset = connection.scalar(sa.select(_offset())) or 0
    connection.execute(sa.delete(TRANSACTION_OFFSET))
    connection.execute(sa.insert(TRANSACTION_OFFSET).values(offset=offset + reached + 1 - now))


def _offset() -> Number:
    kept = sa.select(sa.func.max(TRANSACTION_OFFSET.c.offset)).correlate(None).scalar_subquery()
    return sa.func.coalesce(kept, sa.literal(0, sa.BigInteger, literal_execute=True))


def _as_number(xid: Any) -> Number:
    return sa.cast(sa.cast(xid, sa.String), sa.BigInteger)


class _Named(sa.types.UserDefinedType[str]):
    """A type of PostgreSQL that is written by its name."""

    cache_ok = True

    def __init__(self, name: str) -> None:
        self.name = name

    def get_col_spec(self, **_: object) -> str:
        return self.name
