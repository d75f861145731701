"""State in a SQLite database, every statement of it run by one thread."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from accord.engine.state.database import SqliteDatabase
from accord.engine.state.listening import Topics
from accord.engine.state.statements import ensure_schema
from accord.engine.state.transacted import Transacted

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from accord.engine.state.listening import Listener


class SqlState(Transacted):
    """State that survives a restart and is shared by the processes that open one database.

    A method is one transaction. A caller cancelled while it waits cannot know whether its transaction happened, but it
    happened whole or not at all. What was done survives the end of the process; a power cut may undo the last moments.
    Notifications stay within the process. Lifetimes follow `clock`, in seconds since the epoch, because they outlast
    the process.
    """

    def __init__(self, database: SqliteDatabase, clock: Callable[[], float] = time.time) -> None:
        super().__init__(database, clock)
        self._topics = Topics()

    @classmethod
    def open(cls, url: str, *, clock: Callable[[], float] = time.time) -> Self:
        """Open `sqlite:///path`, making the file (0600) and its folder (0700) if need be, or `sqlite://` in memory.

        Blocks until the tables are ready. Raises ValueError for another URL, and with the reason for a file that
        cannot be made, is no database, is held by someone else or has another schema version.
        """
        return cls(SqliteDatabase.open(url, ensure_schema), clock)

    async def notify(self, topic: str, message: bytes) -> None:
        """Tell every listener of the topic in this process."""
        self._topics.tell(topic, message)

    def listen(self, *topics: str) -> AbstractAsyncContextManager[Listener]:
        """Hear every message of the topics from the moment the context is entered."""
        return self._topics.listen(*topics)

    async def close(self) -> None:
        """End every listener, let the calls already made finish, and close the database."""
        self._topics.close()
        await self._database.close()
