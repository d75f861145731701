"""Who is compared: the server, a skeleton of stock parts, and the HTTP client alone, on one stand-in for Discord."""

from __future__ import annotations

import os
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import orjson
from bench.child import Child, module, started
from bench.figures import Slice
from bench.loads import BOT_ID, Load
from bench.stdio import McpClient

SERVER = (str(Path(sys.executable).with_name("discord-mcp")), "serve")
SKELETON = module("skeleton")


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


def settings(root: str) -> Mapping[str, str]:
    """Return the environment of a server: this one's without its own settings, and those of the bench."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("DISCORD_", "MCP_"))}
    return ours | {
        # No token of anybody's: a real one begins with the bot's id in base64, so this one does.
        "DISCORD_TOKEN": ".".join([b64encode(BOT_ID.encode()).decode().rstrip("="), "bench1", "m" * 38]),
        "DISCORD_API_BASE_URL": f"{root}/api",
        "DISCORD_GLOBAL_REQUESTS_PER_SECOND": "0",  # the stand-in has no limit; with the usual 50 only that would show
        "LOG_LEVEL": "error",
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
