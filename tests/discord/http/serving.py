"""`discord-mcp serve --http` as its operator runs it: a process of its own on a free port, talked to over HTTP."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import aiohttp
import orjson
from tests.discord.cli.shell import HELLO, Ran, Running, started

from accord.discord.sandbox import Sandbox

__all__ = ["ACCESS_TOKEN", "Served", "served", "variables"]

Json: TypeAlias = Any

ACCESS_TOKEN = "test-access-token-of-forty-characters-xx"

IMPATIENT = """
from accord.discord.cli.http import Address, serve_http
raise SystemExit(serve_http(Address(port=0, drain_seconds={seconds}), sandbox=False))
"""


@dataclass
class Served:
    """A server that runs."""

    running: Running
    port: int
    http: aiohttp.ClientSession
    logged: list[Json]
    session: str = ""

    @property
    def url(self) -> str:
        """Where MCP is."""
        return f"http://127.0.0.1:{self.port}/mcp"

    async def post(self, method: str, params: Json = None, *, key: str = ACCESS_TOKEN, **more: Json) -> Json:
        """Post a request and return its status, its headers and its answer."""
        headers = {"authorization": f"Bearer {key}"} | ({"mcp-session-id": self.session} if self.session else {})
        message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
        async with self.http.post(self.url, json={**message, **more}, headers=headers) as answer:
            self.session = answer.headers.get("mcp-session-id", self.session)
            return answer.status, await answer.json()

    async def greet(self) -> None:
        """Shake hands."""
        status, _ = await self.post("initialize", HELLO)
        assert status == 200

    async def call(self, tool: str, **arguments: Json) -> Json:
        """Call a tool and return its structured result."""
        _, answer = await self.post("tools/call", {"name": tool, "arguments": arguments})
        return answer["result"]["structuredContent"]

    def stop(self, number: int) -> None:
        """Send a signal."""
        self.running.process.send_signal(number)

    async def ended(self) -> Ran:
        """Wait for the end and return what was left to read."""
        return await self.running.end()


def variables(sandbox: Sandbox, **more: str) -> dict[str, str]:
    """Return the environment of a server on this sandbox."""
    own = {"DISCORD_TOKEN": sandbox.token, "DISCORD_API_BASE_URL": sandbox.base_url, "MCP_AUDIT_SINK": "none"}
    return {**own, "DISCORD_MCP_ACCESS_TOKEN": ACCESS_TOKEN, **more}


@asynccontextmanager
async def served(*words: str, env: Mapping[str, str], drain_seconds: int | None = None) -> AsyncIterator[Served]:
    """Start the server and wait until it is ready; with `drain_seconds`, one that stops that impatiently."""
    command = ("serve", "--http", "--port", "0", *words)
    other = ("-c", IMPATIENT.format(seconds=drain_seconds))
    process = started(*command, **env) if drain_seconds is None else started(*other, program=sys.executable, **env)
    async with process as running, aiohttp.ClientSession() as http:
        logged = await _until_ready(running)
        yield Served(running, logged[-1]["port"], http, logged)


async def _until_ready(running: Running) -> list[Json]:
    stderr = running.process.stderr
    assert stderr is not None
    logged: list[Json] = []
    async with asyncio.timeout(20):
        while not logged or logged[-1].get("event") != "ready":
            line = await stderr.readline()
            assert line, "it ended before it was ready"
            logged.append(orjson.loads(line))
    return logged
