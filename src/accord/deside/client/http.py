"""HTTP as this client uses it: JSON out, JSON in, no redirect followed, no answer waited for without end."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import aiohttp
import orjson

from accord.deside.client.errors import RefusedError, UnreachableError, UntrustworthyError

__all__ = ["Answer", "Http", "checked", "is_loopback", "opened"]

Json: TypeAlias = Any

ANSWER_SECONDS = 60.0
"""How long an answer may take, from the first byte sent to the last one received: a call's 45 seconds, and the way."""

SILENCE_SECONDS = 60.0
"""How long a stream may be silent: a service sends a comment every 15."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        """The body, as JSON; None where it is something else."""
        try:
            return orjson.loads(self.body)
        except ValueError:
            return None

    def expect(self, status: int) -> Json:
        """Return the JSON object that comes with this status.

        Raises:
            RefusedError: Another status came, or no object.
        """
        said = self.json
        if self.status != status or not isinstance(said, dict):
            raise self.refusal
        return said

    @property
    def refusal(self) -> RefusedError:
        """What the answer says, if it is taken as a no."""
        said = self.json if isinstance(self.json, dict) else {}
        message = said.get("message") or said.get("error_description") or ""
        return RefusedError(str(said.get("error", "unexpected_answer")), self.status, str(message), said)


class Http:
    """One client's connections."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Get one answer."""
        return await self.send("GET", url, headers=headers)

    async def post(self, url: str, body: Json, headers: Mapping[str, str] | None = None) -> Answer:
        """Post JSON."""
        return await self.send("POST", url, body, headers)

    async def send(self, method: str, url: str, body: Json = None, headers: Mapping[str, str] | None = None) -> Answer:
        """Send a request and take its answer whole.

        Raises:
            UnreachableError: None came.
        """
        patience = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        with _telling(url):
            async with self._session.request(
                method, url, **_sent(body, headers), timeout=patience, allow_redirects=False
            ) as response:
                return await _whole(response)

    @asynccontextmanager
    async def stream(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a stream of bytes.

        Raises:
            RefusedError: It is not opened.
            UnreachableError: No answer came; the stream raises it too, where it breaks off.
        """
        patience = aiohttp.ClientTimeout(total=None, sock_connect=ANSWER_SECONDS, sock_read=SILENCE_SECONDS)
        with _telling(url):
            response = await self._session.get(url, headers=headers, timeout=patience, allow_redirects=False)
        async with response:
            if response.status != 200:  # noqa: PLR2004 - HTTP's own number
                (await _whole(response)).expect(200)
            yield _chunks(response, url)


def _sent(body: Json, headers: Mapping[str, str] | None) -> dict[str, Json]:
    own = {"accept": "application/json", **(headers or {})}
    if body is None:
        return {"headers": own}
    return {"headers": {**own, "content-type": "application/json"}, "data": orjson.dumps(body)}


async def _chunks(response: aiohttp.ClientResponse, url: str) -> AsyncIterator[bytes]:
    with _telling(url):
        async for chunk in response.content.iter_any():
            yield chunk


@contextmanager
def _telling(url: str) -> Iterator[None]:
    """Say of a lost connection what was not reached, and why."""
    try:
        yield
    except TimeoutError:
        raise UnreachableError(f"{_place(url)} does not answer") from None
    except (aiohttp.ClientError, OSError) as error:
        raise UnreachableError(f"{_place(url)} cannot be reached: {_reason(error)}") from None


async def _whole(response: aiohttp.ClientResponse) -> Answer:
    return Answer(response.status, response.headers, await response.read())


@asynccontextmanager
async def opened() -> AsyncIterator[Http]:
    """Lend connections, which are closed with the context."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Http(session)


def checked(url: str) -> str:
    """Return the URL if tokens may be sent there.

    Raises:
        UntrustworthyError: It is none, or others could read along: plain http is for this machine alone.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.fragment:
        raise UntrustworthyError(f"{url!r} is no address of a service: write http(s)://host or http(s)://host:port")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise UntrustworthyError(f"{_place(url)} is not this machine, and plain http would show it tokens: use https")
    return url


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by every reading."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _reason(error: Exception) -> str:
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None) or 0
    return os.strerror(number) if number > 0 else str(cause) or type(cause).__name__
