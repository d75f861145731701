"""Sessions of the handshake era: made, bound to a caller, found, pushed to, closed. They live in the state store."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import orjson

from accord.engine.nouns import State

__all__ = ["LOOK_AGAIN", "Session", "SessionConflict", "Sessions"]

IDLE_SECONDS = 45 * 60.0
"""How long a session lives without a request."""


TRUST_SECONDS = 5.0
"""How long a look into the state counts: it costs more than all else that a short call does."""

RENEWED_AFTER = 1 / 45
"""What part of its idle time a session has to be in use before that is written down again."""

MOST_KNOWN = 10_000

LOOK_AGAIN = b""
"""What a session's streams are told when it was bound or has ended; no message of the protocol is empty."""


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


class SessionConflict(Exception):  # noqa: N818 - what is in the way, not what went wrong
    """The caller has a session already, and may have only one."""

    def __init__(self, session_id: str) -> None:
        super().__init__("another session of this caller is active")
        self.session_id = session_id


class Sessions:
    """The sessions of one server, wherever its state is kept; one ends after `idle_seconds` without a request.

    The state is not asked for each request: what was seen there counts for `TRUST_SECONDS` (for less where sessions are
    short), so a session that another process ended may live that much longer here. `exclusive` sessions are one a
    caller. `clock` tells seconds.

    Whose a session became after it was made, and which one is a caller's only one, are values of their own, written
    once: of two that race for it one succeeds, and no later write of the session itself undoes that.
    """

    def __init__(
        self,
        state: State,
        idle_seconds: float = IDLE_SECONDS,
        *,
        exclusive: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._state = state
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self.exclusive = exclusive
        self.idle_seconds = idle_seconds
        self._renew_seconds = idle_seconds * RENEWED_AFTER
        self._trust_seconds = min(TRUST_SECONDS, self._renew_seconds)

    async def create(self, client: Mapping[str, Any], protocol_version: str, caller: str | None = None) -> Session:
        """Make a session with an id that cannot be guessed, for a caller if it is known already.

        Raises:
            SessionConflict: Sessions are exclusive, and this caller has another one.
        """
        session = Session(secrets.token_urlsafe(32), client, protocol_version, caller)
        await self._keep(session)
        if self.exclusive and caller is not None:
            only = await self._claim(_only(caller), session.id, self.idle_seconds)
            if only != session.id:
                await self.close(session.id)
                raise SessionConflict(only)
        return session

    async def find(self, session_id: str) -> Session | None:
        """Return the session and let it live on; None where it is not known (any more)."""
        known, now = self._known.get(session_id), self._clock()
        if known is not None and now - known.seen_at < self._trust_seconds:
            return known.session
        session = await self._read(session_id)
        if session is None:
            self._known.pop(session_id, None)
            return None
        if known is None or now - known.kept_at > self._renew_seconds:
            await self._renew(session)
        else:
            self._known[session_id] = known._replace(session=session, seen_at=now)
        return session

    async def bind(self, session: Session, caller: str) -> Session:
        """Return the session bound to its caller, for good; of several that try at once, one succeeds.

        A stream that the session has open is told with an empty message.

        Raises:
            PermissionError: It is bound to somebody else.
        """
        owner = session.caller or await self._claim(_binding(session.id), caller, 2 * self.idle_seconds)
        if owner != caller:
            raise PermissionError("this session belongs to another caller")
        if session.caller is not None:
            return session
        bound = replace(session, caller=caller)
        self._remember(bound)
        await self.push(session.id, LOOK_AGAIN)
        return bound

    async def close(self, session_id: str) -> bool:
        """End a session; False where there was none."""
        session = await self._read(session_id)
        self._known.pop(session_id, None)
        if session is None:
            return False
        if self.exclusive and session.caller is not None:
            await self._let_go(_only(session.caller), session_id)
        gone = await self._state.take_once(_key(session_id))
        await self._state.delete(_binding(session_id))
        await self.push(session_id, LOOK_AGAIN)
        return gone is not None

    async def push(self, session_id: str, message: bytes) -> None:
        """Send a message to the streams that the session has open, on whatever replica they are."""
        await self._state.notify(_key(session_id), message)

    async def tell(self, caller: str, message: bytes) -> None:
        """Send a message to every stream that is open in a session of this caller, on whatever replica it is."""
        await self._state.notify(_news(caller), message)

    @asynccontextmanager
    async def stream(self, session: Session) -> AsyncIterator[AsyncIterator[bytes]]:
        """Return what is pushed to the session, and to its caller if it has one, from now on.

        An empty message means that the session has changed: it was bound, or it is over.
        """
        topics = (_key(session.id),) if session.caller is None else (_key(session.id), _news(session.caller))
        async with self._state.listen(*topics) as messages:
            yield self._heard(session.id, messages)

    async def _heard(self, session_id: str, messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for message in messages:
            if message == LOOK_AGAIN:
                self._known.pop(session_id, None)
            yield message

    async def _read(self, session_id: str) -> Session | None:
        kept = await self._state.get(_key(session_id))
        if kept is None:
            return None
        session = Session(**orjson.loads(kept))
        if session.caller is not None:
            return session
        owner = await self._state.get(_binding(session_id))
        return session if owner is None else replace(session, caller=owner.decode())

    async def _keep(self, session: Session) -> None:
        await self._state.put(_key(session.id), orjson.dumps(asdict(session)), lifetime_seconds=self.idle_seconds)
        self._remember(session)

    async def _renew(self, session: Session) -> None:
        await self._keep(session)
        if self.exclusive and session.caller is not None:
            await self._state.put(_only(session.caller), session.id.encode(), lifetime_seconds=self.idle_seconds)

    async def _claim(self, key: str, value: str, lifetime_seconds: float) -> str:
        """Write the value if nothing stands there yet, and return what stands there."""
        while True:
            if await self._state.put(key, value.encode(), lifetime_seconds=lifetime_seconds, only_if_absent=True):
                return value
            if (held := await self._state.get(key)) is not None:
                return held.decode()

    async def _let_go(self, key: str, value: str) -> None:
        if await self._state.get(key) == value.encode():
            await self._state.delete(key)

    def _remember(self, session: Session) -> None:
        now = self._clock()
        self._known[session.id] = _Known(session, now, now)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)


def _key(session_id: str) -> str:
    return f"session:{session_id}"


def _binding(session_id: str) -> str:
    return f"session-caller:{session_id}"


def _only(caller: str) -> str:
    return f"caller-session:{caller}"


def _news(caller: str) -> str:
    return f"caller:{caller}"
