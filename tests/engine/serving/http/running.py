"""A small server on a loopback port, and ways to talk to it: the official client, aiohttp, bare sockets."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import aiohttp
import httpx2
import orjson
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.routing import BaseRoute
from tests.engine.small_server import server_of, tool_of, worded

from accord.engine import (
    Caller,
    Calls,
    Context,
    Gate,
    Hosts,
    Limits,
    Refusal,
    SessionRules,
    Sessions,
    State,
    Subscriptions,
    catalogue,
    http_app,
    open_state,
    validate,
)
from accord.engine.serving.http import HttpApp

__all__ = [
    "HEAD",
    "HELLO",
    "MODERN",
    "PING",
    "Answer",
    "Era",
    "Running",
    "block_of",
    "envelope",
    "event_of",
    "post_of",
    "running",
]

Json: TypeAlias = Any
Era = Literal["2025", "2026"]

MODERN = "2026-07-28"

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer tester\r\nContent-Type: application/json\r\n"
"""How a POST begins on a bare connection."""


class KeyFront:
    """Lets in who has a key, until it is revoked; the key is the caller's name. It may let in all others too."""

    def __init__(self, *, is_open: bool = False) -> None:
        self.revoked: set[str] = set()
        self._is_open = is_open

    async def admit(self, request: Mapping[str, str], session: str | None) -> Caller:
        """Return the caller."""
        name = request.get("authorization", "").removeprefix("Bearer ")
        if not name or name in self.revoked:
            if self._is_open:
                return Caller(id="", transport="http")
            raise Refusal(401, {"error": "unauthorized"}, {"www-authenticate": "Bearer"})
        return Caller(id=name, transport="http")


@dataclass
class Bench:
    """What the tools of one server wait for, and what became of them."""

    arrived: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    telling: list[asyncio.Future[None]] = field(default_factory=list)

    def until(self, _caller: Caller, _deadline: float) -> Bench:
        """Serve one call."""
        return self


async def echo(bench: Bench, text: str) -> dict[str, Any]:
    """Say the same."""
    return {"text": text}


async def who(bench: Bench, context: Context) -> dict[str, Any]:
    """Tell who calls."""
    return {"caller": context.call.caller.id}


async def hold(bench: Bench, name: str) -> dict[str, Any]:
    """Wait until released."""
    bench.arrived.put_nowait(name)
    try:
        await bench.released.wait()
    except asyncio.CancelledError:
        bench.ended.put_nowait(f"{name} cancelled")
        raise
    bench.ended.put_nowait(f"{name} done")
    return {"text": name}


async def count(bench: Bench, context: Context) -> dict[str, Any]:
    """Tell how far the work is."""
    for step in (1, 2):
        await context.progress(step, 2, f"step {step}")
    return {"counted": 2}


async def late(bench: Bench, context: Context) -> dict[str, Any]:
    """Go on telling after the answer is out."""

    async def tell() -> None:
        bench.arrived.put_nowait("late")
        await bench.released.wait()
        await context.progress(1, 2)
        bench.ended.put_nowait("told")

    bench.telling.append(asyncio.ensure_future(tell()))
    return {"text": "over"}


TOOLS = [tool_of(function) for function in (echo, who, hold, count, late)]


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
class Running:
    """A server that runs."""

    app: HttpApp
    front: KeyFront
    server: uvicorn.Server
    port: int
    http: aiohttp.ClientSession
    bench: Bench
    state: State
    subscriptions: Subscriptions
    sessions: Sessions

    @property
    def url(self) -> str:
        """Where MCP is."""
        return f"http://127.0.0.1:{self.port}/mcp"

    async def send(self, method: str, path: str = "/mcp", *, body: Json = None, **headers: str | None) -> Answer:
        """Send one request as `tester` and read the whole answer; a header given as None is left out."""
        async with self.opened(method, path, body=body, **headers) as answer:
            return Answer(answer.status, answer.headers, await answer.read())

    def opened(
        self, method: str, path: str, *, body: Json = None, **headers: str | None
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """Send one request and return its answer as it comes."""
        own = {"authorization": "Bearer tester", "content-type": "application/json"}
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

    @asynccontextmanager
    async def client(self, era: Era, key: str = "tester", **options: Any) -> AsyncIterator[Client]:
        """Connect the official client of one era."""
        headers = {"authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=20) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode="legacy" if era == "2025" else "auto", **options) as client:
                yield client

    @asynccontextmanager
    async def wire(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a bare connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()


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


def envelope(**params: Json) -> dict[str, Json]:
    """Return the parameters of a request of the 2026 era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {**params, "_meta": {**meta, **params.get("_meta", {})}}


@asynccontextmanager
async def running(
    *gates: Gate,
    calls: Calls | None = None,
    state: State | None = None,
    limits: Limits | None = None,
    hosts: Hosts | None = None,
    idle_seconds: float = 2700,
    clock: Callable[[], float] = time.monotonic,
    drain_seconds: int = 5,
    ready: Any = None,
    rules: SessionRules | None = None,
    exclusive: bool = False,
    routes: Iterable[BaseRoute] = (),
) -> AsyncIterator[Running]:
    """Serve on a free loopback port until the block ends; with rules of its own, the front lets in everybody."""
    bench, kept, subscriptions = Bench(), state or open_state(None), Subscriptions()
    front = KeyFront(is_open=rules is not None)
    known = calls or Calls(catalogue([TOOLS]), gates or (validate,), bench.until, worded)
    sessions = Sessions(kept, idle_seconds, exclusive=exclusive, clock=clock)
    app = http_app(
        server_of(known, state=kept, subscriptions=subscriptions),
        front,
        sessions,
        hosts or Hosts.of("127.0.0.1"),
        limits=limits,
        ready=ready,
        rules=rules,
        routes=routes,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or an answer's second half is late
    config = uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=drain_seconds, lifespan="on"
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup([listener])
    http = aiohttp.ClientSession()
    try:
        yield Running(app, front, server, listener.getsockname()[1], http, bench, kept, subscriptions, sessions)
    finally:
        await http.close()
        bench.released.set()
        app.end_streams()
        await _ended(server)
        if state is None:
            await kept.close()


async def _ended(server: uvicorn.Server) -> None:
    """End a server without its own pauses, which add up over many tests."""
    for one in server.servers:
        one.close()
    if tasks := server.server_state.tasks:
        await asyncio.wait(tasks, timeout=5)
    await server.lifespan.shutdown()
