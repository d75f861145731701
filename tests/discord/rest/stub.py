"""A Discord on loopback that answers as a test says, and a client for it that never waits long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
from aiohttp import web

from accord.discord.rest.client import Discord
from accord.discord.rest.exchange import Attempt
from accord.discord.rest.resilience import Policy
from accord.discord.rest.resilience.bulkhead import Bulkhead
from accord.discord.rest.resilience.circuit import CircuitBreaker
from accord.discord.rest.resilience.retry import Retry
from accord.discord.rest.resilience.timeout import Timeout
from accord.engine.secrets import Secret

TOKEN = Secret("MTIzNDU2.Gabc.secret")


Act = web.Response | bytes | str
Sleep = Callable[[float], Awaitable[None]]


class Stub:
    """Answers each request with the next of `acts`, then with an empty object.

    `reset` drops the connection, `hang` never answers, `cut` breaks off within the answer; bytes are sent as they are.
    """

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self.seen: list[web.BaseRequest] = []
        self.bodies: list[bytes] = []
        self.arrived = asyncio.Event()
        self.abandoned = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def paths(self) -> list[str]:
        return [request.raw_path for request in self.seen]

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.seen.append(request)
        self.bodies.append(await request.content.read())
        self.arrived.set()
        act = self.acts.pop(0) if self.acts else json(200, {})
        if isinstance(act, web.Response):
            return web.Response(status=act.status, body=act.body, headers=act.headers)  # each can be sent only once
        assert request.transport is not None
        if isinstance(act, bytes):
            request.transport.write(act)
            return web.Response()
        return await ACTS[act](self, request)

    async def hang(self, _request: web.BaseRequest) -> web.StreamResponse:
        try:
            await asyncio.Event().wait()
        finally:
            self.abandoned.set()
        raise AssertionError("never reached")

    async def reset(self, request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def cut(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b'{"id":')
        return await self.reset(request)


ACTS: dict[str, Callable[[Stub, web.BaseRequest], Awaitable[web.StreamResponse]]] = {
    "hang": Stub.hang,
    "reset": Stub.reset,
    "cut": Stub.cut,
}


def json(status: int, body: object, **headers: str) -> web.Response:
    return web.Response(
        status=status,
        body=orjson.dumps(body),
        headers={"Content-Type": "application/json", "Via": "1.1 google", **headers},
    )


def limited(seconds: float) -> web.Response:
    return json(429, {"message": "You are being rate limited.", "retry_after": seconds, "global": False})


def page(status: int, text: str = "error code: 1015") -> web.Response:
    return web.Response(status=status, text=f"<html>{text}</html>", content_type="text/html")


@asynccontextmanager
async def listening(stub: Stub) -> AsyncIterator[Stub]:
    runner = web.ServerRunner(web.Server(stub.answer, handler_cancellation=True), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stub.port = runner.addresses[0][1]
    try:
        yield stub
    finally:
        await runner.cleanup()


class Waits(list[int]):
    """The waits of a client in milliseconds, which take no time."""

    async def __call__(self, seconds: float) -> None:
        self.append(round(seconds * 1000))


def policy(sleep: Sleep | None = None, **changes: Any) -> Policy:
    settings: dict[str, Any] = {"retries": 3, "threshold": 10, "limit": 100, "timeout_ms": 5000} | changes
    return Policy(
        circuit=CircuitBreaker(failure_threshold=settings["threshold"], half_open_after_ms=5000),
        retry=Retry(
            retries=settings["retries"],
            base_wait_ms=50,
            longest_wait_ms=500,
            jitter="none",
            sleep=Waits() if sleep is None else sleep,
        ),
        bulkhead=Bulkhead(settings["limit"]),
        timeout=Timeout(settings["timeout_ms"]),
    )


@asynccontextmanager
async def client(
    base_url: str,
    *,
    token: Secret | None = TOKEN,
    on_attempt: Callable[[Attempt], None] | None = None,
    sleep: Sleep | None = None,
    **changes: Any,
) -> AsyncIterator[Discord]:
    discord = Discord(token, policy=policy(sleep, **changes), base_url=base_url, on_attempt=on_attempt)
    try:
        yield discord
    finally:
        await discord.aclose()


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
