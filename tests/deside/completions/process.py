"""`deside-mcp serve` in a process of its own, which can be killed, and wallets that are signed in there."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from solders.keypair import Keypair
from tests.deside.cli.command import started
from tests.discord.cli.shell import Ran, Running

from accord.deside.client import Client, LocalWallet, ToolFailedError

__all__ = ["ANN", "Process", "asked", "process"]

Json: TypeAlias = Any

ANN = LocalWallet(Keypair.from_seed((1).to_bytes(32, "big")))


@dataclass
class Process:
    """A server, and where it is."""

    running: Running
    url: str

    async def end(self, number: int = signal.SIGTERM) -> Ran:
        """Send it a signal, and return all that it wrote since it was ready."""
        return await self.running.end(number)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        """Lend Ann's client, signed in for completions."""
        async with Client.connect(self.url, ANN, scopes=("llm:invoke",)) as client:
            await client.sign_in()
            yield client


async def asked(client: Client, **arguments: Json) -> Json:
    """Ask for a completion and return what came, which may be an error's body."""
    try:
        return await client.call("llm_complete", **arguments)
    except ToolFailedError as failed:
        return failed.body


@asynccontextmanager
async def process(home: Path, **variables: str) -> AsyncIterator[Process]:
    """Start it on a free port; whoever ends it does so, else it is killed."""
    variables = {"OAUTH_SIGN_INS_PER_5_MIN": "0", "OAUTH_REGISTRATIONS_PER_5_MIN": "0"} | variables
    async with started("serve", "--port", "0", home=home, **variables) as running:
        assert running.process.stderr is not None
        async with asyncio.timeout(30):
            while b'"ready"' not in (line := await running.process.stderr.readline()):
                assert line, "it ended"
        yield Process(running, f"http://127.0.0.1:{orjson.loads(line)['port']}")
