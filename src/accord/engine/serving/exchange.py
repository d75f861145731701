"""One POST and its answer: JSON when nothing was sent in between, a stream of events from the first thing that was."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
from mcp import types
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data, progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext

from accord.engine.logs import logger
from accord.engine.serving.wire import encoded

if TYPE_CHECKING:
    from mcp.shared.dispatcher import CallOptions
    from starlette.types import Receive, Send

__all__ = ["Exchange", "Incoming", "Waiting", "event"]

Json: TypeAlias = Any

PING_SECONDS = 15.0
"""A stream that is silent for longer is closed by many a proxy."""

WATCH_SECONDS = 0.25
"""From when on it is watched whether the client is still there: most calls are over by then."""

_log = logger("accord.http")

_STREAM = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


def event(data: bytes) -> bytes:
    """Return one server-sent event that carries a message."""
    return b"event: message\ndata: " + data + b"\n\n"


class Incoming:
    """What a handler may know of the HTTP request: who calls, in which session, with which headers."""

    __slots__ = ("caller", "headers", "session_id")

    def __init__(self, caller: Any, headers: Mapping[str, str], session_id: str | None) -> None:
        self.caller = caller
        self.headers = headers
        self.session_id = session_id


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

    def answered(self, message: types.JSONRPCResponse | types.JSONRPCError) -> None:
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

    Args:
        request: The JSON-RPC request.
        incoming: What is known of the HTTP request.
        streams: Whether the client takes a stream of events; without one nothing can be sent before the answer.
        waiting: Where answers to questions arrive; None where the era has no questions.
    """

    def __init__(
        self,
        request: types.JSONRPCRequest,
        incoming: Incoming,
        receive: Receive,
        send: Send,
        *,
        streams: bool,
        waiting: Waiting | None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.request_id: types.RequestId | None = request.id
        self.cancel_requested = anyio.Event()
        self.message_metadata = ServerMessageMetadata(request_context=incoming)
        self.can_send_request = streams and waiting is not None
        self.transport = TransportContext(
            kind="streamable-http", can_send_request=self.can_send_request, headers=incoming.headers
        )
        self._id = request.id
        self._receive = receive
        self._send = send
        self._streams = streams
        self._waiting = waiting
        self._headers = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        self._token = progress_token_from_params(request.params)
        self._started = False
        self._scope = anyio.CancelScope()
        self._lock = asyncio.Lock()

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:  # noqa: ARG002
        """Send a notification on this request's stream."""
        message = types.JSONRPCNotification(jsonrpc="2.0", method=method, params=dict(params) if params else None)
        await self._event(encoded(message))

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
        if self._waiting is None or not self._streams:
            raise NoBackChannelError(method)
        number, future = self._waiting.ask()
        try:
            message = types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params or {}))
            await self._event(encoded(message))
            async with asyncio.timeout((opts or {}).get("timeout")):
                answer: dict[str, Any] = await future
                return answer
        finally:
            self._waiting.forget(number)

    def cancel(self) -> None:
        """Stop the work: its client wants no answer any more."""
        self.cancel_requested.set()
        self._scope.cancel()

    async def run(self, work: Callable[[], Awaitable[dict[str, Any]]], *, ends_with_client: bool) -> None:
        """Do the work and send its answer; `ends_with_client` cancels it when the client hangs up."""
        timers = [_Later(PING_SECONDS, self._ping)]
        if ends_with_client:
            timers.append(_Later(WATCH_SECONDS, self._watch))
        try:
            with self._scope:
                message = await _outcome(self._id, work)
            await (self._end() if self._scope.cancelled_caught else self._answer(message))
        finally:
            for timer in timers:
                timer.cancel()

    async def _end(self) -> None:
        """End without an answer: a cancelled request gets none."""
        async with self._lock:
            if not self._started:
                await self._send({"type": "http.response.start", "status": 202, "headers": self._headers})
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _answer(self, message: types.JSONRPCResponse | types.JSONRPCError) -> None:
        body = encoded(message)
        async with self._lock:
            if self._started:
                await self._send({"type": "http.response.body", "body": event(body), "more_body": False})
                return
            self._started = True
            headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await self._send(
                {"type": "http.response.start", "status": _status(message), "headers": [*headers, *self._headers]}
            )
            await self._send({"type": "http.response.body", "body": body})

    async def _event(self, data: bytes) -> None:
        if self._streams:
            await self._write(event(data))

    async def _write(self, frame: bytes) -> None:
        async with self._lock:
            if not self._started:
                self._started = True
                await self._send(
                    {"type": "http.response.start", "status": 200, "headers": [*_STREAM, *self._headers]}
                )
            await self._send({"type": "http.response.body", "body": frame, "more_body": True})

    async def _ping(self) -> None:
        while self._streams:
            await self._write(b": ping\n\n")
            await asyncio.sleep(PING_SECONDS)

    async def _watch(self) -> None:
        """Cancel the work when the client is gone."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.cancel()


class _Later:
    """Start a helper after a while, unless it was cancelled by then; a short exchange never pays for a task."""

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


def _status(message: types.JSONRPCResponse | types.JSONRPCError) -> int:
    return ERROR_CODE_HTTP_STATUS.get(message.error.code, 200) if isinstance(message, types.JSONRPCError) else 200


async def _outcome(
    request_id: types.RequestId, work: Callable[[], Awaitable[dict[str, Any]]]
) -> types.JSONRPCResponse | types.JSONRPCError:
    try:
        return types.JSONRPCResponse(jsonrpc="2.0", id=request_id, result=await work())
    except Exception as raised:  # noqa: BLE001 - the boundary to the wire: nothing of an exception gets out
        error = handler_exception_to_error_data(raised)
        if error is None:
            _log.exception("a handler raised")
            error = types.ErrorData(code=types.INTERNAL_ERROR, message="Internal server error")
        return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
