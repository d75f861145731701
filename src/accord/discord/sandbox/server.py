"""The one room with a socket: bytes in, the answer of whoever serves that part of the address out."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias

from aiohttp import web

from accord.discord.sandbox import codes
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.wire import NO_ANSWER, Answer, Request, refusal

HOST = "127.0.0.1"
MOST_BODY_BYTES = 30 * 1024 * 1024

Serve: TypeAlias = Callable[[Request], Awaitable[Answer]]


def loopback_socket(port: int) -> socket.socket:
    """A socket that listens on 127.0.0.1, for port 0 at any free port; raises OSError for one that is taken."""
    return socket.create_server((HOST, port))


@asynccontextmanager
async def serving(listener: socket.socket, rooms: Mapping[str, Serve]) -> AsyncIterator[None]:
    """Serve each path by the first room whose prefix it has, until the block ends."""
    app = web.Application(client_max_size=MOST_BODY_BYTES)
    app.router.add_route("*", "/{path:.*}", _doorkeeper(rooms))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        yield
    finally:
        await runner.cleanup()


def _doorkeeper(rooms: Mapping[str, Serve]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def serve(incoming: web.Request) -> web.StreamResponse:
        path, _mark, query = incoming.raw_path.partition("?")
        prefix = next((each for each in rooms if path.startswith(each + "/")), None)
        if prefix is None:
            return _outgoing(incoming, refusal(Refused(codes.NOT_FOUND)))
        try:
            body = await incoming.read()
        except web.HTTPRequestEntityTooLarge:
            return _outgoing(incoming, refusal(Refused(codes.REQUEST_TOO_LARGE)))
        headers = {name.lower(): value for name, value in incoming.headers.items()}
        request = Request(incoming.method, path.removeprefix(prefix), query, headers, body)
        return _outgoing(incoming, await rooms[prefix](request))

    return serve


def _outgoing(incoming: web.Request, answer: Answer) -> web.StreamResponse:
    if answer.status == NO_ANSWER.status and incoming.transport is not None:
        incoming.transport.abort()
        return web.Response()
    return web.Response(status=answer.status, headers=answer.headers, body=answer.body or None)
