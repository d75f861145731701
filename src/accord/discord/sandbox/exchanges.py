"""What was asked and answered: one record an exchange, in a log that never outgrows its bounds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEPT_EXCHANGES = 10_000
KEPT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Exchange:
    """One API request and its answer, byte for byte.

    `path` is as it was sent, without /api or /api/v10 and without the query; request header names are in lower case.
    A `status` of 0 means that the connection was closed without an answer.
    """

    method: str
    path: str
    query: str
    request_headers: Mapping[str, str]
    request_body: bytes
    status: int
    response_headers: Mapping[str, str]
    response_body: bytes

    @property
    def size(self) -> int:
        """How many bytes of bodies the record holds."""
        return len(self.request_body) + len(self.response_body)


class ExchangeLog:
    """The last exchanges, oldest first, each with a number that counts up from 1 and is never given again."""

    def __init__(self) -> None:
        """Start empty."""
        self._entries: deque[tuple[int, Exchange]] = deque()
        self._bytes = 0
        self._last_number = 0

    def __iter__(self) -> Iterator[tuple[int, Exchange]]:
        """Every record that is kept, with its number."""
        return iter(self._entries)

    def add(self, exchange: Exchange) -> None:
        """Append one, and drop the oldest beyond 10,000 records or 64 MiB of bodies."""
        self._last_number += 1
        self._entries.append((self._last_number, exchange))
        self._bytes += exchange.size
        while len(self._entries) > KEPT_EXCHANGES or self._bytes > KEPT_BYTES:
            self._bytes -= self._entries.popleft()[1].size

    def clear(self) -> None:
        """Forget all; numbers go on."""
        self._entries.clear()
        self._bytes = 0


def shown(number: int, exchange: Exchange) -> dict[str, Any]:
    """A record as JSON for people and test scripts: without the credential, with the body as text."""
    headers = {name: value for name, value in exchange.request_headers.items() if name != "authorization"}
    return {
        "number": number,
        "method": exchange.method,
        "path": exchange.path,
        "query": exchange.query,
        "headers": headers,
        "body": exchange.request_body.decode(errors="replace"),
        "status": exchange.status,
    }
