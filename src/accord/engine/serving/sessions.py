"""Sessions of the handshake era: made, bound to a caller, found, pushed to, closed. They live in the state store."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import orjson

from accord.engine.nouns import State

__all__ = ["Session", "Sessions"]

IDLE_SECONDS = 45 * 60.0
"""How long a session lives without a request."""


TRUST_SECONDS = 5.0
"""How long a look into the state counts: it costs more than all else that a short call does."""

RENEWED_AFTER = 1 / 45
"""What part of its idle time a session has to be in use before that is written down again."""

MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Session:
    """One client's session; `caller` is None until its first authenticated request.

    `client` is what the client said of itself at its handshake, so that another process can take the session over.
    """

    id: str
    client: Mapping[str, Any]
    protocol_version: str
    caller: str | None = None


class _Known(NamedTuple):
    """A session as it was last seen in the state, and when it was last written there."""

    session: Session
    seen_at: float
    kept_at: float


class Sessions:
    """The sessions of one server, wherever its state is kept; one ends after `idle_seconds` without a request.

    The state is not asked for each request: what was seen there counts for `TRUST_SECONDS`, so a session that another
    process ended may live that much longer here. `clock` tells seconds.
    """

    def __init__(
        self, state: State, idle_seconds: float = IDLE_SECONDS, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._state = state
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self.idle_seconds = idle_seconds

    async def create(self, client: Mapping[str, Any], protocol_version: str) -> Session:
        """Make a session with an id that cannot be guessed."""
        session = Session(secrets.token_urlsafe(32), client, protocol_version)
        await self._keep(session)
        return session

    async def find(self, session_id: str) -> Session | None:
        """Return the session and let it live on; None where it is not known (any more)."""
        known, now = self._known.get(session_id), self._clock()
        if known is not None and now - known.seen_at < TRUST_SECONDS:
            return known.session
        kept = await self._state.get(_key(session_id))
        if kept is None:
            self._known.pop(session_id, None)
            return None
        session = Session(**orjson.loads(kept))
        if known is None or now - known.kept_at > self.idle_seconds * RENEWED_AFTER:
            await self._keep(session)
        else:
            self._known[session_id] = known._replace(session=session, seen_at=now)
        return session

    async def bind(self, session: Session, caller: str) -> Session:
        """Return the session bound to its caller, for good.

        Raises:
            PermissionError: It is bound to somebody else.
        """
        if session.caller not in {None, caller}:
            raise PermissionError("this session belongs to another caller")
        bound = replace(session, caller=caller)
        await self._keep(bound)
        return bound

    async def close(self, session_id: str) -> bool:
        """End a session; False where there was none."""
        self._known.pop(session_id, None)
        return await self._state.take_once(_key(session_id)) is not None

    async def push(self, session_id: str, message: bytes) -> None:
        """Send a message to the streams that the session has open, on whatever replica they are."""
        await self._state.notify(_key(session_id), message)

    def stream(self, session_id: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Return what is pushed to the session from now on."""
        return self._state.listen(_key(session_id))

    async def _keep(self, session: Session) -> None:
        await self._state.put(_key(session.id), orjson.dumps(asdict(session)), lifetime_seconds=self.idle_seconds)
        now = self._clock()
        self._known[session.id] = _Known(session, now, now)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)


def _key(session_id: str) -> str:
    return f"session:{session_id}"
