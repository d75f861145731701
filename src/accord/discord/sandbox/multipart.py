"""Takes a multipart/form-data body apart (RFC 7578) without touching the bytes of its files."""

from __future__ import annotations

from dataclasses import dataclass
from email.parser import BytesParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from email.message import Message


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the form; `filename` is None for a plain field."""

    name: str
    filename: str | None
    content_type: str
    content: bytes


def parts_of(body: bytes, content_type: str) -> list[Part]:
    """All parts in their order; raises ValueError for a body that is not multipart."""
    boundary = _headers(b"Content-Type: " + content_type.encode()).get_param("boundary")
    if not boundary:
        raise ValueError("the content type names no boundary")
    _preamble, *pieces = (b"\r\n" + body).split(b"\r\n--" + str(boundary).encode())
    return [_part(piece) for piece in pieces if not piece.startswith(b"--")]


def _part(piece: bytes) -> Part:
    head, _blank, content = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
    headers = _headers(head)
    name = headers.get_param("name", header="content-disposition")
    return Part(str(name), headers.get_filename(), headers.get_content_type(), content)


def _headers(head: bytes) -> Message:
    return BytesParser().parsebytes(head, headersonly=True)
