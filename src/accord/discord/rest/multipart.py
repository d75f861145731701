"""A form on its way out: its files are opened for one attempt, read in pieces, and closed after it.

It needs aiohttp, so that only what sends a form imports it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypeAlias

import aiohttp

from accord.discord.rest.uploads import Content, Form
from accord.engine import Issue, ToolError, ValidationError

__all__ = ["opened"]

PIECE_BYTES = 256 * 1024
JSON_PART = "payload_json"


class Watched:
    """A source of pieces that remembers why it broke off: aiohttp tells that as a loss of the connection."""

    def __init__(self, pieces: AsyncIterable[bytes]) -> None:
        self._pieces = aiter(pieces)
        self.failure: Exception | None = None

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._pieces)
        except StopAsyncIteration:
            raise
        except Exception as failure:
            self.failure = failure
            raise


Source: TypeAlias = BytesIO | BinaryIO | Watched
"""What aiohttp reads in pieces: files in a thread, and their size is known before."""


@asynccontextmanager
async def opened(form: Form, body: bytes | None) -> AsyncIterator[aiohttp.FormData]:
    """Open the form for one attempt, with the request's JSON body among its parts.

    Raises:
        ToolError: What a source of pieces raised itself.
        ValidationError: A file cannot be read. Discord got no whole request, if any.
    """
    # Discord takes names as they are (RFC 7578, 5.1): percent-encoding would become part of them.
    parts = aiohttp.FormData(quote_fields=False, default_to_multipart=True)
    if body is not None:
        parts.add_field(JSON_PART, aiohttp.BytesIOPayload(BytesIO(body), content_type="application/json"))
    for name, text in form.fields.items():
        parts.add_field(name, text)
    async with AsyncExitStack() as stack:
        for number, upload in enumerate(form.files):
            name = upload.field_name or f"files[{number}]"
            source = await stack.enter_async_context(_readable(upload.content, name))
            parts.add_field(name, source, filename=upload.filename, content_type=upload.media_type)
        yield parts


@asynccontextmanager
async def _readable(content: Content, name: str) -> AsyncIterator[Source]:
    if isinstance(content, bytes):
        yield BytesIO(content)
    elif isinstance(content, Path):
        file = await _file_at(content, name)
        try:
            yield file
        finally:
            await asyncio.to_thread(file.close)
    else:
        watched = Watched(content if isinstance(content, AsyncIterable) else _pieces_of(content))
        try:
            yield watched
        except Exception:
            if watched.failure is None:
                raise
            if isinstance(watched.failure, ToolError):
                raise watched.failure from None
            raise _unreadable(name) from watched.failure


async def _file_at(path: Path, name: str) -> BinaryIO:
    try:
        return await asyncio.to_thread(_regular_file, path)
    except OSError as error:
        raise _unreadable(name) from error


def _regular_file(path: Path) -> BinaryIO:
    """Open the file; what is none may never end, or never begin."""
    if not path.is_file():
        raise FileNotFoundError
    return path.open("rb")


async def _pieces_of(file: BinaryIO) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
        yield piece


def _unreadable(name: str) -> ValidationError:
    return ValidationError(issues=[Issue(path=name, message="The file cannot be read.", code="UNREADABLE_FILE")])
