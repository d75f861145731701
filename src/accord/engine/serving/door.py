"""The ASGI endpoint of MCP: a lean door over the SDK's public entry points, for both eras on one port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from mcp import types
from mcp.server.connection import Connection
from mcp.server.runner import ServerRunner, serve_one
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from accord.engine.nouns import Front, Refusal
from accord.engine.serving.bindings import Bindings, SessionRules
from accord.engine.serving.exchange import Exchange, Incoming
from accord.engine.serving.guard import Buffered, Hosts, InFlight, Limits, check_json, plain, read_body
from accord.engine.serving.live import Live, LiveSessions
from accord.engine.serving.posted import (
    SESSION_HEADER,
    bad,
    check_version,
    decoded,
    headers_of,
    introduced,
    is_modern,
    message_of,
    route_of,
)
from accord.engine.serving.standing import Standing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.server.lowlevel import Server
    from starlette.applications import Starlette
    from starlette.types import Receive, Scope, Send

    from accord.engine.serving.sessions import Sessions

__all__ = ["Door", "refuse"]

Json: TypeAlias = Any

LISTEN = "subscriptions/listen"
"""The 2026 era's request that stays open: it is a stream, and no work under way."""

LINGER_SECONDS = 1.0
"""How long an unwanted body is still taken in before its connection is closed: closing at once can lose the answer."""


class Door:
    """The ASGI endpoint of MCP."""

    def __init__(
        self,
        server: Server[Any],
        front: Front,
        sessions: Sessions,
        hosts: Hosts,
        limits: Limits,
        *,
        rules: SessionRules | None = None,
    ) -> None:
        self._server = server
        self._front = front
        self._sessions = sessions
        self._bindings = Bindings(sessions, rules or SessionRules())
        self._live = LiveSessions(sessions)
        self._hosts = hosts
        self._limits = limits
        # A body that is still coming holds no place: the answer to a question has to come in even where every request
        # under way waits for one, and who sends nothing must not keep others out.
        self._buffered = Buffered(max(limits.buffered_bytes, limits.body_bytes))
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
            await refuse(refusal, receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        self._hosts.check(headers)
        caller = await self._front.admit(headers, headers.get(SESSION_HEADER))
        act = {"POST": self._post, "GET": self._listen, "DELETE": self._delete}.get(scope["method"])
        if act is None:
            raise Refusal(405, plain("method_not_allowed", "use POST, GET or DELETE"), {"allow": "POST, GET, DELETE"})
        await act(Incoming(caller, headers, receive, send, address=(scope.get("client") or ("",))[0]))

    async def _post(self, incoming: Incoming) -> None:
        value = await self._read(incoming)
        message = message_of(value)
        version = incoming.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        with self._place(message):
            if is_modern(message, version):
                await self._modern(incoming, value, message)
                return
            check_version(version)
            if isinstance(message, types.JSONRPCRequest) and message.method == "initialize":
                await self._initialize(incoming, message)
            else:
                await self._in_session(incoming, message)

    def _place(self, message: types.JSONRPCMessage) -> AbstractContextManager[None]:
        works = isinstance(message, types.JSONRPCRequest) and message.method != LISTEN
        return self._working.place() if works else nullcontext()

    async def _read(self, incoming: Incoming) -> Json:
        check_json(incoming.headers)
        try:
            return decoded(await read_body(incoming.receive, incoming.headers, self._limits, self._buffered))
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            raise _stopping() from None

    # --- The 2026 era: every request stands alone ----------------------------------------------------------------

    async def _modern(self, incoming: Incoming, value: Json, message: types.JSONRPCMessage) -> None:
        self._bindings.check_standalone()
        if isinstance(message, types.JSONRPCNotification):
            await _empty(incoming.send, 202)
            return
        if not isinstance(message, types.JSONRPCRequest):
            raise bad(types.INVALID_REQUEST, "answers are not posted in this version of the protocol")
        route = route_of(incoming.headers, value, message)
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
            raise Refusal(406, plain("not_acceptable", "accept text/event-stream"))
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
            raise Refusal(400, plain("invalid_request", "initialize must not carry an mcp-session-id"))
        client = introduced(message)
        await self._live.make_room()
        asked = client["protocolVersion"]
        version = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
        session = await self._bindings.opened(incoming, client, version)
        hello = message.model_copy(update={"params": client})  # the SDK keeps what it is given
        await self._request(incoming, await self._live.of(session), hello, headers={SESSION_HEADER: session.id})

    async def _in_session(self, incoming: Incoming, message: types.JSONRPCMessage) -> None:
        is_request = isinstance(message, types.JSONRPCRequest)
        live = await self._live.of(await self._bindings.entered(incoming, acts=not is_request))
        if isinstance(message, types.JSONRPCRequest):
            await self._request(incoming, live, message, **self._challenged(incoming, message))
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
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if message.id in live.under_way:
            raise bad(types.INVALID_REQUEST, "a request with this id is under way", message.id)
        exchange = Exchange(
            message,
            incoming,
            waiting=live.waiting,
            ping_seconds=self._limits.ping_seconds,
            status=status,
            headers=headers,
        )
        runner = ServerRunner(self._server, live.connection, self._lifespan_state)
        live.under_way[message.id] = exchange
        try:
            await exchange.run(lambda: runner.on_request(exchange, message.method, message.params))
        finally:
            del live.under_way[message.id]

    def _challenged(self, incoming: Incoming, message: types.JSONRPCRequest) -> dict[str, Any]:
        """Return how HTTP says that a call needs a known caller; what the call itself comes to is the gates' to say."""
        if incoming.caller.is_known or message.method != "tools/call":
            return {}
        challenge = self._bindings.challenge(incoming)
        return {"status": challenge.status, "headers": challenge.headers}

    async def _listen(self, incoming: Incoming) -> None:
        """Keep a stream open for what is pushed to the session."""
        session = await self._bindings.entered(incoming, acts=True)
        live = await self._live.of(session)
        # With each ping the session is looked up, which keeps it from going idle.
        ping_seconds = min(self._limits.ping_seconds, self._sessions.idle_seconds / 3)
        stream = Standing(incoming, lambda: self._may_go_on(incoming), ping_seconds)
        with self._open(incoming, stream):
            async with AsyncExitStack() as stack:
                stack.enter_context(live.streaming(stream))
                try:
                    pushed = await stack.enter_async_context(self._sessions.stream(session))
                except TimeoutError:
                    raise _unheard() from None
                await stream.run(pushed)

    async def _may_go_on(self, incoming: Incoming) -> bool:
        """Whether a stream would be let in again; asking keeps its session from going idle."""
        try:
            caller = await self._front.admit(incoming.headers, incoming.headers[SESSION_HEADER])
            await self._live.of(await self._bindings.entered(replace(incoming, caller=caller), acts=True))
        except Refusal:
            return False
        return True

    async def _delete(self, incoming: Incoming) -> None:
        """End the session."""
        session = await self._bindings.entered(incoming, acts=True)
        await self._sessions.close(session.id)
        await self._live.forget(session.id)
        await _empty(incoming.send, 200)


def _note(live: Live, message: types.JSONRPCNotification) -> None:
    """Heed a cancellation; there is no other notification from a client that means anything here."""
    request_id = cancelled_request_id_from_params(message.params)
    if message.method == "notifications/cancelled" and request_id is not None:
        exchange = live.under_way.get(request_id)
        if exchange is not None:
            exchange.cancel()


def _unheard() -> Refusal:
    message = "what is pushed cannot be heard now; try again"
    return Refusal(503, plain("unavailable", message), {"retry-after": "1"})


def _stopping() -> Refusal:
    return Refusal(503, plain("stopping", "this server is about to stop"), {"retry-after": "1"})


async def _empty(send: Send, status: int) -> None:
    await _start(send, status, {"content-length": "0"})
    await send({"type": "http.response.body"})


async def refuse(refusal: Refusal, receive: Receive, send: Send) -> None:
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
