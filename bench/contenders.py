"""Who is compared: the server, a skeleton of stock parts, and the HTTP client alone, on one stand-in for Discord."""

from __future__ import annotations

import asyncio
import os
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import orjson
from bench.child import Child, module, started
from bench.figures import Slice
from bench.loads import BOT_ID, Load
from bench.stdio import McpClient
from bench.streamable import Place

SERVER = (str(Path(sys.executable).with_name("discord-mcp")), "serve")
SKELETON = module("skeleton")

BEARER = "bench" * 8
HTTP_IN_FLIGHT = 1024
"""Instead of the usual 16, beyond which the server answers 503: a flood is to be worked off here, not refused."""


class Runner(Protocol):
    """Something that can be kept busy."""

    pid: int

    async def run(self, load: Load, in_flight: int, seconds: float) -> Slice: ...


class BareClient:
    """The request loop of bench.bare, which measures itself."""

    def __init__(self, child: Child, root: str) -> None:
        self._child = child
        self._root = root
        self.pid = child.pid

    async def run(self, load: Load, in_flight: int, seconds: float) -> Slice:
        order = orjson.dumps([f"{self._root}{load.path}", in_flight, seconds])
        return Slice(**orjson.loads(await self._child.line(order + b"\n")))


def settings(root: str) -> dict[str, str]:
    """Return the environment of a server: this one's without its own settings, and those of the bench."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("DISCORD_", "MCP_"))}
    return ours | {
        # No token of anybody's: a real one begins with the bot's id in base64, so this one does.
        "DISCORD_TOKEN": ".".join([b64encode(BOT_ID.encode()).decode().rstrip("="), "bench1", "m" * 38]),
        "DISCORD_API_BASE_URL": f"{root}/api",
        "DISCORD_GLOBAL_REQUESTS_PER_SECOND": "0",  # the stand-in has no limit; with the usual 50 only that would show
        "LOG_LEVEL": "error",
    }


def http_settings(root: str, folder: str) -> dict[str, str]:
    """Return the environment of a server over HTTP, whose state lies in a folder of its own."""
    return settings(root) | {
        "DISCORD_MCP_ACCESS_TOKEN": BEARER,
        "MCP_HTTP_MAX_IN_FLIGHT": str(HTTP_IN_FLIGHT),
        "MCP_STATE_URL": f"sqlite:///{folder}/state.db",
        "LOG_LEVEL": "info",  # it tells its port
    }


@asynccontextmanager
async def stand_in() -> AsyncIterator[tuple[Child, str]]:
    """Start the stand-in for Discord; give its process and its root URL."""
    async with started(module("stub")) as child:
        port = int(await child.line())
        yield child, f"http://127.0.0.1:{port}"


@asynccontextmanager
async def bare(root: str) -> AsyncIterator[BareClient]:
    """Start the request loop."""
    async with started(module("bare")) as child:
        yield BareClient(child, root)


@asynccontextmanager
async def serving(command: Sequence[str], root: str) -> AsyncIterator[McpClient]:
    """Start an MCP server; it has not been spoken to yet."""
    async with started(command, settings(root)) as child:
        yield McpClient(child)


@asynccontextmanager
async def listening_server(root: str) -> AsyncIterator[Place]:
    """Start the server on a free port, which it tells in its first line of log."""
    command = (*SERVER, "--http", "--port", "0")
    with TemporaryDirectory() as folder:
        async with started(command, http_settings(root, folder), stderr=asyncio.subprocess.STDOUT) as child:
            yield Place(child.pid, _port_in(await child.line()), BEARER)
            child.terminate()


@asynccontextmanager
async def listening_skeleton(root: str) -> AsyncIterator[Place]:
    """Start the skeleton on a free port."""
    async with started((*SKELETON, "--http"), settings(root)) as child:
        yield Place(child.pid, int(await child.line()), BEARER)
        child.terminate()


def _port_in(line: bytes) -> int:
    try:
        port: int = orjson.loads(line)["port"]
    except (ValueError, KeyError):
        raise ValueError(f"the server did not say its port but {line[:400]!r}") from None
    return port
