"""The judge as a listener to a stand-in for Discord."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.judge.judge import Judge


class Exchange(Protocol):
    """One exchange in wire bytes; `path` is without /api/v10 and query, `query` raw."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def query(self) -> str: ...
    @property
    def request_headers(self) -> Mapping[str, str]: ...
    @property
    def request_body(self) -> bytes: ...
    @property
    def status(self) -> int: ...
    @property
    def response_headers(self) -> Mapping[str, str]: ...
    @property
    def response_body(self) -> bytes: ...


class JudgedExchanges:
    """What the judge found wrong with the exchanges it was told of; give it as `on_exchange`."""

    def __init__(self, judge: Judge) -> None:
        self.violations: list[str] = []
        self._judge = judge
        self._bad_requests = False
        self._bad_answers = False

    def __call__(self, exchange: Exchange) -> None:
        """Judge one exchange and keep what is wrong with it."""
        asked = self._judge.request(
            exchange.method, exchange.path, exchange.query, exchange.request_headers, exchange.request_body
        )
        answered = self._judge.answer(
            exchange.method, exchange.path, exchange.status, exchange.response_headers, exchange.response_body
        )
        self.violations += [] if self._bad_requests else asked
        self.violations += [] if self._bad_answers else answered

    @contextmanager
    def expecting_bad_requests(self) -> Iterator[None]:
        """Judge no request meanwhile: the test asks for what Discord refuses."""
        self._bad_requests = True
        try:
            yield
        finally:
            self._bad_requests = False

    @contextmanager
    def expecting_bad_answers(self) -> Iterator[None]:
        """Judge no answer meanwhile: the test has the stand-in answer wrongly (malformed JSON, a lost connection)."""
        self._bad_answers = True
        try:
            yield
        finally:
            self._bad_answers = False

    def assert_clean(self) -> None:
        """Raise AssertionError with every violation, one a line."""
        if self.violations:
            raise AssertionError("\n".join(["Discord's file disagrees:", *dict.fromkeys(self.violations)]))
