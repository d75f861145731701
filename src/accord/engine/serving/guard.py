"""What an HTTP request must be before it is looked at: from a known host and origin, not too large or too many."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from accord.engine.logs import logger
from accord.engine.nouns import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Message, Receive

__all__ = ["Buffered", "Headers", "Hosts", "InFlight", "Limits", "accepts", "check_json", "plain", "read_body"]

Headers = Mapping[str, str]

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?")
"""A Host header: a name or an address, and perhaps a port (RFC 9110, 7.2)."""

_CLOSE = {"connection": "close"}

_log = logger("accord.http")


def plain(error: str, message: str) -> dict[str, str]:
    """Return the body of a refusal by the transport, which is no JSON-RPC."""
    return {"error": error, "message": message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is taken in, and how long is waited.

    Args:
        body_bytes: The longest body.
        body_seconds: How long a client may take to send it.
        stall_seconds: How long it may send nothing while it does.
        buffered_bytes: The most of all bodies together that are still coming.
        in_flight: Requests worked on at once; streams that only listen do not count.
        ping_seconds: How long a stream may be silent; many a proxy closes one after 30 to 60.
    """

    body_bytes: int = 4 * 1024 * 1024
    body_seconds: float = 30.0
    stall_seconds: float = 5.0
    buffered_bytes: int = 64 * 1024 * 1024
    in_flight: int = 16
    ping_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names under which this server may be called, against DNS rebinding: any port of a name will do.

    `origins` are the web pages that may call it, as `scheme://host`; the pages of the allowed hosts always may.
    """

    names: frozenset[str]
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, bound_to: str, names: Iterable[str] = (), origins: Iterable[str] = ()) -> Hosts:
        """Return what a server at this address allows: what was named, and loopback's names for a loopback one."""
        own = LOOPBACK if bound_to in LOOPBACK else ()
        return cls(frozenset(map(_bare, (*own, *names))), frozenset(one.rstrip("/").lower() for one in origins))

    def check(self, headers: Headers) -> None:
        """Let a request pass whose Host, and Origin if it has one, are allowed.

        Raises:
            Refusal: 421 for the host, 403 for the origin; the message and the log say what to set.
        """
        self.check_host(headers)
        origin = headers.get("origin")
        if origin is not None and not self._is_origin(origin):
            _log.warning("an Origin is not allowed; start with --allowed-origin to allow it", origin=origin[:200])
            raise Refusal(403, plain("invalid_origin", "this Origin is not allowed; see --allowed-origin ORIGIN"))

    def check_host(self, headers: Headers) -> None:
        """Let a request pass whose Host is allowed, from whatever page.

        Raises:
            Refusal: 421.
        """
        host = headers.get("host", "")
        if not self._is_host(host):
            _log.warning("a Host is not allowed; start with --allowed-host to allow it", host=host[:200])
            raise Refusal(421, plain("invalid_host", "this Host is not allowed; see --allowed-host HOST"))

    def _is_host(self, host: str) -> bool:
        return _HOST.fullmatch(host) is not None and _bare(host) in self.names

    def _is_origin(self, origin: str) -> bool:
        if origin.lower() in self.origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in {"http", "https"} and self._is_host(parts.netloc)


@lru_cache(maxsize=256)
def _bare(host: str) -> str:
    """Return the name or address alone; an IPv6 address has no brackets where it was configured without."""
    match = _HOST.fullmatch(host)
    return (match["name"] if match else host).strip("[]").lower()


class InFlight:
    """Counts what is done at the same time, and refuses more than there may be."""

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
            raise _busy()
        self._now += 1
        try:
            yield
        finally:
            self._now -= 1


class Buffered:
    """Counts the bytes of the bodies that are still coming, and refuses more than there may be."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._now = 0

    def add(self, number: int) -> None:
        """Count bytes that have come.

        Raises:
            Refusal: 503 where they would be too many; then they are not counted.
        """
        if self._now + number > self._most:
            raise _busy(_CLOSE)
        self._now += number

    def remove(self, number: int) -> None:
        """Count them no longer: their body is whole, or given up."""
        self._now -= number


def _busy(more: Headers = MappingProxyType({})) -> Refusal:
    return Refusal(503, plain("busy", "too many requests are under way"), {"retry-after": "1", **more})


def accepts(headers: Headers, media_type: str) -> bool:
    """Whether the client takes an answer of this type; without the header it takes anything (RFC 9110, 12.5.1)."""
    return _takes(headers.get("accept") or "*/*", media_type)


@lru_cache(maxsize=256)  # clients send the same few again and again
def _takes(wanted: str, media_type: str) -> bool:
    ranges = {part.partition(";")[0].strip().lower() for part in wanted.split(",")}
    return not ranges.isdisjoint({"*/*", media_type.partition("/")[0] + "/*", media_type})


def check_json(headers: Headers) -> None:
    """Let a body pass that says it is JSON, to a client that takes JSON.

    A web page of any origin may send other types without asking first, so this is a wall too.

    Raises:
        Refusal: 415 for the body's type, 406 for a client that would not take the answer.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, plain("unsupported_media_type", "send `Content-Type: application/json`"))
    if not accepts(headers, "application/json"):
        raise Refusal(406, plain("not_acceptable", "accept application/json and text/event-stream"))


async def read_body(receive: Receive, headers: Headers, limits: Limits, buffered: Buffered) -> bytes:
    """Return the whole body.

    Raises:
        Refusal: 413 for a longer one, by its declared length or by what comes; 408 for one that stalls; 400 for one
            that breaks off, which must not be acted upon even where its beginning makes sense; 503 where too much is
            coming at once.
    """
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limits.body_bytes:
        raise _too_large(limits.body_bytes)
    try:
        async with asyncio.timeout(limits.body_seconds) as patience:
            return await _collected(receive, limits, buffered, patience)
    except TimeoutError:
        raise Refusal(408, plain("request_timeout", "the body did not come in time"), _CLOSE) from None


async def _collected(receive: Receive, limits: Limits, buffered: Buffered, patience: asyncio.Timeout) -> bytes:
    now = asyncio.get_running_loop().time
    parts, more, until = bytearray(), True, now() + limits.body_seconds
    try:
        while more:
            patience.reschedule(min(now() + limits.stall_seconds, until))
            message: Message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal(400, plain("incomplete", "the body broke off"))
            more, came = message.get("more_body", False), message.get("body", b"")
            if len(parts) + len(came) > limits.body_bytes:
                raise _too_large(limits.body_bytes)
            buffered.add(len(came))
            parts += came
        return bytes(parts)
    finally:
        buffered.remove(len(parts))


def _too_large(most_bytes: int) -> Refusal:
    return Refusal(413, plain("payload_too_large", f"a body has at most {most_bytes} bytes"), _CLOSE)
