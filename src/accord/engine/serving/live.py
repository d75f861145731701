"""What a session of the handshake era has in this process: its connection, its calls under way, its open questions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.connection import Connection

from accord.engine.serving.exchange import Exchange, Waiting
from accord.engine.serving.wire import encoded

if TYPE_CHECKING:
    from mcp.shared.dispatcher import CallOptions

    from accord.engine.serving.sessions import Session, Sessions

__all__ = ["Live", "LiveSessions"]

MOST_LIVE = 10_000
"""How many sessions one process keeps at hand; an older one is made again from the state when it comes back."""


class Push:
    """The SDK's way to a session's client outside of any request: what the session's open stream brings."""

    def __init__(self, sessions: Sessions, session_id: str, waiting: Waiting) -> None:
        self._sessions = sessions
        self._id = session_id
        self._waiting = waiting

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:  # noqa: ARG002
        """Push a notification; without an open stream nobody hears it."""
        message = types.JSONRPCNotification(jsonrpc="2.0", method=method, params=dict(params) if params else None)
        await self._sessions.push(self._id, encoded(message))

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,  # noqa: ARG002 - the caller bounds the wait
    ) -> dict[str, Any]:
        """Push a question and wait for its answer, which comes by POST."""
        number, future = self._waiting.ask()
        try:
            message = types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=dict(params or {}))
            await self._sessions.push(self._id, encoded(message))
            answer: dict[str, Any] = await future
            return answer
        finally:
            self._waiting.forget(number)


@dataclass(slots=True)
class Live:
    """One session at hand."""

    connection: Connection
    waiting: Waiting
    under_way: dict[str | int, Exchange] = field(default_factory=dict)


class LiveSessions:
    """The sessions at hand, the longest unused forgotten first."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._live: OrderedDict[str, Live] = OrderedDict()

    def of(self, session: Session) -> Live:
        """Return what this process has of a session; of one that another process made, what the state says."""
        live = self._live.get(session.id)
        if live is None:
            live = self._live[session.id] = self._made(session)
        self._live.move_to_end(session.id)
        if len(self._live) > MOST_LIVE:
            self._live.popitem(last=False)
        return live

    def _made(self, session: Session) -> Live:
        waiting = Waiting()
        push = Push(self._sessions, session.id, waiting)
        connection = Connection.for_loop(push, session_id=session.id, protocol_version_hint=session.protocol_version)
        connection.client_params = types.InitializeRequestParams.model_validate(session.client, by_name=False)
        connection.initialized.set()
        return Live(connection, waiting)

    def forget(self, session_id: str) -> None:
        """Drop a session that has ended, and stop what it has under way."""
        live = self._live.pop(session_id, None)
        for exchange in list(live.under_way.values()) if live else ():
            exchange.cancel()
