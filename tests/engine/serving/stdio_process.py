"""A server process that a test drives with bytes, and whose notes on stderr tell how far it is."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["PROGRAM", "Process", "call", "cancel", "started"]

PROGRAM = Path(__file__).with_name("stdio_program.py")
MESSAGE_LIMIT_BYTES = 64 * 1024 * 1024
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bytes", "version": "1"},
}


def message(method: str, params: dict[str, Any] | None = None, **more: Any) -> bytes:
    """Return one line of JSON-RPC."""
    return orjson.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {}), **more}) + b"\n"


def call(request_id: int, tool: str, **arguments: Any) -> bytes:
    """Return the line that calls a tool."""
    return message("tools/call", {"name": tool, "arguments": arguments}, id=request_id)


def cancel(request_id: object) -> bytes:
    """Return the line that gives a call up."""
    return message("notifications/cancelled", {"requestId": request_id})


class Process:
    """A running server: what is sent are bytes, what comes back must be JSON-RPC, a line each."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stderr is not None
        self.process = process
        self.stdin, self.stderr = process.stdin, process.stderr
        self.stdout = process.stdout or asyncio.StreamReader()
        self.said: list[str] = []

    async def send(self, *lines: bytes) -> None:
        """Write lines to the server."""
        self.stdin.writelines(lines)
        await self.stdin.drain()

    async def shake_hands(self) -> dict[str, Any]:
        """Open the session of the handshake era."""
        await self.send(message("initialize", INITIALIZE, id=0), message("notifications/initialized"))
        return await self.receive()

    async def receive(self) -> dict[str, Any]:
        """Return the next message."""
        return _message(await self.stdout.readline())

    async def rest(self) -> list[dict[str, Any]]:
        """Return what is sent until the server ends."""
        return [_message(line) for line in (await self.stdout.read()).splitlines()]

    async def noted(self, word: str) -> None:
        """Wait until the server says on stderr that it is so far."""
        while (line := (await self.stderr.readline()).decode().strip()) != f"note: {word}":
            assert line or not self.stderr.at_eof(), f"the server ended before it was {word}"
            self.said.append(line)

    async def end(self) -> int:
        """Close the server's stdin and return its exit code."""
        self.stdin.close()
        self.said += (await self.stderr.read()).decode().splitlines()
        return await self.process.wait()


def _message(line: bytes) -> dict[str, Any]:
    value: dict[str, Any] = orjson.loads(line)
    assert value["jsonrpc"] == "2.0"
    return value


@asynccontextmanager
async def started(**options: Any) -> AsyncIterator[Process]:
    """Start the program; it is ended with the context, whatever happened."""
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "default", str(PROGRAM), **{**pipes, "limit": MESSAGE_LIMIT_BYTES, **options}
    )
    try:
        yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
