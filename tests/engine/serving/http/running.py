"""A small server on a loopback port, and ways to talk to it: the official client, aiohttp, bare sockets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import aiohttp
import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.routing import BaseRoute
from tests.engine.small_server import server_of, tool_of, worded
from tests.loopback import Plain, on_loopback

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
    "MODERN",
    "Era",
    "Running",
    "envelope",
    "running",
]

Json: TypeAlias = Any
Era = Literal["2025", "2026"]

MODERN = "2026-07-28"

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


async def hear(bench: Bench, context: Context, slow: bool = False, unsayable: bool = False) -> dict[str, Any]:
    """Tell whether the answer went out, once that is known; the answer may be none that JSON can say."""
    told = context.when_answered(lambda went_out: bench.ended.put_nowait(f"went out: {went_out}"))
    bench.arrived.put_nowait(f"will hear: {told}")
    if slow:
        await bench.released.wait()
    return {"text": "half a character: \ud83d" if unsayable else "heard"}


TOOLS = [tool_of(function) for function in (echo, who, hold, count, late, hear)]


@dataclass(frozen=True)
class Running(Plain):
    """A server that runs."""

    app: HttpApp
    front: KeyFront
    server: uvicorn.Server
    bench: Bench
    state: State
    subscriptions: Subscriptions
    sessions: Sessions

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
    try:
        async with on_loopback(app, drain_seconds) as (server, port):
            try:
                async with aiohttp.ClientSession() as http:
                    yield Running(port, http, "Bearer tester", app, front, server, bench, kept, subscriptions, sessions)
            finally:
                bench.released.set()
    finally:
        if state is None:
            await kept.close()
