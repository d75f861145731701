"""State in a SQLite database, every statement of it run by one thread."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

import sqlalchemy as sa

from accord.engine.state.listening import Topics
from accord.engine.state.sqlite_file import BUSY_SECONDS, file_of, make_file, make_private, set_pragmas
from accord.engine.state.statements import ensure_schema
from accord.engine.state.transacted import Transacted

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from accord.engine.state.listening import Listener
    from accord.engine.state.statements import Result, Work


class SqlState(Transacted):
    """State that survives a restart and is shared by the processes that open one database.

    A method is one transaction. A caller cancelled while it waits cannot know whether its transaction happened, but it
    happened whole or not at all. What was done survives the end of the process; a power cut may undo the last moments.
    Notifications stay within the process. Lifetimes follow `clock`, in seconds since the epoch, because they outlast
    the process.
    """

    def __init__(self, engine: sa.Engine, clock: Callable[[], float]) -> None:
        super().__init__()
        self._engine = engine
        self._clock = clock
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="accord-state")
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
