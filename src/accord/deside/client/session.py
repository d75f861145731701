"""One MCP session over HTTP: opened when it is first needed, and again when the service says that it is over."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from accord import __version__
from accord.deside.client.access import Access
from accord.deside.client.errors import DesideError, RefusedError, ToolFailedError
from accord.deside.client.events import messages
from accord.deside.client.http import Answer, Http
from accord.engine.secrets import Secret

__all__ = ["McpSession"]

Json: TypeAlias = Any

PROTOCOL_VERSION = "2025-11-25"

SESSION_HEADER = "mcp-session-id"

BOTH = "application/json, text/event-stream"

TRIES = 3
"""How often a request is sent that finds its token or its session over: each can be renewed once, and then sent."""

UNAUTHORIZED, GONE, CONFLICT = 401, 404, 409


@dataclass(frozen=True, slots=True)
class _Open:
    """A session that is open; one that was `adopted` belongs to another process of this wallet, and is left open."""

    id: str
    adopted: bool


class McpSession:
    """The session of one wallet at one service.

    Every request carries the wallet's token. Ids are random, since a session may be shared with another process.
    """

    def __init__(self, http: Http, mcp_url: str, access: Access) -> None:
        self._http = http
        self._url = mcp_url
        self._access = access
        self._open: _Open | None = None
        self._opening = asyncio.Lock()

    async def request(self, method: str, params: Mapping[str, Json] | None = None) -> Json:
        """Send a request and return its result.

        Raises:
            RefusedError: The service or the protocol says no.
            UnreachableError: No answer came; whether it was done is not known.
            ToolFailedError: A tool ran, or was to run, and failed.
        """
        message = {"jsonrpc": "2.0", "id": secrets.token_hex(8), "method": method, "params": dict(params or {})}
        answer, refused = None, None
        for _ in range(TRIES):
            token = await self._access.token(refused=refused)
            session = await self._opened(token)
            answer = await self._http.post(self._url, message, _headers(token, session.id))
            if answer.status == UNAUTHORIZED:
                refused = token
            elif answer.status == GONE:
                self._forget(session)
            else:
                break
        assert answer is not None  # noqa: S101 - it was tried at least once
        return await _result(answer)

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Call a tool and return its structured result."""
        result = await self.request("tools/call", {"name": tool, "arguments": dict(arguments)})
        structured = dict(result.get("structuredContent") or {})
        if result.get("isError"):
            raise ToolFailedError(structured)
        return structured

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[AsyncIterator[Json]]:
        """Open the stream of what the service tells of its own accord; it ends when the service ends it.

        Raises:
            RefusedError: It is not opened.
            UnreachableError: It cannot be opened, or broke off.
        """
        token = await self._access.token()
        session = await self._opened(token)
        headers = {**_headers(token, session.id), "accept": "text/event-stream"}
        try:
            async with self._http.stream(self._url, headers) as chunks:
                yield messages(chunks)
        except RefusedError as error:
            if error.status == GONE:
                self._forget(session)
            elif error.status == UNAUTHORIZED:
                await self._access.token(refused=token)
            raise

    async def close(self) -> None:
        """End the session, if it is this client's own."""
        session, self._open = self._open, None
        if session is None or session.adopted:
            return
        with suppress(DesideError):  # it ends by itself as well
            token = await self._access.token()
            await self._http.send("DELETE", self._url, headers=_headers(token, session.id))

    def _forget(self, session: _Open) -> None:
        if self._open == session:
            self._open = None

    async def _opened(self, token: Secret) -> _Open:
        async with self._opening:
            if self._open is None:
                self._open = await self._initialized(token)
            return self._open

    async def _initialized(self, token: Secret) -> _Open:
        client = {"name": "deside-mcp", "version": __version__}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        hello = {"jsonrpc": "2.0", "id": secrets.token_hex(8), "method": "initialize", "params": params}
        answer = await self._http.post(self._url, hello, _headers(token))
        if answer.status == CONFLICT:
            return _adopted(answer)
        await _result(answer)
        session = _Open(answer.headers.get(SESSION_HEADER, ""), adopted=False)
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self._http.post(self._url, ready, _headers(token, session.id))
        return session


def _adopted(answer: Answer) -> _Open:
    """Return the session that this wallet has already: in strict mode there is one for all its processes."""
    facts = answer.json if isinstance(answer.json, dict) else {}
    if not isinstance(facts.get("active_session_id"), str):
        raise answer.refusal
    return _Open(facts["active_session_id"], adopted=True)


def _headers(token: Secret, session_id: str | None = None) -> dict[str, str]:
    own = {"authorization": f"Bearer {token.reveal()}", "accept": BOTH}
    if session_id is None:
        return own
    return {**own, SESSION_HEADER: session_id, "mcp-protocol-version": PROTOCOL_VERSION}


async def _result(answer: Answer) -> Json:
    """Return a request's result, whether it came as JSON or at the end of a stream.

    Raises:
        RefusedError: It is none.
    """
    said = (
        await _last(answer) if answer.headers.get("content-type", "").startswith("text/event-stream") else answer.json
    )
    if isinstance(said, dict) and "result" in said:
        return said["result"]
    if isinstance(said, dict) and isinstance(said.get("error"), dict):
        raise RefusedError(str(said["error"].get("code")), answer.status, str(said["error"].get("message")))
    raise answer.refusal


async def _last(answer: Answer) -> Json:
    async def whole() -> AsyncIterator[bytes]:
        yield answer.body

    last = None
    async for message in messages(whole()):
        last = message
    return last
