"""Whose a session is: who may open one, to whom it gets bound, and what everybody else is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from accord.engine.nouns import Caller, Refusal
from accord.engine.serving.guard import Headers, plain
from accord.engine.serving.posted import SESSION_HEADER
from accord.engine.serving.sessions import Session, SessionConflict, Sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.engine.serving.exchange import Incoming

__all__ = ["Bindings", "SessionRules"]

Json: TypeAlias = Any
Challenge: TypeAlias = Callable[[Headers], Refusal]
Count: TypeAlias = Callable[[str], Awaitable[None]]


def _unauthorized(_: Headers) -> Refusal:
    return Refusal(401, plain("unauthorized", "say who you are"), {"www-authenticate": "Bearer"})


async def _uncounted(_: str) -> None:
    """Let everybody in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRules:
    """How sessions belong to callers. As they stand, all callers are known, and each has sessions of its own.

    A front that lets in callers without an id makes the rest meaningful. Such a caller can list tools and ping; a call
    of a tool goes to the gates, and its answer has the challenge's status and headers.

    Args:
        opened_by_anyone: A session may be opened by who is not known, and is bound by its first known caller.
        tells_whose: Who brings another's session hears 403 `session_mismatch`; else it is as good as unknown.
        standalone: Requests of the 2026 era are answered, which have no session; else they hear `session_required`,
            upon which clients of both eras shake hands.
        challenge: What who is not known hears where somebody has to be, by the headers of the request.
        count_stranger: Asked before who is not known opens a session, with the address that it calls from; it raises
            what is refused.
    """

    opened_by_anyone: bool = False
    tells_whose: bool = False
    standalone: bool = True
    challenge: Challenge = _unauthorized
    count_stranger: Count = _uncounted


class Bindings:
    """The sessions of a server under its rules."""

    def __init__(self, sessions: Sessions, rules: SessionRules) -> None:
        self._sessions = sessions
        self._rules = rules

    async def opened(self, incoming: Incoming, client: Mapping[str, Json], version: str) -> Session:
        """Return a new session, of its caller if that is known.

        Raises:
            Refusal: 401 for a caller that has to be known; 409 `session_conflict` for one that has its session; what
                the rules say of too many from one address.
        """
        caller = incoming.caller
        if not (caller.is_known or self._rules.opened_by_anyone):
            raise self.challenge(incoming)
        if not caller.is_known:
            await self._rules.count_stranger(incoming.address)
        try:
            return await self._sessions.create(client, version, caller.id if caller.is_known else None)
        except SessionConflict as conflict:
            message = "another session of this caller is active; use it, or end it with DELETE"
            told = {**plain("session_conflict", message), "active_session_id": conflict.session_id}
            raise Refusal(409, told) from None

    async def entered(self, incoming: Incoming, *, acts: bool) -> Session:
        """Return the session of a request, bound to its caller from now on.

        Args:
            incoming: The request.
            acts: Whether it does something with the session itself, such as to listen or to end it: in a session that
                is somebody's, its caller must do that.

        Raises:
            Refusal: 400 without an id; 404 for a session that is unknown or over, so that a client starts anew; 403 or
                404 for another's; 401 for a caller that has to be known.
        """
        session = await self._found(incoming.headers.get(SESSION_HEADER))
        if incoming.caller.is_known:
            return await self._bound(session, incoming.caller)
        if acts and session.caller is not None:
            raise self.challenge(incoming)
        return session

    def challenge(self, incoming: Incoming) -> Refusal:
        """Return what a caller hears that would have to be known."""
        return self._rules.challenge(incoming.headers)

    def check_standalone(self) -> None:
        """Let a request pass that belongs to no session, if there may be such.

        Raises:
            Refusal: 400.
        """
        if not self._rules.standalone:
            raise _required()

    async def _found(self, session_id: str | None) -> Session:
        if session_id is None:
            raise _required()
        session = await self._sessions.find(session_id)
        if session is None:
            raise _over()
        return session

    async def _bound(self, session: Session, caller: Caller) -> Session:
        try:
            return await self._sessions.bind(session, caller.id)
        except PermissionError:
            mismatch = Refusal(403, plain("session_mismatch", "this session belongs to another caller"))
            raise (mismatch if self._rules.tells_whose else _over()) from None


def _required() -> Refusal:
    return Refusal(400, plain("session_required", "send the mcp-session-id that initialize answered with"))


def _over() -> Refusal:
    return Refusal(404, plain("session_not_found", "this session is over; start a new one with initialize"))
