"""What an HTTP request must be before it is looked at: from a known host and origin, small enough, one of not too many."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from accord.engine.nouns import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Receive

__all__ = ["Headers", "Hosts", "InFlight", "read_body"]

Headers = Mapping[str, str]

BODY_SECONDS = 30.0
"""How long a client may take to send its body; one that stalls must not hold a place for ever."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names under which this server may be called, against DNS rebinding: any port of a name will do.

    `origins` are the web pages that may call it, as `scheme://host`; the pages of the allowed hosts always may.
    """

    names: frozenset[str]
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, bound_to: str, names: Iterable[str] = (), origins: Iterable[str] = ()) -> Hosts:
        """Return what is allowed for a server bound to this address: what was named, and loopback for a loopback one."""
        own = LOOPBACK if bound_to in LOOPBACK else ()
        return cls(frozenset(map(_bare, (*own, *names))), frozenset(origins))

    def check(self, headers: Headers) -> None:
        """Let a request pass whose Host, and Origin if it has one, are allowed.

        Raises:
            Refusal: 421 for the host, 403 for the origin; the message says what to set.
        """
        host = _HOST.fullmatch(headers.get("host", ""))
        if host is None or _bare(host["name"]) not in self.names:
            raise Refusal(421, _refused("invalid_host", "this Host is not allowed; start with --allowed-host HOST"))
        origin = headers.get("origin")
        if origin is not None and not self._knows(origin):
            raise Refusal(403, _refused("invalid_origin", "this Origin is not allowed; start with --allowed-origin ORIGIN"))

    def _knows(self, origin: str) -> bool:
        if origin in self.origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in {"http", "https"} and _bare(parts.hostname or "") in self.names


def _bare(host: str) -> str:
    return host.strip("[]").lower()


def _refused(error: str, message: str) -> dict[str, str]:
    return {"error": error, "message": message}


class InFlight:
    """Counts the requests that are worked on, and refuses more than there may be."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold one place.

        Raises:
            Refusal: 503 where all are taken; there is no queue.
        """
        if self._now >= self._most:
            raise Refusal(503, _refused("busy", "too many requests are under way"), {"retry-after": "1"})
        self._now += 1
        try:
            yield
        finally:
            self._now -= 1


async def read_body(receive: Receive, headers: Headers, most_bytes: int) -> bytes:
    """Return the whole body.

    Raises:
        Refusal: 413 for a longer one, by its declared length or by what comes; 408 for one that stalls.
    """
    if headers.get("content-length", "0").isdigit() and int(headers.get("content-length", "0")) > most_bytes:
        raise _too_large(most_bytes)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _collected(receive, most_bytes)
    except TimeoutError:
        raise Refusal(408, _refused("request_timeout", "the body did not come in time"), _CLOSE) from None


_CLOSE = {"connection": "close"}


def _too_large(most_bytes: int) -> Refusal:
    return Refusal(413, _refused("too_large", f"a body has at most {most_bytes} bytes"), _CLOSE)


async def _collected(receive: Receive, most_bytes: int) -> bytes:
    message = await receive()
    if not message.get("more_body", False):
        body: bytes = message.get("body", b"")
        if len(body) > most_bytes:
            raise _too_large(most_bytes)
        return body
    parts = bytearray(message.get("body", b""))
    while message.get("more_body", False):
        message = await receive()
        parts += message.get("body", b"")
        if len(parts) > most_bytes:
            raise _too_large(most_bytes)
    return bytes(parts)
