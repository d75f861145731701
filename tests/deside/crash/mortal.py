"""A server that is killed and started again, on one database and one port."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

__all__ = ["Mortal", "mortal"]

NEST: Final = Path(__file__).with_name("nest.py")
START_SECONDS: Final = 30
SETTLE_SECONDS: Final = 10

UNLIMITED: Final = {
    "DESIDE_SENDS_PER_HOUR": "1000000",
    "DESIDE_BURST_PER_RECIPIENT": "0",
    "OAUTH_SIGN_INS_PER_5_MIN": "0",
    "OAUTH_CHALLENGES_PER_MIN": "0",
    "OAUTH_REGISTRATIONS_PER_5_MIN": "0",
    "DESIDE_ANONYMOUS_SESSIONS_PER_MIN": "0",
}


@dataclass
class Mortal:
    """One server after another. `port` is the first one's, and stays."""

    nest: asyncio.subprocess.Process
    database_url: str
    port: int = 0
    process: int | None = None

    async def start(self) -> None:
        """Start a server, and wait until it is ready."""
        environment = {"DESIDE_DATABASE_URL": self.database_url, **UNLIMITED}
        assert self.nest.stdin is not None
        assert self.nest.stderr is not None
        self.nest.stdin.write(orjson.dumps({"port": self.port, "environment": environment}) + b"\n")
        self.process = int(await self._line())
        async with asyncio.timeout(START_SECONDS):
            said = await self.nest.stderr.readline()
        ready = orjson.loads(said)
        assert ready["event"] == "ready", said
        self.port = ready["port"]

    async def kill(self) -> None:
        """Kill the server with SIGKILL, and wait until nothing of it is under way.

        The nest has not waited for its process yet, so that the number is still its own.
        """
        assert self.process is not None
        os.kill(self.process, signal.SIGKILL)
        self.process = None
        assert await self._line() == b"ended\n"
        if self.database_url.startswith("postgresql:"):
            async with asyncio.timeout(SETTLE_SECONDS):
                await _settled(self.database_url)

    async def _line(self) -> bytes:
        assert self.nest.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            return await self.nest.stdout.readline()


@asynccontextmanager
async def mortal(database_url: str) -> AsyncIterator[Mortal]:
    """Lend one, which is not started yet; what runs when the block ends is killed."""
    pipe = asyncio.subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    nest = await asyncio.create_subprocess_exec(
        sys.executable, str(NEST), stdin=pipe, stdout=pipe, stderr=pipe, env=environment
    )
    server = Mortal(nest, database_url)
    try:
        assert await server._line() == b"ready\n"
        yield server
    finally:
        if server.process is not None:
            os.kill(server.process, signal.SIGKILL)
        nest.kill()
        await nest.communicate()


async def _settled(url: str) -> None:
    """Wait until PostgreSQL has ended what the dead server had begun: it may still commit it."""
    engine = create_async_engine(sa.make_url(url).set(drivername="postgresql+asyncpg"), poolclass=sa.NullPool)
    others = sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> :own")
    async with engine.connect() as connection:
        own = await connection.scalar(sa.text("SELECT pg_backend_pid()"))
        while await connection.scalar(others, {"own": own}):
            await connection.rollback()  # within a transaction it would be told the same again
            await asyncio.sleep(0.01)  # the database tells nobody of it
