"""What a session of the handshake era has in this process: its connection, its calls under way, its open stream."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.connection import Connection
from mcp.server.runner import aclose_shielded
from mcp.shared.exceptions import NoBackChannelError

from accord.engine.nouns import Refusal
from accord.engine.serving.exchange import Exchange, Waiting
from accord.engine.serving.guard import plain
from accord.engine.serving.wire import encoded

if TYPE_CHECKING:
    from mcp.shared.dispatcher import CallOptions

    from accord.engine.serving.sessions import Session, Sessions
    from accord.engine.serving.standing import Standing

__all__ = ["Live", "LiveSessions"]

MOST_LIVE = 10_000
"""How many sessions one process keeps at hand; an older one is made again from the state when it comes back."""


class Push:
    """The SDK's way to a session's client outside of any request: what the session's open stream brings."""

    def __init__(self, sessions: Sessions, session_id: str) -> None:
        self._sessions = sessions
        self._id = session_id

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:  # noqa: ARG002 - the SDK's signature
        """Push a notification; without an open stream nobody hears it."""
        message = types.JSONRPCNotification(jsonrpc="2.0", method=method, params=dict(params) if params else None)
        await self._sessions.push(self._id, encoded(message))

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,  # noqa: ARG002 - the SDK's signature
        opts: CallOptions | None = None,  # noqa: ARG002 - the same
    ) -> dict[str, Any]:
        """Refuse: a question belongs to a call, and goes out on that call's own stream.

        Raises:
            NoBackChannelError: Always.
        """
        raise NoBackChannelError(method)


@dataclass(slots=True)
class Live:
    """One session at hand."""

    connection: Connection
    used_at: float
    is_bound: bool = False
    waiting: Waiting = field(default_factory=Waiting)
    under_way: dict[types.RequestId, Exchange] = field(default_factory=dict)
    stream: Standing | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether nobody would miss it now: it has no call under way and no open stream."""
        return not self.under_way and self.stream is None

    @contextmanager
    def streaming(self, stream: Standing) -> Iterator[None]:
        """Take a new stream in place of the one before, which is most likely dead: no message goes out twice."""
        if self.stream is not None:
            self.stream.cancel()
        self.stream = stream
        try:
            yield
        finally:
            if self.stream is stream:
                self.stream = None

    async def close(self) -> None:
        """Stop what is under way, and let go of what hangs on the connection, such as subscriptions."""
        for exchange in list(self.under_way.values()):
            exchange.cancel()
        if self.stream is not None:
            self.stream.cancel()
        await aclose_shielded(self.connection)


class LiveSessions:
    """The sessions at hand, the longest unused first; those idle for too long and too many of them are dropped.

    Where there are too many, those that are nobody's go first. What has a call under way or an open stream is kept.
    """

    def __init__(
        self, sessions: Sessions, *, most: int = MOST_LIVE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sessions = sessions
        self._most = most
        self._clock = clock
        self._live: OrderedDict[str, Live] = OrderedDict()

    def __len__(self) -> int:
        return len(self._live)

    async def of(self, session: Session) -> Live:
        """Return what this process has of a session; of one that another process made, what the state says.

        Raises:
            Refusal: 503 where that would be one too many, and none can be dropped.
        """
        if session.id not in self._live:
            await self.make_room()
            self._live[session.id] = self._made(session)
        live = self._live[session.id]
        live.used_at, live.is_bound = self._clock(), session.caller is not None
        self._live.move_to_end(session.id)
        await self._drop_idle()
        return live

    async def make_room(self) -> None:
        """See to it that there is room for one more session.

        Raises:
            Refusal: 503.
        """
        await self._drop_idle()
        while len(self._live) >= self._most:
            quiet = [session_id for session_id, live in self._live.items() if live.is_quiet]
            of_nobody = (session_id for session_id in quiet if not self._live[session_id].is_bound)
            longest = next(of_nobody, None) or next(iter(quiet), None)
            if longest is None:
                raise Refusal(503, plain("busy", "too many sessions are in use"), {"retry-after": "1"})
            await self.forget(longest)

    async def forget(self, session_id: str) -> None:
        """Drop a session that has ended."""
        live = self._live.pop(session_id, None)
        if live is not None:
            await live.close()

    async def _drop_idle(self) -> None:
        idle_since = self._clock() - self._sessions.idle_seconds
        idle = itertools.takewhile(lambda one: one[1].used_at <= idle_since, self._live.items())
        for session_id in [session_id for session_id, live in idle if live.is_quiet]:
            await self.forget(session_id)

    def _made(self, session: Session) -> Live:
        connection = Connection.for_loop(
            Push(self._sessions, session.id), session_id=session.id, protocol_version_hint=session.protocol_version
        )
        connection.client_params = types.InitializeRequestParams.model_validate(session.client, by_name=False)
        connection.initialized.set()
        return Live(connection, self._clock())
