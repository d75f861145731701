"""`deside-mcp serve` as its operator runs it: a process of its own, on a free port, with a database of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from tests.deside.cli.command import started
from tests.discord.cli.shell import Running

__all__ = ["Served", "served"]

Json: TypeAlias = Any

START_SECONDS = 30

UNLIMITED = {
    "OAUTH_SIGN_INS_PER_5_MIN": "0",
    "OAUTH_CHALLENGES_PER_MIN": "0",
    "OAUTH_REGISTRATIONS_PER_5_MIN": "0",
    "DESIDE_ANONYMOUS_SESSIONS_PER_MIN": "0",
}
"""All of a test's wallets sign in from one address."""


@dataclass
class Served:
    """A server that runs, and what it logged."""

    running: Running
    url: str
    logged: list[bytes] = field(default_factory=list)

    async def stop(self, number: int) -> int:
        """Send a signal and return the exit code."""
        self.running.process.send_signal(number)
        return await self.running.process.wait()


@asynccontextmanager
async def served(folder: Path, *words: str, port: int = 0, **variables: str) -> AsyncIterator[Served]:
    """Start the server with its database in this folder, and wait until it is ready."""
    environment = {**UNLIMITED, **variables}
    async with started("serve", "--port", str(port), *words, home=folder, **environment) as running:
        found = Served(running, "")
        async with asyncio.timeout(START_SECONDS):
            found.url = f"http://127.0.0.1:{await _port(found)}"
        draining = asyncio.ensure_future(_drain(found))
        try:
            yield found
        finally:
            draining.cancel()


async def _port(served: Served) -> int:
    while True:
        line = await _line(served)
        assert line, b"".join(served.logged).decode()
        said: Json = orjson.loads(line) if line.startswith(b"{") else {}
        if said.get("event") == "ready":
            return int(said["port"])


async def _drain(served: Served) -> None:
    """Keep what it logs: a pipe that nobody reads would hold it up."""
    while await _line(served):
        pass


async def _line(served: Served) -> bytes:
    assert served.running.process.stderr is not None
    line = await served.running.process.stderr.readline()
    served.logged.append(line)
    return line
