"""The installed command as a person or a host runs it: in an environment of its own, and talked to over pipes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import orjson

__all__ = ["COMMAND", "Ran", "Running", "environment", "ran", "silent_server", "started"]

Json: TypeAlias = Any

COMMAND = str(Path(sys.executable).with_name("discord-mcp"))
KEPT = ("PATH", "PYTHONPATH", "HOME", "SYSTEMROOT", "XDG_STATE_HOME", "LOCALAPPDATA")

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        """What it printed, as JSON."""
        return orjson.loads(self.out)

    @property
    def messages(self) -> list[Json]:
        """What it printed, a JSON-RPC message a line; anything else fails the test."""
        messages = [orjson.loads(line) for line in self.out.splitlines()]
        assert all(message["jsonrpc"] == "2.0" for message in messages)
        return messages


class Running:
    """A command that runs, and speaks JSON-RPC if it is a server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._last_id = 0

    def send(self, method: str, params: Json = None, **more: Json) -> None:
        """Send one message, a request if it has an `id`."""
        message = {"jsonrpc": "2.0", "method": method, **more} | ({} if params is None else {"params": params})
        self._stdin.write(orjson.dumps(message) + b"\n")

    def request(self, method: str, params: Json = None) -> None:
        """Send a request and do not wait for its answer."""
        self._last_id += 1
        self.send(method, params, id=self._last_id)

    async def line(self) -> bytes:
        """Return the next line of stdout."""
        return await self._stdout.readline()

    async def ask(self, method: str, params: Json = None) -> Json:
        """Send a request and return its result."""
        self.request(method, params)
        answer = orjson.loads(await self.line())
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", self._last_id)
        return answer["result"]

    async def greet(self) -> Json:
        """Shake hands as a client of the 2025 era."""
        result = await self.ask("initialize", HELLO)
        self.send("notifications/initialized")
        return result

    async def call(self, tool: str, **arguments: Json) -> Json:
        """Call a tool and return its structured result."""
        result = await self.ask("tools/call", {"name": tool, "arguments": arguments})
        return result["structuredContent"]

    async def end(self, signal: int | None = None) -> Ran:
        """Send a signal, or close stdin, and return what was left to read."""
        if signal is not None:
            self.process.send_signal(signal)
            out, err = await self.process.communicate()
        else:
            out, err = await self.process.communicate(b"")
        assert self.process.returncode is not None
        return Ran(self.process.returncode, out.decode(), err.decode())


def environment(**variables: str) -> dict[str, str]:
    """Return an environment 80 columns wide, with nothing in it that whoever runs the tests has set for Discord."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "COLUMNS": "80", **variables}


@asynccontextmanager
async def started(*words: str | bytes, program: str = COMMAND, **variables: str) -> AsyncIterator[Running]:
    """Start the command; it is killed if it still runs when the block ends."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        program, *words, env=environment(**variables), stdin=pipe, stdout=pipe, stderr=pipe, limit=2**24
    )
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def ran(*words: str | bytes, program: str = COMMAND, **variables: str) -> Ran:
    """Run the command to its end, with nothing on stdin."""
    async with started(*words, program=program, **variables) as running:
        return await running.end()


@asynccontextmanager
async def silent_server() -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Listen as Discord would and never answer; the event tells that something was asked."""
    asked, over = asyncio.Event(), asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        asked.set()
        await over.wait()
        writer.close()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with server:
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api", asked
        finally:
            over.set()
