"""A database that a program keeps its own tables in: SQLite through one writer thread, PostgreSQL through a pool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from accord.engine.state.sqlite_file import BUSY_SECONDS, file_of, make_file, make_private, set_pragmas

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Database", "PostgresDatabase", "SqliteDatabase", "open_database"]

Result = TypeVar("Result")
Work: TypeAlias = Callable[[sa.Connection], Result]
"""What is done within one transaction: plain SQLAlchemy Core, the same on both databases."""

SCHEMA_LOCK = 0x61636372
"""Of the processes that start at once, one makes the tables."""

CONNECT_SECONDS = 10
POOL_CONNECTIONS = 16
"""More of them only wait for each other's rows where many write into one conversation."""


class Database(Protocol):
    """Transactions on tables; `write` commits before it returns, and both do what they do whole or not at all.

    A caller cancelled while it waits cannot know whether its transaction happened.
    """

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        """SQLAlchemy's name of it."""

    async def read(self, work: Work[Result]) -> Result:
        """Run work that changes nothing, on one state of the database."""

    async def write(self, work: Work[Result]) -> Result:
        """Run one transaction."""

    async def close(self) -> None:
        """Let what was begun finish, and let go of the connections."""


def open_database(url: str, prepare: Work[None]) -> Database:
    """Open `sqlite:///path`, `sqlite://` in memory or `postgresql://…`; blocks until `prepare` has made its tables.

    Of several processes that start at once, one prepares at a time.

    Raises:
        ValueError: Nothing serves the URL, or what it names cannot be used; the text never quotes a password.
    """
    scheme, separator, _ = url.partition("://")
    if separator and scheme == "sqlite":
        return SqliteDatabase.open(url, prepare)
    if separator and scheme == "postgresql":
        return PostgresDatabase.open(url, prepare)
    named = f"{scheme}://" if separator else "a URL without a scheme"  # the rest of it may hold a password
    raise ValueError(f"a database URL is sqlite:///path, sqlite:// or postgresql://…, not {named}")


class SqliteDatabase:
    """A SQLite file, or one in memory. One thread writes, another reads what is committed.

    What was done survives the end of the process; with `synchronous` NORMAL a power cut may undo the last moments, with
    FULL it does not (https://sqlite.org/pragma.html#pragma_synchronous).
    """

    dialect: Literal["sqlite"] = "sqlite"

    def __init__(self, path: Path | None, synchronous: Literal["NORMAL", "FULL"] = "NORMAL") -> None:
        self._writer = _Thread(path, "BEGIN IMMEDIATE", synchronous)
        # A database in memory is its one connection.
        self._reader = self._writer if path is None else _Thread(path, "BEGIN", synchronous)
        self._path = path

    @classmethod
    def open(cls, url: str, prepare: Work[None], *, synchronous: Literal["NORMAL", "FULL"] = "NORMAL") -> Self:
        """Open the file of `sqlite:///path`, making it (0600) and its folder (0700) if need be.

        Raises:
            ValueError: It is another URL, or the file cannot be made, is no database or is held by someone else.
        """
        database = cls(file_of(url), synchronous)
        try:
            database._writer.submit(partial(database._prepare, prepare)).result()
        except (sa.exc.DBAPIError, OSError, ValueError) as error:
            database._writer.end().result()
            reason = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            raise ValueError(f"{url} cannot hold state: {reason}") from error
        return database

    async def read(self, work: Work[Result]) -> Result:
        """Run work that changes nothing."""
        return await asyncio.wrap_future(self._reader.submit(partial(self._reader.transact, work)))

    async def write(self, work: Work[Result]) -> Result:
        """Run one transaction, which holds the write lock from its beginning."""
        return await asyncio.wrap_future(self._writer.submit(partial(self._writer.transact, work)))

    async def close(self) -> None:
        """Let the calls already made finish, and close the file."""
        for thread in (self._reader, self._writer):
            await asyncio.shield(asyncio.wrap_future(thread.end()))

    def _prepare(self, prepare: Work[None]) -> None:
        if self._path is not None:
            make_file(self._path)
        self._writer.transact(prepare)
        if self._path is not None:
            make_private(self._path)


class _Thread:
    """The one thread that uses one connection, made there at its first use."""

    def __init__(self, path: Path | None, begin: str, synchronous: str) -> None:
        self._engine = sa.create_engine(
            sa.URL.create("sqlite", database=None if path is None else str(path)),
            poolclass=sa.StaticPool,
            connect_args={"isolation_level": None, "timeout": BUSY_SECONDS},
            hide_parameters=True,  # values are secrets; an exception's text reaches logs
        )
        sa.event.listen(self._engine, "connect", partial(set_pragmas, synchronous=synchronous))
        # The write lock is taken at the start: waiting for it later, with a read already made, fails at once in SQLite.
        sa.event.listen(self._engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="accord-sqlite")
        self._ended: Future[None] | None = None

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        return self._executor.submit(work)

    def transact(self, work: Work[Result]) -> Result:
        with self._engine.begin() as connection:
            return work(connection)

    def end(self) -> Future[None]:
        if self._ended is None:
            self._ended = self._executor.submit(self._engine.dispose)
            self._executor.shutdown(wait=False)
        return self._ended


class PostgresDatabase:
    """A PostgreSQL database, shared by any number of processes; its transactions are READ COMMITTED."""

    dialect: Literal["postgresql"] = "postgresql"

    def __init__(self, url: sa.URL) -> None:
        self._url = url
        self._engine: AsyncEngine | None = None

    @classmethod
    def open(cls, url: str, prepare: Work[None]) -> Self:
        """Open `postgresql://user@host/database`.

        Raises:
            ValueError: It cannot be reached or prepared, or the driver is not installed.
        """
        target = _target(url)
        with ThreadPoolExecutor(max_workers=1) as aside:  # a running event loop cannot run another one
            try:
                aside.submit(asyncio.run, _prepare(target, prepare)).result()
            except ModuleNotFoundError as error:
                raise ValueError("PostgreSQL needs its driver: install accord-mcp[postgres]") from error
            except (sa.exc.DBAPIError, OSError, TimeoutError, ValueError) as error:
                reason = error.orig if isinstance(error, sa.exc.DBAPIError) else error
                raise ValueError(f"the PostgreSQL database cannot hold state: {reason}") from error
        return cls(target)

    @property
    def engine(self) -> AsyncEngine:
        """The pool, made in the event loop that uses it."""
        if self._engine is None:
            self._engine = _engine(self._url, pool_pre_ping=True, pool_size=POOL_CONNECTIONS, max_overflow=0)
        return self._engine

    async def read(self, work: Work[Result]) -> Result:
        """Run work that changes nothing; of several statements each sees what is committed when it begins."""
        async with self.engine.connect() as connection:
            return await connection.run_sync(work)

    async def write(self, work: Work[Result]) -> Result:
        """Run one transaction."""
        async with self.engine.begin() as connection:
            return await connection.run_sync(work)

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[Any]:
        """Return a connection of the driver's own outside of the pool, of which it would take a place for good."""
        engine = _engine(self._url, poolclass=sa.NullPool)
        async with engine.connect() as connection:
            yield (await connection.get_raw_connection()).driver_connection

    async def close(self) -> None:
        """Close the connections."""
        if self._engine is not None:
            await self._engine.dispose()


def _engine(url: sa.URL, **options: Any) -> AsyncEngine:
    arguments = {"timeout": CONNECT_SECONDS}
    # Values are secrets; an exception's text reaches logs.
    return create_async_engine(url, hide_parameters=True, connect_args=arguments, **options)


def _target(url: str) -> sa.URL:
    try:
        return sa.make_url(url).set(drivername="postgresql+asyncpg")
    except (sa.exc.ArgumentError, ValueError):  # its words may quote a part of the URL, which may be of the password
        raise ValueError("the URL of the PostgreSQL database cannot be read; in a password, write @ as %40") from None


async def _prepare(url: sa.URL, prepare: Work[None]) -> None:
    engine = _engine(url)
    try:
        async with engine.begin() as connection:
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SCHEMA_LOCK)))
            await connection.run_sync(prepare)
    finally:
        await engine.dispose()
