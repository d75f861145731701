"""The tables of a state, and the transactions on them: each right under SQLite's one writer and under row locks."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from accord.engine.state.windows import count_event

SCHEMA_VERSION = 1

TABLES = sa.MetaData()
SCHEMA = sa.Table("state_schema", TABLES, sa.Column("version", sa.Integer, primary_key=True))
# `expires_at` is in seconds since the epoch; infinity is never.
VALUES = sa.Table(
    "state_values",
    TABLES,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
)
# `events` are the counted times as packed little-endian doubles, oldest first.
WINDOWS = sa.Table(
    "state_windows",
    TABLES,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("events", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
)

INSERTS: Mapping[str, Callable[[sa.Table], Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}

Result = TypeVar("Result")
Work: TypeAlias = Callable[[sa.Connection, float], Result]
"""What is done within one transaction, at a time in seconds since the epoch."""


# The statements lock the row they decide by (FOR UPDATE, which SQLite leaves out), so that they are right under row
# locks as well as under SQLite's one writer. None needs RETURNING, which SQLite has only from 3.35 on.
# Conflict clauses are a dialect's own; those of SQLite and PostgreSQL are alike.


def inserting(connection: sa.Connection, table: sa.Table) -> Any:
    """Begin an INSERT that can say what happens where the row is there already."""
    return INSERTS[connection.dialect.name](table)


def read_value(connection: sa.Connection, now: float, *, key: str) -> bytes | None:
    """Read the live value under the key."""
    return connection.scalar(sa.select(VALUES.c.value).where(VALUES.c.key == key, VALUES.c.expires_at > now))


def write_value(
    connection: sa.Connection,
    now: float,
    *,
    key: str,
    value: bytes,
    lifetime_seconds: float,
    only_if_absent: bool,
) -> bool:
    """Insert or replace the value, only over an expired one if it must be absent; True when a row was written."""
    row = inserting(connection, VALUES).values(key=key, value=value, expires_at=now + lifetime_seconds)
    written = connection.execute(
        row.on_conflict_do_update(
            index_elements=[VALUES.c.key],
            set_={"value": row.excluded.value, "expires_at": row.excluded.expires_at},
            where=VALUES.c.expires_at <= now if only_if_absent else None,
        )
    )
    return written.rowcount == 1


def take_value(connection: sa.Connection, now: float, *, key: str) -> bytes | None:
    """Lock, read and delete the live value under the key."""
    live = sa.select(VALUES.c.value).where(VALUES.c.key == key, VALUES.c.expires_at > now)
    value: bytes | None = connection.scalar(live.with_for_update())
    if value is not None:
        connection.execute(sa.delete(VALUES).where(VALUES.c.key == key))
    return value


def count_in_row(connection: sa.Connection, now: float, *, key: str, window_seconds: float, limit: int) -> float:
    """Count one event in the key's row, which is made first so that there is something to lock.

    Where it is there already, writing its key again locks it against a purge.
    """
    row = inserting(connection, WINDOWS).values(key=key, events=b"", expires_at=now + window_seconds)
    connection.execute(
        row.on_conflict_do_update(index_elements=[WINDOWS.c.key], set_={"key": row.excluded.key}),
    )
    packed: bytes = connection.execute(
        sa.select(WINDOWS.c.events).where(WINDOWS.c.key == key).with_for_update()
    ).scalar_one()
    counted = struct.unpack(f"<{len(packed) // 8}d", packed)
    kept, wait_seconds = count_event(counted, now, window_seconds=window_seconds, limit=limit)
    if kept != counted:
        events = struct.pack(f"<{len(kept)}d", *kept)
        counting = sa.update(WINDOWS).where(WINDOWS.c.key == key)
        connection.execute(counting.values(events=events, expires_at=now + window_seconds))
    return wait_seconds


def delete_rows(connection: sa.Connection, _now: float, *, key: str) -> None:
    """Delete whatever lies under the key."""
    for table in (VALUES, WINDOWS):
        connection.execute(sa.delete(table).where(table.c.key == key))


def read_keys(connection: sa.Connection, now: float, *, prefix: str) -> list[str]:
    """Read the live keys that begin so; LIKE would take `_` and, in SQLite, either case for a match."""
    begins = sa.func.substr(VALUES.c.key, 1, len(prefix)) == prefix
    # The order is Python's own: a database's depends on its collation.
    return sorted(connection.scalars(sa.select(VALUES.c.key).where(begins, VALUES.c.expires_at > now)))


def purge(connection: sa.Connection, now: float) -> None:
    """Delete what has expired; no answer depends on it."""
    for table in (VALUES, WINDOWS):
        connection.execute(sa.delete(table).where(table.c.expires_at <= now))


def ensure_schema(connection: sa.Connection) -> None:
    """Make the tables of a new database; raise ValueError if another version made them."""
    TABLES.create_all(connection)
    found = connection.scalar(sa.select(SCHEMA.c.version))
    if found is None:
        connection.execute(inserting(connection, SCHEMA).values(version=SCHEMA_VERSION))
    elif found != SCHEMA_VERSION:
        raise ValueError(f"it has schema version {found}, and this program reads version {SCHEMA_VERSION}")
