"""One POST and its answer: JSON when nothing was sent in between, a stream of events from the first thing that was."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
from mcp import types
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data, progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext

from accord.engine.logs import logger
from accord.engine.nouns import Caller, Hear
from accord.engine.serving.guard import Headers, accepts
from accord.engine.serving.wire import encoded

if TYPE_CHECKING:
    from mcp.shared.dispatcher import CallOptions
    from starlette.types import Receive, Send

__all__ = ["PING", "STREAM_HEADERS", "Exchange", "Incoming", "Waiting", "disconnected", "event"]

Json: TypeAlias = Any
Work: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]
Answer: TypeAlias = types.JSONRPCResponse | types.JSONRPCError

WATCH_SECONDS = 0.25
"""From when on it is watched whether the client is still there: most calls are over by then."""

PING = b": ping\n\n"
"""A comment, which keeps proxies from closing a silent stream."""

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back otherwise
]

STOPPED = types.ErrorData(
    code=types.INTERNAL_ERROR, message="the server stopped before the request was done; its outcome is not known"
)

_log = logger("accord.http")


def event(data: bytes) -> bytes:
    """Return one server-sent event that carries a message."""
    return b"event: message\ndata: " + data + b"\n\n"


async def disconnected(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class Incoming:
    """One HTTP request that was let in: who calls, with which headers, and the way its answer goes.

    It is what the SDK's handlers find as their context's `request`. `address` is where it comes from, empty where that
    is not known; `hearers` are told what becomes of the answer.
    """

    caller: Caller
    headers: Headers = field(repr=False)  # a bearer stands there
    receive: Receive
    send: Send
    address: str = ""
    hearers: list[Hear] = field(default_factory=list)

    @property
    def streams(self) -> bool:
        """Whether the client takes a stream of events; without one nothing can be sent before the answer."""
        return accepts(self.headers, "text/event-stream")


class Waiting:
    """The questions that were sent to one client and are not answered yet."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._futures: dict[str, asyncio.Future[Json]] = {}

    def ask(self) -> tuple[str, asyncio.Future[Json]]:
        """Return an id for a question, and the future of its answer."""
        number = f"s{next(self._numbers)}"
        future = self._futures[number] = asyncio.get_running_loop().create_future()
        return number, future

    def answered(self, message: Answer) -> None:
        """Hand an answer to who waits for it; one that nobody waits for is dropped."""
        future = self._futures.pop(str(message.id), None)
        if future is None or future.done():
            return
        if isinstance(message, types.JSONRPCError):
            future.set_exception(MCPError.from_error_data(message.error))
        else:
            future.set_result(message.result)

    def forget(self, number: str) -> None:
        """Wait for this one no longer."""
        self._futures.pop(number, None)


class Exchange:
    """The SDK's context of one request that came by POST, and the way its answer goes out.

    Without a session (2026) a request stands alone: it cannot ask, its HTTP status says what failed, and hanging up
    cancels it. In a session (2025) the status is what it is made with, since a 404 would say that the session is over.

    Args:
        request: The JSON-RPC request.
        incoming: The HTTP request that brought it.
        waiting: Where the session's answers to questions arrive; None without a session.
        status: The HTTP status of an answer in a session.
        headers: Stand on the answer too.
        ping_seconds: How long a stream may be silent, and from when on a slow answer becomes one.
    """

    def __init__(
        self,
        request: types.JSONRPCRequest,
        incoming: Incoming,
        *,
        waiting: Waiting | None,
        ping_seconds: float,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.request_id: types.RequestId | None = request.id
        self.cancel_requested = anyio.Event()
        self.message_metadata = ServerMessageMetadata(request_context=incoming)
        self.can_send_request = incoming.streams and waiting is not None
        self.transport = TransportContext(
            kind="streamable-http", can_send_request=self.can_send_request, headers=incoming.headers
        )
        self._id = request.id
        self._incoming = incoming
        self._waiting = waiting
        self._ping_seconds = ping_seconds
        self._status_in_session = status
        self._headers = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        self._token = progress_token_from_params(request.params)
        self._started = False
        self._over = False
        self._gone = False
        self._went_out = False
        self._scope = anyio.CancelScope()
        self._lock = asyncio.Lock()

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:  # noqa: ARG002 - the SDK's signature
        """Send a notification on this request's stream."""
        message = types.JSONRPCNotification(jsonrpc="2.0", method=method, params=dict(params) if params else None)
        await self._write(event(encoded(message)))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, if the request carried a token."""
        if self._token is None:
            return
        facts = {"progressToken": self._token, "progress": progress, "total": total, "message": message}
        await self.notify("notifications/progress", {name: fact for name, fact in facts.items() if fact is not None})

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Ask the client on this request's stream; its answer comes with another POST.

        Raises:
            NoBackChannelError: There is no way back to the client.
        """
        if self._waiting is None or not self._incoming.streams:
            raise NoBackChannelError(method)
        number, future = self._waiting.ask()
        try:
            message = types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params or {}))
            await self._write(event(encoded(message)))
            async with asyncio.timeout((opts or {}).get("timeout")):
                answer: dict[str, Any] = await future
                return answer
        finally:
            self._waiting.forget(number)

    def cancel(self) -> None:
        """Stop the work: its client wants no answer any more."""
        self.cancel_requested.set()
        self._scope.cancel()

    async def run(self, work: Work) -> None:
        """Do the work and send its answer; work that its client cancelled ends without one.

        Where the task itself is cancelled, the server stops: the client hears that the outcome is not known.
        """
        timers = [_Later(self._ping_seconds, self._ping), _Later(WATCH_SECONDS, self._watch)]
        try:
            with self._scope:
                message = await _outcome(self._id, work)
            await (self._end() if self._scope.cancelled_caught else self._answer(message))
        except asyncio.CancelledError:
            _log.warning("a request was cut off, since the server stops")
            await self._answer(types.JSONRPCError(jsonrpc="2.0", id=self._id, error=STOPPED))
        finally:
            for timer in timers:
                timer.cancel()
            self._tell()

    def _tell(self) -> None:
        """Tell who wants to know whether the answer went out."""
        for hear in self._incoming.hearers:
            try:
                hear(self._went_out)
            except Exception:  # noqa: BLE001 - a hearer's bug is not the exchange's
                _log.exception("who hears of an answer raised")

    async def _end(self) -> None:
        async with self._lock:
            if not self._started:
                await self._start(202, [(b"content-length", b"0")])
            await self._finish(b"")

    async def _answer(self, message: Answer) -> None:
        body = encoded(message)
        async with self._lock:
            if self._over:
                return
            if self._started:
                await self._finish(event(body))
                self._went_out = self._is_received(message)
                return
            length = (b"content-length", str(len(body)).encode())
            await self._start(self._status(message), [(b"content-type", b"application/json"), length])
            await self._finish(body)
            self._went_out = self._is_received(message)

    def _is_received(self, message: Answer) -> bool:
        """Whether this is what the work came to, which a failure is not, and somebody was there to read it."""
        return isinstance(message, types.JSONRPCResponse) and not message.result.get("isError") and not self._gone

    def _status(self, message: Answer) -> int:
        if isinstance(message, types.JSONRPCResponse) or self._waiting is not None:
            return self._status_in_session
        return ERROR_CODE_HTTP_STATUS.get(message.error.code, 200)

    async def _write(self, frame: bytes) -> None:
        """Send a part of the stream, if the client takes one and the answer is not out yet."""
        async with self._lock:
            if self._over or not self._incoming.streams:
                return
            if not self._started:
                await self._start(200, STREAM_HEADERS)
            await self._incoming.send({"type": "http.response.body", "body": frame, "more_body": True})

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self._started = True
        await self._incoming.send(
            {"type": "http.response.start", "status": status, "headers": [*headers, *self._headers]}
        )

    async def _finish(self, body: bytes) -> None:
        self._over = True
        await self._incoming.send({"type": "http.response.body", "body": body, "more_body": False})

    async def _ping(self) -> None:
        while True:
            await self._write(PING)
            await asyncio.sleep(self._ping_seconds)

    async def _watch(self) -> None:
        """Note that the client has gone. Its call goes on in a session, where it may come back for the outcome."""
        await disconnected(self._incoming.receive)
        self._gone = True
        if self._waiting is None:
            self.cancel()


class _Later:
    """Starts something after a while, unless it was cancelled by then; a short exchange never pays for a task."""

    __slots__ = ("_handle", "_start", "_task")

    def __init__(self, seconds: float, start: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._start = start
        self._task: asyncio.Task[None] | None = None
        self._handle = asyncio.get_running_loop().call_later(seconds, self._begin)

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._start())

    def cancel(self) -> None:
        """Do not start it, or stop it."""
        self._handle.cancel()
        if self._task is not None:
            self._task.cancel()


async def _outcome(request_id: types.RequestId, work: Work) -> Answer:
    try:
        return types.JSONRPCResponse(jsonrpc="2.0", id=request_id, result=await work())
    except Exception as raised:  # noqa: BLE001 - the boundary to the wire: nothing of an exception gets out
        error = handler_exception_to_error_data(raised)
        if error is None:
            _log.exception("a handler raised")
            error = types.ErrorData(code=types.INTERNAL_ERROR, message="Internal server error")
        return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
