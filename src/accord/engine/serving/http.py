"""Streamable HTTP: a lean door over the SDK's public entry points, for both eras on one port."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
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
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from accord.engine.nouns import Front, Refusal
from accord.engine.serving.exchange import Exchange, Incoming
from accord.engine.serving.guard import Hosts, InFlight, check_json, read_body
from accord.engine.serving.live import Live, LiveSessions
from accord.engine.serving.standing import Standing
from accord.engine.serving.wire import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.server.lowlevel import Server
    from starlette.types import Receive, Scope, Send

    from accord.engine.serving.sessions import Session, Sessions

__all__ = ["HttpApp", "Limits", "http_app"]

Json: TypeAlias = Any
Ready: TypeAlias = Callable[[], Awaitable[bool]]

SESSION_HEADER = "mcp-session-id"

LISTEN = "subscriptions/listen"
"""The 2026 era's request that stays open: it is a stream, and no work under way."""

ONCE = frozenset({"authorization", "host", "origin", SESSION_HEADER})
"""Headers that decide who may do what: a proxy and we might each heed another one of two."""

HELLO_BYTES = 64 * 1024
"""The longest that a client may say of itself, since it is kept with its session."""

LINGER_SECONDS = 1.0
"""How long an unwanted body is still taken in before its connection is closed: closing at once can lose the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is taken in, and how long is waited.

    Args:
        body_bytes: The longest body.
        body_seconds: How long a client may take to send it.
        in_flight: Requests worked on at once; streams that only listen do not count.
        ping_seconds: How long a stream may be silent; many a proxy closes one after 30 to 60.
    """

    body_bytes: int = 4 * 1024 * 1024
    body_seconds: float = 30.0
    in_flight: int = 16
    ping_seconds: float = 15.0


class HttpApp(Starlette):
    """The ASGI application: MCP at its path (and with a slash), `/healthz` and `/readyz`."""

    def __init__(self, door: Door, ready: Ready | None, path: str) -> None:
        self._door = door
        self._ready = ready
        routes = [
            Route(path, door),
            Route(f"{path}/", door),
            Route("/healthz", self._healthz),
            Route("/readyz", self._readyz),
        ]
        super().__init__(routes=routes, lifespan=door.lifespan)
        self.router.redirect_slashes = False

    def end_streams(self) -> None:
        """End the streams that clients hold open, and open no more: call it when the server is about to stop."""
        self._door.end_streams()

    async def _healthz(self, _: object) -> Response:
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def _readyz(self, _: object) -> Response:
        good = self._ready is None or await self._ready()
        status, word = (200, b"ready") if good else (503, b"not ready")
        return Response(b'{"status":"' + word + b'"}', status_code=status, media_type="application/json")


def http_app(
    server: Server[Any],
    front: Front,
    sessions: Sessions,
    hosts: Hosts,
    *,
    limits: Limits | None = None,
    ready: Ready | None = None,
    path: str = "/mcp",
) -> HttpApp:
    """Return the application.

    Args:
        server: From `serve`.
        front: Who may come in.
        sessions: Those of the handshake era.
        hosts: The names and origins under which it may be called.
        limits: On bodies, requests under way and silence.
        ready: Whether the service behind it can be reached; asked by `/readyz`.
        path: Where MCP is.
    """
    return HttpApp(Door(server, front, sessions, hosts, limits or Limits()), ready, path)


class Door:
    """The ASGI endpoint of MCP."""

    def __init__(self, server: Server[Any], front: Front, sessions: Sessions, hosts: Hosts, limits: Limits) -> None:
        self._server = server
        self._front = front
        self._sessions = sessions
        self._live = LiveSessions(sessions)
        self._hosts = hosts
        self._limits = limits
        # Bodies are read and requests worked on in places of their own: the answer to a question has to come in
        # even where every request under way waits for one.
        self._reading = InFlight(limits.in_flight)
        self._working = InFlight(limits.in_flight)
        self._streams: set[Standing | Exchange] = set()
        self._stopping = False
        self._lifespan_state: Any = {}

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Keep the server's own lifespan."""
        async with self._server.lifespan(self._server) as self._lifespan_state:
            yield

    def end_streams(self) -> None:
        """End the streams that only listen, and open no more."""
        self._stopping = True
        for stream in list(self._streams):
            stream.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        try:
            await self._admit(scope, receive, send)
        except Refusal as refusal:
            await _refuse(refusal, receive, send)
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            await _refuse(_stopping(), receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        self._hosts.check(headers)
        caller = await self._front.admit(headers, headers.get(SESSION_HEADER))
        act = {"POST": self._post, "GET": self._listen, "DELETE": self._delete}.get(scope["method"])
        if act is None:
            raise Refusal(405, _plain("method_not_allowed", "use POST, GET or DELETE"), {"allow": "POST, GET, DELETE"})
        await act(Incoming(caller, headers, receive, send))

    async def _post(self, incoming: Incoming) -> None:
        value = await self._read(incoming)
        message = _message(value)
        version = incoming.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        with self._place(message):
            if _is_modern(message, version):
                await self._modern(incoming, value, message)
                return
            _check_version(version)
            if isinstance(message, types.JSONRPCRequest) and message.method == "initialize":
                await self._initialize(incoming, message)
            else:
                await self._in_session(incoming, message)

    def _place(self, message: types.JSONRPCMessage) -> AbstractContextManager[None]:
        works = isinstance(message, types.JSONRPCRequest) and message.method != LISTEN
        return self._working.place() if works else nullcontext()

    async def _read(self, incoming: Incoming) -> Json:
        check_json(incoming.headers)
        with self._reading.place():
            body = await read_body(
                incoming.receive,
                incoming.headers,
                most_bytes=self._limits.body_bytes,
                seconds=self._limits.body_seconds,
            )
        return _decoded(body)

    # --- The 2026 era: every request stands alone ----------------------------------------------------------------

    async def _modern(self, incoming: Incoming, value: Json, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCNotification):
            await _empty(incoming.send, 202)
            return
        if not isinstance(message, types.JSONRPCRequest):
            raise _bad(types.INVALID_REQUEST, "answers are not posted in this version of the protocol")
        route = _route(incoming.headers, value, message)
        connection = Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
        exchange = Exchange(message, incoming, waiting=None, ping_seconds=self._limits.ping_seconds)
        with self._open(incoming, exchange) if message.method == LISTEN else nullcontext():
            await exchange.run(
                lambda: serve_one(
                    self._server,
                    exchange,
                    message.method,
                    message.params,
                    connection=connection,
                    lifespan_state=self._lifespan_state,
                )
            )

    @contextmanager
    def _open(self, incoming: Incoming, stream: Standing | Exchange) -> Iterator[None]:
        """Keep a stream that only listens where it can be ended.

        Raises:
            Refusal: 406 for a client that takes no stream, 503 when the server is about to stop.
        """
        if not incoming.streams:
            raise Refusal(406, _plain("not_acceptable", "accept text/event-stream"))
        if self._stopping:
            raise _stopping()
        self._streams.add(stream)
        try:
            yield
        finally:
            self._streams.discard(stream)

    # --- The handshake era: requests belong to a session ---------------------------------------------------------

    async def _initialize(self, incoming: Incoming, message: types.JSONRPCRequest) -> None:
        if SESSION_HEADER in incoming.headers:
            raise Refusal(400, _plain("invalid_request", "initialize must not carry an mcp-session-id"))
        client = _introduced(message)
        asked = client["protocolVersion"]
        version = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
        session = await self._sessions.create(client, version)
        await self._sessions.bind(session, incoming.caller.id)
        await self._request(incoming, await self._live.of(session), message, {SESSION_HEADER: session.id})

    async def _in_session(self, incoming: Incoming, message: types.JSONRPCMessage) -> None:
        live = await self._live.of(await self._session(incoming))
        if isinstance(message, types.JSONRPCRequest):
            await self._request(incoming, live, message)
            return
        if isinstance(message, types.JSONRPCNotification):
            _note(live, message)
        else:
            live.waiting.answered(message)
        await _empty(incoming.send, 202)

    async def _request(
        self,
        incoming: Incoming,
        live: Live,
        message: types.JSONRPCRequest,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if message.id in live.under_way:
            raise _bad(types.INVALID_REQUEST, "a request with this id is under way", message.id)
        exchange = Exchange(
            message, incoming, waiting=live.waiting, ping_seconds=self._limits.ping_seconds, headers=headers
        )
        runner = ServerRunner(self._server, live.connection, self._lifespan_state)
        live.under_way[message.id] = exchange
        try:
            await exchange.run(lambda: runner.on_request(exchange, message.method, message.params))
        finally:
            del live.under_way[message.id]

    async def _session(self, incoming: Incoming) -> Session:
        """Return the caller's session.

        Raises:
            Refusal: 400 without an id; 404 for one that is unknown, over, or another's, so that a client starts anew.
        """
        session_id = incoming.headers.get(SESSION_HEADER)
        if session_id is None:
            raise Refusal(400, _plain("session_required", "send the mcp-session-id that initialize answered with"))
        session = await self._sessions.find(session_id)
        if session is None or session.caller != incoming.caller.id:
            raise Refusal(404, _plain("session_not_found", "this session is over; start a new one with initialize"))
        return session

    async def _listen(self, incoming: Incoming) -> None:
        """Keep a stream open for what is pushed to the session."""
        session = await self._session(incoming)
        live = await self._live.of(session)
        stream = Standing(incoming, lambda: self._lives(session.id), self._limits.ping_seconds)
        with self._open(incoming, stream):
            live.stream_opened(stream)
            async with self._sessions.stream(session.id) as pushed:
                await stream.run(pushed)

    async def _lives(self, session_id: str) -> bool:
        session = await self._sessions.find(session_id)
        if session is None:
            return False
        await self._live.of(session)
        return True

    async def _delete(self, incoming: Incoming) -> None:
        """End the session."""
        session = await self._session(incoming)
        await self._sessions.close(session.id)
        await self._live.forget(session.id)
        await _empty(incoming.send, 200)


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers by their names in lower case.

    Raises:
        Refusal: 400 for a second one of those that decide who may do what, and of the 2026 era's routing headers.
    """
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    counts = Counter(name for name, _ in pairs)
    if twice := next((name for name in ONCE if counts[name] > 1), None):
        raise Refusal(400, _plain("invalid_request", f"the {twice} header appears more than once"))
    if twice := find_duplicated_routing_header(pairs):
        raise _bad(types.HEADER_MISMATCH, f"{twice} header appears more than once")
    return dict(pairs)


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
    """Whether a message is of the 2026 era: by its header, or by the envelope that only this era has."""
    if version in MODERN_PROTOCOL_VERSIONS:
        return True
    meta = (getattr(message, "params", None) or {}).get("_meta")
    enveloped = isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
    return enveloped and version not in HANDSHAKE_PROTOCOL_VERSIONS


def _check_version(version: str | None) -> None:
    if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
        known = ", ".join([*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
        raise _bad(types.INVALID_REQUEST, f"unsupported MCP-Protocol-Version; supported are {known}")


def _route(headers: Mapping[str, str], value: Json, message: types.JSONRPCRequest) -> InboundModernRoute:
    """Return how a request of the 2026 era is routed, once its headers and its body say the same."""
    route = classify_inbound_request(value, headers=headers)
    if isinstance(route, InboundLadderRejection):
        raise _bad(route.code, route.message, message.id, route.data)
    return route


def _introduced(message: types.JSONRPCRequest) -> dict[str, Json]:
    """Return what a client says of itself, once it is complete and no longer than may be kept."""
    client = message.params or {}
    try:
        types.InitializeRequestParams.model_validate(client, by_name=False)
    except ValueError:
        raise _bad(types.INVALID_PARAMS, "Invalid request parameters", message.id) from None
    if len(orjson.dumps(client)) > HELLO_BYTES:
        raise Refusal(413, _plain("too_large", f"a client says at most {HELLO_BYTES} bytes of itself"))
    return client


def _note(live: Live, message: types.JSONRPCNotification) -> None:
    """Heed a cancellation; there is no other notification from a client that means anything here."""
    request_id = (message.params or {}).get("requestId")
    if message.method == "notifications/cancelled" and isinstance(request_id, str | int):
        exchange = live.under_way.get(request_id)
        if exchange is not None:
            exchange.cancel()


def _plain(error: str, message: str) -> dict[str, str]:
    return {"error": error, "message": message}


def _bad(code: int, message: str, request_id: types.RequestId | None = None, data: Json = None) -> Refusal:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return Refusal(ERROR_CODE_HTTP_STATUS.get(code, 400), {"jsonrpc": "2.0", "id": request_id, "error": error})


def _stopping() -> Refusal:
    return Refusal(503, _plain("stopping", "this server is about to stop"), {"retry-after": "1"})


async def _empty(send: Send, status: int) -> None:
    await _start(send, status, {"content-length": "0"})
    await send({"type": "http.response.body"})


async def _refuse(refusal: Refusal, receive: Receive, send: Send) -> None:
    """Answer with a plain no; where the connection closes, take in for a moment what the client still sends."""
    body = orjson.dumps(refusal.body)
    own = {"content-type": "application/json", "content-length": str(len(body))}
    await _start(send, refusal.status, {**own, **refusal.headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    if refusal.headers.get("connection") == "close":
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while (await receive()).get("more_body", False):
                    pass
    await send({"type": "http.response.body"})


async def _start(send: Send, status: int, headers: Mapping[str, str]) -> None:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
