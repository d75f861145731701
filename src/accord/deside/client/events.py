"""Server-sent events: bytes in, the JSON of each message out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, TypeAlias

import orjson

__all__ = ["messages"]

Json: TypeAlias = Any

MOST_BYTES = 8 * 1024 * 1024
"""The longest event that is taken; a service that sends more is not one of these."""


async def messages(chunks: AsyncIterator[bytes]) -> AsyncIterator[Json]:
    """Yield what each event carries. Comments, which keep a stream alive, carry nothing.

    Raises:
        ValueError: An event is no JSON, or has no end.
    """
    left = b""
    async for chunk in chunks:
        *events, left = (left + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        if len(left) > MOST_BYTES:
            raise ValueError("an event without an end")
        for event in events:
            data = _data(event)
            if data:
                yield orjson.loads(data)


def _data(event: bytes) -> bytes:
    """Join the lines of data (HTML, 9.2.6)."""
    lines = (line[len(b"data:") :].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:"))
    return b"\n".join(lines)
