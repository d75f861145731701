"""Requests to a node of Solana: JSON-RPC over HTTP, or straight to a chain in this process."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import aiohttp
import orjson

from accord.deside.payments.bodies import whole_body

__all__ = ["HttpNode", "Post", "Rpc", "RpcError", "RpcUnavailableError"]

Json: TypeAlias = Any

Post: TypeAlias = Callable[[Json], Awaitable[Json]]
"""Takes a request of JSON-RPC and returns its answer; raises OSError or TimeoutError where there is none."""

REQUEST_SECONDS: Final = 10
MOST_BYTES: Final = 1_048_576
"""More than any answer takes that is asked for here."""

NO_ANSWER: Final = (OSError, TimeoutError, aiohttp.ClientError, ValueError, LookupError, TypeError, AttributeError)
"""What comes of no connection, no answer, or an answer in another form than JSON-RPC's."""


class RpcError(Exception):
    """The node refused a request. Its words may quote what was sent, so they are for logs, not for callers."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class RpcUnavailableError(Exception):
    """The node did not answer; whether it did what was asked is not known."""


class Rpc:
    """Calls methods of a node."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._ids = itertools.count(1)

    async def __call__(self, method: str, *params: Json) -> Json:
        """Call a method and return its result.

        Raises:
            RpcError: The node refused.
            RpcUnavailableError: No answer came, or none that is JSON-RPC.
        """
        try:
            answer = await self._post({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})
            if "result" in answer:
                return answer["result"]
            refused = RpcError(int(answer["error"]["code"]), str(answer["error"].get("message")))
        # The URL may hold a key, and aiohttp's errors quote it.
        except (
            OSError,
            TimeoutError,
            aiohttp.ClientError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:
            raise RpcUnavailableError(f"{method}: {type(error).__name__}") from None
        raise refused


class HttpNode:
    """A node behind a URL, which may hold a key."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session: aiohttp.ClientSession | None = None

    async def __call__(self, request: Json) -> Json:
        """Send one request and return the answer."""
        async with self._opened().post(self._url, data=orjson.dumps(request), allow_redirects=False) as response:
            if response.status >= 500:  # noqa: PLR2004 - a node answers errors of its own with 200, some with 4xx
                raise ValueError
            return orjson.loads(await whole_body(response, MOST_BYTES))

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=REQUEST_SECONDS), headers={"content-type": "application/json"}
            )
        return self._session
