"""An application on a free loopback port of this process, and what clients say to it in plain HTTP."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import aiohttp
import orjson
import uvicorn

from accord.engine import HttpApp

__all__ = ["HELLO", "PING", "Answer", "Plain", "block_of", "event_of", "on_loopback", "post_of"]

Json: TypeAlias = Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


@dataclass(frozen=True)
class Answer:
    """What an HTTP request came back as."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        """The body as JSON."""
        return orjson.loads(self.body)

    @property
    def frames(self) -> list[Json]:
        """The messages of a stream of events."""
        blocks = [block for block in self.body.decode().split("\n\n") if block and not block.startswith(":")]
        assert all(block.startswith("event: message\ndata: ") for block in blocks)
        return [orjson.loads(block.removeprefix("event: message\ndata: ")) for block in blocks]


@dataclass(frozen=True)
class Plain:
    """A client on bare HTTP; what it says is authorized as `authorization` says, unless it says otherwise."""

    port: int
    http: aiohttp.ClientSession
    authorization: str | None

    @property
    def url(self) -> str:
        """Where MCP is."""
        return f"http://127.0.0.1:{self.port}/mcp"

    async def send(self, method: str, path: str = "/mcp", *, body: Json = None, **headers: str | None) -> Answer:
        """Send one request and read the whole answer; a header given as None is left out."""
        async with self.opened(method, path, body=body, **headers) as answer:
            return Answer(answer.status, answer.headers, await answer.read())

    def opened(
        self, method: str, path: str, *, body: Json = None, **headers: str | None
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """Send one request and return its answer as it comes."""
        own = {"authorization": self.authorization, "content-type": "application/json"}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in {**own, **given}.items() if value is not None}
        content = body if isinstance(body, bytes | None) else orjson.dumps(body)
        url = f"http://127.0.0.1:{self.port}{path}"
        return self.http.request(method, url, data=content, headers=sent, skip_auto_headers=["Content-Type", "Accept"])

    @asynccontextmanager
    async def stream(self, session: str, **headers: str | None) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open a session's stream."""
        async with self.opened("GET", "/mcp", mcp_session_id=session, accept="text/event-stream", **headers) as answer:
            assert answer.status == 200
            yield answer

    async def post(self, body: Json, **headers: str | None) -> Answer:
        """Post a message."""
        return await self.send("POST", "/mcp", body=body, **headers)

    async def greet(self, params: Json = None, **headers: str | None) -> str:
        """Shake hands as a client of the 2025 era and return the session's id."""
        answer = await self.post(post_of("initialize", params or HELLO), **headers)
        assert answer.status == 200, answer.body
        return answer.headers["mcp-session-id"]

    async def call(
        self,
        tool: str,
        arguments: Json = None,
        *,
        id: Json = 7,  # noqa: A002 - JSON-RPC's word
        meta: Json = None,
        **headers: str | None,
    ) -> Answer:
        """Call a tool in a session."""
        params = {"name": tool, "arguments": arguments or {}} | ({} if meta is None else {"_meta": meta})
        return await self.post(post_of("tools/call", params, id=id), **headers)


PING = b": ping\n\n"


async def block_of(answer: aiohttp.ClientResponse) -> bytes:
    """Return the next block of a stream of events, with its end."""
    return await answer.content.readuntil(b"\n\n")


async def event_of(answer: aiohttp.ClientResponse) -> Json:
    """Return the next message of a stream of events; comments are passed over."""
    block = PING
    while block.startswith(b":"):
        block = await block_of(answer)
    start = b"event: message\ndata: "
    assert block.startswith(start)
    return orjson.loads(block.removeprefix(start))


def post_of(method: str, params: Json = None, *, id: Json = 1) -> dict[str, Json]:  # noqa: A002 - JSON-RPC's word
    """Return a JSON-RPC request; without an id, a notification."""
    message = {"jsonrpc": "2.0", "method": method} | ({} if id is None else {"id": id})
    return message if params is None else {**message, "params": params}


@asynccontextmanager
async def on_loopback(app: HttpApp, drain_seconds: int = 5) -> AsyncIterator[tuple[uvicorn.Server, int]]:
    """Serve until the block ends; its streams end then."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or an answer's second half is late
    config = uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=drain_seconds, lifespan="on"
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup([listener])
    try:
        yield server, listener.getsockname()[1]
    finally:
        app.end_streams()
        await _ended(server)


async def _ended(server: uvicorn.Server) -> None:
    """End a server without its own pauses, which add up over many tests."""
    for one in server.servers:
        one.close()
    if tasks := server.server_state.tasks:
        await asyncio.wait(tasks, timeout=5)
    await server.lifespan.shutdown()
