"""A lean stdio transport: the event loop reads and writes the pipes itself, and messages are JSON once each way.

The SDK's own transport makes three hops between threads a message. Where pipes cannot be watched (Windows, files), it
serves.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import orjson
from mcp import types
from mcp.server.runner import serve_loop
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage

from accord.engine.logs import logger
from accord.engine.serving.wire import encoded, parsed

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.models import InitializationOptions

__all__ = ["run_stdio"]

Item: TypeAlias = "SessionMessage | Exception"

_log = logger("accord.stdio")

MESSAGE_BYTES = 32 * 1024 * 1024
"""The longest line that is read: an upload of 10 files as base64 fits, a runaway client does not."""

READ_AHEAD = 256
"""How many messages wait for the server before reading pauses, so that a fast client cannot fill the memory."""

WRITE_AHEAD_BYTES = 1024 * 1024
"""How much may wait for a client that reads slowly before answers wait themselves."""

DRAIN_SECONDS = 5.0
"""How long calls under way may finish after the client closed its end."""


class Lines(asyncio.Protocol):
    """Cuts what comes in into lines, and pauses the pipe while too many wait."""

    def __init__(self) -> None:
        self._transport: asyncio.ReadTransport | None = None
        self._rest = bytearray()
        self._lines: deque[bytes] = deque()
        self._arrived = asyncio.Event()
        self._ended = False
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the pipe, to pause it."""
        assert isinstance(transport, asyncio.ReadTransport)  # noqa: S101 - connect_read_pipe makes one
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep whole lines, and the beginning of the next."""
        self._rest += data
        if b"\n" in data:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
            self._lines.extend(line for line in lines if line.strip())
            self._arrived.set()
        if len(self._rest) > MESSAGE_BYTES:
            self._give_up()
        if len(self._lines) > READ_AHEAD and self._transport:
            self._transport.pause_reading()
            self._paused = True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Take a lost pipe as its end."""
        self._end()

    def eof_received(self) -> None:
        """Take the last line even where it has no end."""
        if self._rest.strip():
            self._lines.append(bytes(self._rest))
            self._rest.clear()
        self._end()

    def _give_up(self) -> None:
        _log.error("a message is longer than can be read: the connection ends", limit_bytes=MESSAGE_BYTES)
        self._rest.clear()
        if self._transport:
            self._transport.close()
        self._end()

    def _end(self) -> None:
        self._ended = True
        self._arrived.set()

    async def next(self) -> bytes | None:
        """Return the next line, or None when there will be none."""
        while not self._lines:
            if self._ended:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        if self._paused and len(self._lines) < READ_AHEAD // 2 and self._transport:
            self._paused = False
            self._transport.resume_reading()
        return self._lines.popleft()


class Pipe(asyncio.BaseProtocol):
    """The way out, with the loop's own flow control."""

    def __init__(self) -> None:
        self._writable = asyncio.Event()
        self._writable.set()
        self.closed = asyncio.Event()

    def pause_writing(self) -> None:
        """Hold writers while the client does not read."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let writers go on."""
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Let nobody wait for a client that is gone."""
        self._writable.set()
        self.closed.set()

    async def drained(self) -> None:
        """Wait until there is room."""
        while not self._writable.is_set():
            await self._writable.wait()


class _Pending:
    """The requests that are not answered yet, so that the end of input does not cut them off."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._settled = asyncio.Event()
        self._settled.set()

    def came(self, message: types.JSONRPCMessage) -> None:
        """Note a request, or that one was cancelled."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
            self._settled.clear()
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self.went(cancelled_request_id_from_params(message.params))

    def went(self, request_id: Any) -> None:
        """Note an answer."""
        self._ids.discard(request_id)
        if not self._ids:
            self._settled.set()

    async def settle(self) -> None:
        """Wait until all are answered, for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._settled.wait()


class Inbound:
    """The SDK's read stream: messages as they come in."""

    def __init__(self, lines: Lines, pending: _Pending) -> None:
        self._lines = lines
        self._pending = pending
        self._peeked: deque[Item] = deque()

    async def peek(self) -> types.JSONRPCMessage | None:
        """Return the first message that is one, and keep it to be read; None when there is none."""
        waiting: list[Item] = []
        async for item in self:
            waiting.append(item)
            if isinstance(item, SessionMessage):
                break
        self._peeked.extend(waiting)
        last = waiting[-1] if waiting else None
        return last.message if isinstance(last, SessionMessage) else None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        if self._peeked:
            return self._peeked.popleft()
        line = await self._lines.next()
        if line is None:
            await self._pending.settle()
            raise StopAsyncIteration
        return self._message(line)

    async def receive(self) -> Item:
        """Return the next message, or an exception for a line that is none."""
        try:
            return await anext(self)
        except StopAsyncIteration:
            import anyio  # noqa: PLC0415 - the SDK's way to say it

            raise anyio.EndOfStream from None

    def _message(self, line: bytes) -> Item:
        try:
            message = parsed(orjson.loads(line))
        except ValueError as error:
            return error
        self._pending.came(message)
        return SessionMessage(message)

    async def aclose(self) -> None:
        """Have nothing to close: the pipe is closed by its owner."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class Outbound:
    """The SDK's write stream: one line a message."""

    def __init__(self, transport: asyncio.WriteTransport, pipe: Pipe, pending: _Pending) -> None:
        self._transport = transport
        self._pipe = pipe
        self._pending = pending

    async def send(self, item: SessionMessage, /) -> None:
        """Write the message once there is room for it.

        The wait stands before the write: a busy pipe is never empty, and who waited for that after its own message was
        long gone would hold on to it, and so would thousands after it.
        """
        message = item.message
        line = encoded(message) + b"\n"
        await self._pipe.drained()
        self._transport.write(line)
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._pending.went(message.id)

    async def aclose(self) -> None:
        """Have nothing to close: the pipe is closed by its owner."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


@asynccontextmanager
async def _pipes() -> AsyncIterator[tuple[Inbound, Outbound]]:
    """Take stdin and stdout for the protocol; whatever else prints, a child process too, goes to stderr."""
    loop = asyncio.get_running_loop()
    reading, writing = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    blocking = {fd: os.get_blocking(fd) for fd in (reading, writing)}
    pending, lines, pipe = _Pending(), Lines(), Pipe()
    source, _ = await loop.connect_read_pipe(lambda: lines, os.fdopen(reading, "rb", buffering=0, closefd=False))
    sink, _ = await loop.connect_write_pipe(lambda: pipe, os.fdopen(writing, "wb", buffering=0, closefd=False))
    sink.set_write_buffer_limits(high=WRITE_AHEAD_BYTES)
    try:
        yield Inbound(lines, pending), Outbound(sink, pipe, pending)
    finally:
        source.close()
        sink.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await pipe.closed.wait()
        for fd, was in blocking.items():
            with suppress(OSError):
                os.set_blocking(fd, was)
        os.dup2(writing, 1)


def _watchable() -> bool:
    """Whether the event loop can watch stdin and stdout: pipes, sockets and terminals, but not files nor /dev/null."""
    return sys.platform != "win32" and _is_watchable(0) and _is_watchable(1)


def _is_watchable(fd: int) -> bool:
    kind = os.fstat(fd).st_mode
    return stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or os.isatty(fd)


async def _run(server: Server[Any], inbound: Inbound, outbound: Outbound, options: InitializationOptions) -> None:
    """Serve a connection in the era that its first request opens.

    `Server.run` finds that out by itself, and then relays every message through a stream of its own; a client that
    begins with a handshake is spared that.
    """
    first = await inbound.peek()
    if not (isinstance(first, types.JSONRPCRequest) and first.method == "initialize"):
        await server.run(inbound, outbound, options)
        return
    async with server.lifespan(server) as state:
        await serve_loop(server, inbound, outbound, lifespan_state=state, init_options=options)


async def run_stdio(server: Server[Any]) -> None:
    """Serve the process's stdin and stdout until the client closes its end."""
    options = server.create_initialization_options()
    if _watchable():
        async with _pipes() as (inbound, outbound):
            await _run(server, inbound, outbound, options)
        return
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - only where pipes cannot be watched

    async with stdio_server() as (read, write):
        await server.run(read, write, options)
