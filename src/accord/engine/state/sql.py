"""State in a SQL database, every statement of it run by one thread."""

from __future__ import annotations

import asyncio
import itertools
import math
import struct
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Self, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from accord.engine.state.listening import Topics
from accord.engine.state.sqlite_file import BUSY_SECONDS, file_of, make_file, make_private, set_pragmas
from accord.engine.state.windows import count_event

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from accord.engine.state.listening import Listener

SCHEMA_VERSION = 1
PURGE_EVERY_WRITES = 100

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

Result = TypeVar("Result")
Work: TypeAlias = Callable[[sa.Connection, float], Result]
"""What is done within one transaction, at a time in seconds since the epoch."""


class SqlState:
    """State that survives a restart and is shared by the processes that open one database.

    A method is one transaction. A caller cancelled while it waits cannot know whether its transaction happened, but it
    happened whole or not at all. What was done survives the end of the process; a power cut may undo the last moments.
    Notifications stay within the process. Lifetimes follow `clock`, in seconds since the epoch, because they outlast
    the process.
    """

    def __init__(self, engine: sa.Engine, clock: Callable[[], float]) -> None:
        self._engine = engine
        self._clock = clock
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="accord-state")
        self._writes = itertools.count()
        self._topics = Topics()
        self._ended: Future[None] | None = None

    @classmethod
    def open(cls, url: str, *, clock: Callable[[], float] = time.time) -> Self:
        """Open `sqlite:///path`, making the file (0600) and its folder (0700) if need be, or `sqlite://` in memory.

        Blocks until the tables are ready. Raises ValueError for another URL, and with the reason for a file that
        cannot be made, is no database, is held by someone else or has another schema version.
        """
        path = file_of(url)
        state = cls(sqlite_engine(path), clock)
        try:
            state._writer.submit(state._prepare, path).result()
        except (sa.exc.DBAPIError, OSError, ValueError) as error:
            state._end().result()
            reason = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            raise ValueError(f"{url} cannot hold state: {reason}") from error
        return state

    async def get(self, key: str) -> bytes | None:
        """Return the value under the key, None when there is none or its lifetime is over."""
        return await self._run(partial(read_value, key=key))

    async def put(
        self, key: str, value: bytes, *, lifetime_seconds: float | None = None, only_if_absent: bool = False
    ) -> bool:
        """Keep a value; without a lifetime, until it is deleted. False: absent was asked for and it was there."""
        lifetime = math.inf if lifetime_seconds is None else lifetime_seconds
        work = partial(write_value, key=key, value=value, lifetime_seconds=lifetime, only_if_absent=only_if_absent)
        return await self._write(work)

    async def take_once(self, key: str) -> bytes | None:
        """Return the value and remove it: of several racing callers, in any process, exactly one gets it."""
        return await self._run(partial(take_value, key=key))

    async def count_in_window(self, key: str, *, window_seconds: float, limit: int) -> float:
        """Count one event by the rule of `count_event`; a key's window is apart from its value and of one length.

        A window costs eight bytes an event, rewritten whole: meant for limits up to some thousands.
        """
        work = partial(count_in_row, key=key, window_seconds=window_seconds, limit=limit)
        return await self._write(work)

    async def delete(self, key: str) -> None:
        """Forget the value and the window under the key."""
        await self._run(partial(delete_rows, key=key))

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys of all live values that begin so, in order."""
        return await self._run(partial(read_keys, prefix=prefix))

    async def notify(self, topic: str, message: bytes) -> None:
        """Tell every listener of the topic in this process."""
        self._topics.tell(topic, message)

    def listen(self, topic: str) -> AbstractAsyncContextManager[Listener]:
        """Hear every message of the topic from the moment the context is entered."""
        return self._topics.listen(topic)

    async def close(self) -> None:
        """End every listener, let the calls already made finish, and close the database."""
        self._topics.close()
        await asyncio.shield(asyncio.wrap_future(self._end()))

    def _prepare(self, path: Path | None) -> None:
        if path is not None:
            make_file(path)
        self._transact(ensure_schema)
        if path is not None:
            make_private(path)

    async def _write(self, work: Work[Result]) -> Result:
        if next(self._writes) % PURGE_EVERY_WRITES == 0:
            await self._run(purge)
        return await self._run(work)

    async def _run(self, work: Work[Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._transact, work)

    def _transact(self, work: Work[Result]) -> Result:
        with self._engine.begin() as connection:
            return work(connection, self._clock())

    def _end(self) -> Future[None]:
        if self._ended is None:
            self._ended = self._writer.submit(self._engine.dispose)
            self._writer.shutdown(wait=False)
        return self._ended


# The statements lock the row they decide by (FOR UPDATE, which SQLite leaves out), so that they are right under row
# locks as well as under SQLite's one writer. None needs RETURNING, which SQLite has only from 3.35 on.
# `insert` is the one name of a dialect; PostgreSQL's takes the same conflict clauses.


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
    row = insert(VALUES).values(key=key, value=value, expires_at=now + lifetime_seconds)
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
    """Count one event in the key's row, which is made first so that there is something to lock."""
    connection.execute(
        insert(WINDOWS).values(key=key, events=b"", expires_at=now + window_seconds).on_conflict_do_nothing()
    )
    packed: bytes = connection.execute(
        sa.select(WINDOWS.c.events).where(WINDOWS.c.key == key).with_for_update()
    ).scalar_one()
    counted = struct.unpack(f"<{len(packed) // 8}d", packed)
    kept, wait_seconds = count_event(counted, now, window_seconds=window_seconds, limit=limit)
    if kept != counted:
        events = struct.pack(f"<{len(kept)}d", *kept)
        row = sa.update(WINDOWS).where(WINDOWS.c.key == key)
        connection.execute(row.values(events=events, expires_at=now + window_seconds))
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


def ensure_schema(connection: sa.Connection, _now: float) -> None:
    """Make the tables of a new database; raise ValueError if another version made them."""
    TABLES.create_all(connection)
    found = connection.scalar(sa.select(SCHEMA.c.version))
    if found is None:
        connection.execute(insert(SCHEMA).values(version=SCHEMA_VERSION))
    elif found != SCHEMA_VERSION:
        raise ValueError(f"it has schema version {found}, and this program reads version {SCHEMA_VERSION}")


def sqlite_engine(path: Path | None) -> sa.Engine:
    """Describe the one connection, made at its first use by the thread that uses it."""
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=None if path is None else str(path)),
        poolclass=sa.StaticPool,
        connect_args={"isolation_level": None, "timeout": BUSY_SECONDS},
        hide_parameters=True,  # values are secrets; an exception's text reaches logs
    )
    sa.event.listen(engine, "connect", set_pragmas)
    sa.event.listen(engine, "begin", begin_immediate)
    return engine


def begin_immediate(connection: sa.Connection) -> None:
    """Take the write lock at the start: waiting for it later, with a read already made, fails at once in SQLite."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
