"""The body of an HTTP answer, to its end and no longer than it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import ClientResponse

__all__ = ["whole_body"]

CHUNK_BYTES = 65_536


async def whole_body(response: ClientResponse, most_bytes: int) -> bytes:
    """Read it to its end, in however many parts it comes: `content.read(n)` returns what has arrived by then.

    Raises:
        ValueError: It is longer than that.
    """
    body = bytearray()
    async for chunk in response.content.iter_chunked(CHUNK_BYTES):
        body += chunk
        if len(body) > most_bytes:
            raise ValueError("is longer than it may be")
    return bytes(body)
