"""Streamable HTTP: a lean door over the SDK's public entry points, for both eras on one port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from mcp import types
from mcp.server.connection import Connection
from mcp.server.runner import ServerRunner, serve_one
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    validate_mcp_param_headers,
)
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from accord.engine.nouns import Caller, Front, Refusal
from accord.engine.serving.exchange import PING_SECONDS, Exchange, Incoming, event
from accord.engine.serving.guard import Hosts, InFlight, read_body
from accord.engine.serving.live import Live, LiveSessions
from accord.engine.serving.wire import parsed

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import Receive, Scope, Send

    from accord.engine.serving.sessions import Session, Sessions

__all__ = ["Limits", "http_app"]

Json: TypeAlias = Any
Ready: TypeAlias = Callable[[], Awaitable[bool]]

SESSION_HEADER = "mcp-session-id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large a body may be, and how many requests may be worked on at once."""

    body_bytes: int = 4 * 1024 * 1024
    in_flight: int = 16


def http_app(
    server: Server[Any],
    front: Front,
    sessions: Sessions,
    hosts: Hosts,
    *,
    limits: Limits | None = None,
    ready: Ready | None = None,
    path: str = "/mcp",
) -> Starlette:
    """Return the ASGI application: MCP at `path` (and with a slash), `/healthz` and `/readyz`.

    Args:
        server: From `serve`.
        front: Who may come in.
        sessions: Those of the handshake era.
        hosts: The names and origins under which it may be called.
        limits: On bodies and on requests under way.
        ready: Whether the service behind it can be reached; asked by `/readyz`.
        path: Where MCP is.
    """
    door = Door(server, front, sessions, hosts, limits or Limits())

    async def healthz(_: object) -> Response:
        """Say that the process answers."""
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def readyz(_: object) -> Response:
        """Say whether calls can succeed."""
        good = ready is None or await ready()
        status, word = (200, b"ready") if good else (503, b"not ready")
        return Response(b'{"status":"' + word + b'"}', status_code=status, media_type="application/json")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with server.lifespan(server) as door.lifespan_state:
            yield

    return Starlette(
        routes=[
            Route(path, door),
            Route(f"{path}/", door),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
        ],
        lifespan=lifespan,
    )


class Door:
    """The ASGI endpoint of MCP."""

    def __init__(self, server: Server[Any], front: Front, sessions: Sessions, hosts: Hosts, limits: Limits) -> None:
        self.lifespan_state: Any = {}
        self._server = server
        self._front = front
        self._sessions = sessions
        self._live = LiveSessions(sessions)
        self._hosts = hosts
        self._limits = limits
        self._in_flight = InFlight(limits.in_flight)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            await self._admitted(scope, headers, receive, send)
        except Refusal as refusal:
            body = orjson.dumps(refusal.body) if refusal.body else b""
            await Response(body, refusal.status, refusal.headers, "application/json")(scope, receive, send)

    async def _admitted(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        self._hosts.check(headers)
        caller = self._front.admit(headers, headers.get(SESSION_HEADER))
        act = {"POST": self._post, "GET": self._listen, "DELETE": self._delete}.get(scope["method"])
        if act is None:
            raise Refusal(405, _plain("method_not_allowed", "use POST, GET or DELETE"), {"allow": "POST, GET, DELETE"})
        await act(caller, scope, headers, receive, send)

    async def _post(
        self, caller: Caller, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        streams = _accepts(headers)
        with self._in_flight.place():
            value = _decoded(await read_body(receive, headers, self._limits.body_bytes))
            message = _message(value)
            version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
            if _is_modern(message, version):
                await self._modern(caller, scope, headers, value, message, receive, send, streams=streams)
            elif isinstance(message, types.JSONRPCRequest) and message.method == "initialize":
                await self._initialize(caller, headers, message, receive, send)
            else:
                _check_version(version)
                await self._in_session(caller, scope, headers, message, receive, send, streams=streams)

    # --- The 2026 era: every request stands alone ----------------------------------------------------------------

    async def _modern(  # noqa: PLR0917 - what one request is made of
        self,
        caller: Caller,
        scope: Scope,
        headers: dict[str, str],
        value: Json,
        message: types.JSONRPCMessage,
        receive: Receive,
        send: Send,
        *,
        streams: bool,
    ) -> None:
        if isinstance(message, types.JSONRPCNotification):
            await Response(status_code=202)(scope, receive, send)
            return
        if not isinstance(message, types.JSONRPCRequest):
            raise _bad(types.INVALID_REQUEST, "answers are not posted in this version of the protocol")
        route = self._route(scope, headers, value, message)
        connection = Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
        incoming = Incoming(caller, headers, None)
        exchange = Exchange(message, incoming, receive, send, streams=streams, waiting=None)
        await exchange.run(
            lambda: serve_one(
                self._server,
                exchange,
                message.method,
                message.params,
                connection=connection,
                lifespan_state=self.lifespan_state,
            ),
            ends_with_client=True,
        )

    def _route(self, scope: Scope, headers: dict[str, str], value: Json, message: types.JSONRPCRequest) -> Any:
        """Return how the request is routed, once its headers and its body say the same."""
        pairs = ((name.decode("latin-1"), content.decode("latin-1")) for name, content in scope["headers"])
        if twice := find_duplicated_routing_header(pairs):
            raise _bad(types.HEADER_MISMATCH, f"{twice} header appears more than once", message.id)
        route = classify_inbound_request(value, headers=headers)
        if isinstance(route, InboundLadderRejection):
            raise _bad(route.code, route.message, message.id, route.data)
        if mismatch := self._parameter_mismatch(headers, message):
            raise _bad(mismatch.code, mismatch.message, message.id, mismatch.data)
        return route

    def _parameter_mismatch(
        self, headers: dict[str, str], message: types.JSONRPCRequest
    ) -> InboundLadderRejection | None:
        params = message.params or {}
        arguments = params.get("arguments")
        known = self._server.get_tool_input_schema
        if message.method != "tools/call" or known is None or not isinstance(arguments, Mapping):
            return None
        schema = known(str(params.get("name")))
        return validate_mcp_param_headers(schema, arguments, headers) if schema else None

    # --- The handshake era: requests belong to a session ---------------------------------------------------------

    async def _initialize(
        self, caller: Caller, headers: dict[str, str], message: types.JSONRPCRequest, receive: Receive, send: Send
    ) -> None:
        if SESSION_HEADER in headers:
            raise Refusal(400, _plain("invalid_request", "initialize must not carry an mcp-session-id"))
        client = message.params or {}
        asked = client.get("protocolVersion")
        version = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
        session = await self._sessions.create(client, version)
        session = await self._sessions.bind(session, caller.id)
        connection = Connection.for_loop(_nowhere, session_id=session.id)
        runner = ServerRunner(self._server, connection, self.lifespan_state)
        incoming = Incoming(caller, headers, session.id)
        exchange = Exchange(
            message, incoming, receive, send, streams=False, waiting=None, headers={SESSION_HEADER: session.id}
        )
        await exchange.run(
            lambda: runner.on_request(exchange, message.method, message.params), ends_with_client=False
        )
        if connection.client_params is None:
            await self._sessions.close(session.id)

    async def _in_session(  # noqa: PLR0917 - what one request is made of
        self,
        caller: Caller,
        scope: Scope,
        headers: dict[str, str],
        message: types.JSONRPCMessage,
        receive: Receive,
        send: Send,
        *,
        streams: bool,
    ) -> None:
        live = self._live.of(await self._session(caller, headers))
        if isinstance(message, types.JSONRPCRequest):
            await self._request(caller, headers, live, message, receive, send, streams=streams)
            return
        if isinstance(message, types.JSONRPCNotification):
            await self._notification(live, message)
        else:
            live.waiting.answered(message)
        await Response(status_code=202)(scope, receive, send)

    async def _request(  # noqa: PLR0917 - what one request is made of
        self,
        caller: Caller,
        headers: dict[str, str],
        live: Live,
        message: types.JSONRPCRequest,
        receive: Receive,
        send: Send,
        *,
        streams: bool,
    ) -> None:
        if message.id in live.under_way:
            raise _bad(types.INVALID_REQUEST, "a request with this id is under way", message.id)
        incoming = Incoming(caller, headers, live.connection.session_id)
        exchange = Exchange(message, incoming, receive, send, streams=streams, waiting=live.waiting)
        runner = ServerRunner(self._server, live.connection, self.lifespan_state)
        live.under_way[message.id] = exchange
        try:
            await exchange.run(
                lambda: runner.on_request(exchange, message.method, message.params), ends_with_client=False
            )
        finally:
            live.under_way.pop(message.id, None)

    async def _notification(self, live: Live, message: types.JSONRPCNotification) -> None:
        if message.method == "notifications/cancelled":
            exchange = live.under_way.get((message.params or {}).get("requestId", ""))
            if exchange is not None:
                exchange.cancel()

    async def _session(self, caller: Caller, headers: dict[str, str]) -> Session:
        """Return the caller's session.

        Raises:
            Refusal: 400 without an id; 404 for one that is unknown, over, or another's, so that a client starts anew.
        """
        session_id = headers.get(SESSION_HEADER)
        if session_id is None:
            raise Refusal(400, _plain("session_required", "send the mcp-session-id that initialize answered with"))
        session = await self._sessions.find(session_id)
        if session is None or session.caller != caller.id:
            raise Refusal(404, _plain("session_not_found", "this session is over; start a new one with initialize"))
        return session

    async def _listen(
        self,
        caller: Caller,
        scope: Scope,  # noqa: ARG002 - as its sisters
        headers: dict[str, str],
        receive: Receive,
        send: Send,
    ) -> None:
        """Keep a stream open for what is pushed to the session."""
        if not _accepts(headers):
            raise Refusal(406, _plain("not_acceptable", "accept text/event-stream"))
        session = await self._session(caller, headers)
        async with self._sessions.stream(session.id) as pushed:
            await send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
            gone: asyncio.Future[None] = asyncio.ensure_future(_disconnected(receive))
            try:
                await _relayed(pushed, gone, send)
            finally:
                gone.cancel()

    async def _delete(
        self, caller: Caller, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        """End the session."""
        session = await self._session(caller, headers)
        await self._sessions.close(session.id)
        self._live.forget(session.id)
        await Response(status_code=204)(scope, receive, send)


_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class _Nowhere:
    """The way to a client that has no stream yet."""

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        """Tell nobody."""

    async def send_raw_request(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> dict[str, Any]:  # noqa: ARG002
        """Refuse: nothing is asked during a handshake."""
        raise RuntimeError("there is no way back to the client during its handshake")


_nowhere = _Nowhere()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _relayed(pushed: AsyncIterator[bytes], gone: asyncio.Future[None], send: Send) -> None:
    """Send what is pushed, and a comment now and then, until the client is gone."""
    following: asyncio.Future[bytes] = asyncio.ensure_future(anext(pushed))
    try:
        while not gone.done():
            either: set[asyncio.Future[Any]] = {following, gone}
            await asyncio.wait(either, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                frame = event(following.result())
                following = asyncio.ensure_future(anext(pushed))
            else:
                frame = b": ping\n\n"
            await send({"type": "http.response.body", "body": frame, "more_body": True})
    except StopAsyncIteration:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        following.cancel()


def _accepts(headers: Mapping[str, str]) -> bool:
    """Whether the client takes a stream of events; without the header it says that it takes anything."""
    accept = headers.get("accept", "*/*")
    return "text/event-stream" in accept or "*/*" in accept or "text/*" in accept


def _decoded(body: bytes) -> Json:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise _bad(types.PARSE_ERROR, "Parse error") from None


def _message(value: Json) -> types.JSONRPCMessage:
    try:
        return parsed(value)
    except ValueError:
        raise _bad(types.INVALID_REQUEST, "the body must be one JSON-RPC message; batches are not taken") from None


def _is_modern(message: types.JSONRPCMessage, version: str | None) -> bool:
    """Whether a message is of the 2026 era, by its header or by the envelope that only this era has."""
    if version in MODERN_PROTOCOL_VERSIONS:
        return True
    params = getattr(message, "params", None) or {}
    meta = params.get("_meta")
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta and version is None


def _check_version(version: str | None) -> None:
    if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
        known = ", ".join([*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
        raise _bad(types.INVALID_REQUEST, f"unsupported MCP-Protocol-Version; supported are {known}")


def _plain(error: str, message: str) -> dict[str, str]:
    return {"error": error, "message": message}


def _bad(code: int, message: str, request_id: types.RequestId | None = None, data: Json = None) -> Refusal:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return Refusal(
        ERROR_CODE_HTTP_STATUS.get(code, 400), {"jsonrpc": "2.0", "id": request_id, "error": error}
    )
