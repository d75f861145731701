"""What a test lets go wrong on the chain: each fault happens to so many of the next requests that it fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["Faults", "NoAnswerError", "RefusedError"]

Json: TypeAlias = Any


class RefusedError(Exception):
    """The node answers with an error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class NoAnswerError(ConnectionError):
    """The connection ends without an answer."""


@dataclass
class Faults:
    """The faults that are still to happen.

    Args:
        dropped: So many sent transactions are accepted and never land.
        late: So many requests about statuses pass before a sent transaction lands.
        unconfirmed: So many requests about statuses answer that nothing is known.
        meanwhile: Runs once, between a transaction's preflight and its landing.
    """

    dropped: int = 0
    late: int = 0
    unconfirmed: int = 0
    meanwhile: Callable[[], None] | None = None
    _errors: dict[str, list[RefusedError]] = field(default_factory=dict)
    _lost_requests: Counter[str] = field(default_factory=Counter)
    _lost_answers: Counter[str] = field(default_factory=Counter)

    def error(self, method: str, code: int, message: str = "broken", *, data: Json = None, times: int = 1) -> None:
        """Let requests of this method be answered with an error, without being carried out."""
        self._errors.setdefault(method, []).extend(RefusedError(code, message, data) for _ in range(times))

    def lose(self, method: str, *, answers: bool = False, times: int = 1) -> None:
        """Let requests of this method get lost, or only the answers to them."""
        (self._lost_answers if answers else self._lost_requests)[method] += times

    def before(self, method: str) -> None:
        """Let happen what is to happen instead of a request."""
        if waiting := self._errors.get(method):
            raise waiting.pop(0)
        if self._taken(self._lost_requests, method):
            raise NoAnswerError

    def after(self, method: str) -> None:
        """Let happen what is to happen to an answer."""
        if self._taken(self._lost_answers, method):
            raise NoAnswerError

    def drops(self) -> bool:
        """Whether this transaction is to be dropped."""
        self.dropped -= (drops := self.dropped > 0)
        return drops

    def hides(self) -> bool:
        """Whether nothing is to be known of any transaction this time."""
        self.unconfirmed -= (hides := self.unconfirmed > 0)
        return hides

    def interfere(self) -> None:
        """Let happen what is to happen meanwhile."""
        happening, self.meanwhile = self.meanwhile, None
        if happening is not None:
            happening()

    @staticmethod
    def _taken(waiting: Counter[str], method: str) -> bool:
        waiting[method] -= (taken := waiting[method] > 0)
        return taken
