"""Transactions that must not run beside each other take turns."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["take_turn"]


def take_turn(connection: sa.Connection, subject: str) -> None:
    """Let no other transaction with this subject go on until this one has ended; what it reads from here on is settled.

    SQLite has one writer anyway. PostgreSQL's READ COMMITTED would let two transactions count to the same limit.
    """
    if connection.dialect.name == "postgresql":
        key = sa.func.hashtextextended(subject, 0)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))
