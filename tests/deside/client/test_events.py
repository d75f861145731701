"""What a stream of server-sent events carries, however its bytes arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.deside.client.events import messages

STREAM = b': ping\n\nevent: message\ndata: {"a": 1}\n\nid: 7\ndata:{"b":\ndata: 2}\n\n: ping\n\ndata: {"c": 3}\n\n'


async def taken(chunks: list[bytes]) -> list[Any]:
    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return [message async for message in messages(arriving())]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8), st.booleans())
async def test_every_message_comes_once_however_the_bytes_are_cut(cuts: list[int], crlf: bool) -> None:
    ends = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in pairwise(ends)]

    found = await taken([chunk.replace(b"\n", b"\r\n") for chunk in chunks] if crlf else chunks)

    assert found == [{"a": 1}, {"b": 2}, {"c": 3}]


async def test_a_line_end_that_is_cut_in_two_is_one() -> None:
    assert await taken([b"data: 1\r", b"\n\r", b"\ndata: 2\r\n\r\n"]) == [1, 2]


async def test_an_event_that_was_cut_off_is_none() -> None:
    assert await taken([b"data: 1\n\ndata: 2"]) == [1]


async def test_an_event_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="without an end"):
        await taken([b"data: " + b"x" * 5_000_000] * 2)
