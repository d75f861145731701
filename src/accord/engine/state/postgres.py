"""State in PostgreSQL, shared by all processes and machines that name the same database."""

from __future__ import annotations

import asyncio
import base64
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

import orjson
import sqlalchemy as sa

from accord.engine.logs import logger
from accord.engine.state.database import CONNECT_SECONDS, PostgresDatabase
from accord.engine.state.listening import Topics
from accord.engine.state.statements import ensure_schema
from accord.engine.state.transacted import Transacted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from accord.engine.state.listening import Listener

_log = logger("accord.state")

CHANNEL = "accord_state"
MOST_MESSAGE_BYTES = 4096
"""PostgreSQL takes payloads of less than 8000 bytes (https://www.postgresql.org/docs/current/sql-notify.html)."""

RECONNECT_SECONDS = 1.0

LISTEN_SECONDS = 10.0
"""How long one who wants to listen waits for the connection that hears."""

LOOK_SECONDS = 30.0
"""How often it is asked whether the connection that hears still lives: one that was cut without a word says nothing."""


class PostgresState(Transacted):
    """State for any number of processes. A method is one transaction, and what it did survives a crash.

    Notifications reach the listeners of every process; what is told while a process has lost its connection does not
    reach it, so they are hints to look again. Lifetimes follow `clock`, in seconds since the epoch.
    """

    def __init__(
        self,
        database: PostgresDatabase,
        clock: Callable[[], float] = time.time,
        *,
        listen_seconds: float = LISTEN_SECONDS,
    ) -> None:
        super().__init__(database, clock)
        self._listen_seconds = listen_seconds
        self._connections = database
        self._topics = Topics()
        self._hearing: asyncio.Task[None] | None = None
        self._heard = asyncio.Event()

    @classmethod
    def open(cls, url: str, *, clock: Callable[[], float] = time.time) -> Self:
        """Open `postgresql://user@host/database`.

        Blocks until the tables are ready.

        Raises:
            ValueError: The database cannot be reached or has another schema version, or the driver is not installed.
        """
        return cls(PostgresDatabase.open(url, ensure_schema), clock)

    async def notify(self, topic: str, message: bytes) -> None:
        """Tell every listener of the topic, in every process.

        Raises:
            ValueError: The message has more than 4096 bytes.
        """
        if len(message) > MOST_MESSAGE_BYTES:
            raise ValueError(f"a message has at most {MOST_MESSAGE_BYTES} bytes")
        payload = orjson.dumps([topic, base64.b64encode(message).decode()]).decode()
        async with self._connections.engine.begin() as connection:
            await connection.execute(sa.select(sa.func.pg_notify(CHANNEL, payload)))

    @asynccontextmanager
    async def listen(self, *topics: str) -> AsyncIterator[Listener]:
        """Hear every message of the topics from the moment the context is entered.

        Raises:
            TimeoutError: The database cannot be listened to now.
        """
        async with self._topics.listen(*topics) as listener:
            if self._hearing is None or self._hearing.done():
                self._hearing = asyncio.create_task(self._hear())
            async with asyncio.timeout(self._listen_seconds):
                await self._heard.wait()
            yield listener

    async def close(self) -> None:
        """End every listener and close the connections."""
        self._topics.close()
        if self._hearing is not None:
            self._hearing.cancel()
            with suppress(asyncio.CancelledError):
                await self._hearing
        await self._database.close()

    async def _hear(self) -> None:
        """Keep one connection that listens; after a loss make another."""
        while True:
            try:
                async with self._connections.apart() as driver:
                    await self._hear_with(driver)
            except Exception as error:  # noqa: BLE001 - the driver has many, and whoever listens must hear again
                _log.warning("the listening connection is lost", error=type(error).__name__)
            finally:
                self._heard.clear()
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _hear_with(self, driver: Any) -> None:
        ended = asyncio.Event()
        driver.add_termination_listener(lambda _connection: ended.set())
        async with asyncio.timeout(CONNECT_SECONDS):
            await driver.add_listener(CHANNEL, self._tell)
        self._heard.set()
        while not ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await ended.wait()
                    return
            await driver.execute("SELECT 1", timeout=CONNECT_SECONDS)

    def _tell(self, _connection: object, _process: int, _channel: str, payload: str) -> None:
        topic, message = orjson.loads(payload)
        self._topics.tell(topic, base64.b64decode(message))
