"""A letter is sent: judged, numbered and kept, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from accord.deside.errors import (
    BlockedError,
    ConflictError,
    CooldownError,
    PolicyBlockedError,
    RateLimitError,
)
from accord.deside.messaging import postgres, sqlite
from accord.deside.messaging.judging import Verdict
from accord.deside.messaging.letters import HELD_MOST, HOUR_MS, WINDOW_MS, Letter, Limits
from accord.deside.messaging.outcomes import Judged
from accord.deside.messaging.requests import release
from accord.engine import ToolError

__all__ = ["Posted", "send"]

Status = Literal["delivered", "pending_acceptance", "user_not_registered"]

SEND = {"sqlite": sqlite.send, "postgresql": postgres.send}


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a letter that was not refused; `is_new` means that it was kept by this very call.

    `begins` means that nothing was there before it: no conversation, or no request that it joined.
    """

    status: Status
    seq: int | None
    is_new: bool
    begins: bool


def send(connection: sa.Connection, letter: Letter, limits: Limits) -> Posted:
    """Send a letter within this transaction.

    Raises:
        ToolError: It is refused; nothing is kept.
        Raced: Another transaction came first; begin anew.
    """
    judged = SEND[connection.dialect.name](connection, letter, limits)
    if judged.verdict == "release":
        release(connection, letter.pair, letter.at_ms)
        judged = SEND[connection.dialect.name](connection, letter, limits)
    if judged.verdict in _POSTED:
        return _POSTED[judged.verdict](judged)
    if judged.verdict == "known":
        return _first_result(judged, letter)
    raise _refusal(judged.verdict, judged, letter)


_POSTED: dict[Verdict, Callable[[Judged], Posted]] = {
    "unregistered": lambda _: Posted("user_not_registered", None, is_new=False, begins=False),
    "deliver": lambda judged: Posted("delivered", judged.seq, is_new=True, begins=judged.seq == 1),
    "hold": lambda judged: Posted("pending_acceptance", None, is_new=True, begins=judged.held == 1),
}


def _first_result(judged: Judged, letter: Letter) -> Posted:
    if judged.known_fingerprint != letter.fingerprint:
        raise ConflictError(reason="the same idempotency_key was used for another message")
    status: Status = "pending_acceptance" if judged.seq is None else "delivered"
    return Posted(status, judged.seq, is_new=False, begins=False)


def _refusal(verdict: Verdict, judged: Judged, letter: Letter) -> ToolError:
    if verdict == "rate":
        return RateLimitError(retry_after_ms=_wait_ms(judged.nth_at_ms, HOUR_MS, letter.at_ms))
    if verdict == "burst":
        return CooldownError(retry_after_ms=_wait_ms(judged.mth_at_ms, WINDOW_MS, letter.at_ms))
    if verdict == "blocked":
        return BlockedError()
    return PolicyBlockedError(recovery_hint=_HINTS.get(verdict))


_HINTS: dict[Verdict, str] = {
    "full": f"Wait until your contact request is answered: it has {HELD_MOST} messages already.",
    "declined": "Your contact request was declined; it may be made again a day later.",
}


def _wait_ms(at_ms: int | None, window_ms: int, now_ms: int) -> int:
    """Return how long a place stays taken; a clock that was set back makes nobody wait longer than one window."""
    taken = now_ms if at_ms is None else min(at_ms, now_ms)
    return max(1, taken + window_ms - now_ms)
