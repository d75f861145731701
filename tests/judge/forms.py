"""Values that come as text: the readings a text allows, and bodies that are forms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_BOOLEANS = {"true": True, "false": False}
_INTEGER = re.compile(r"-?\d{1,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form by name, each with all its values, and the names of its files."""

    fields: Mapping[str, Sequence[str]]
    files: frozenset[str] = frozenset()


class UnreadableFormError(ValueError):
    """The bytes are not the form that the content type promises."""


def readings(values: Sequence[str]) -> Iterator[Any]:
    """What the values of one name can mean, the narrowest meaning first.

    A name that is given once may be a boolean, an integer, a text, or a list separated by commas; one that is
    given more often is a list.
    """
    if len(values) > 1:
        yield list(values)
        return
    (text,) = values
    if text in _BOOLEANS:
        yield _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        yield int(text)
    yield text
    yield text.split(",")


def parse_urlencoded(encoded: str) -> Form:
    """Read a query or an urlencoded body; raises UnreadableFormError."""
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, strict_parsing=bool(encoded), errors="strict")
    except ValueError as error:
        raise UnreadableFormError(str(error)) from error
    fields = defaultdict(list)
    for name, value in pairs:
        fields[name].append(value)
    return Form(dict(fields))


def parse_multipart(content_type: str, body: bytes) -> Form:
    """Read a multipart body whose names are each used once; raises UnreadableFormError."""
    message: Message = BytesParser(policy=HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body
    )
    if not message.is_multipart() or message.defects:
        raise UnreadableFormError(", ".join(type(defect).__name__ for defect in message.defects) or "no parts")
    parts = [(str(part.get_param("name", "", header="content-disposition")), part) for part in _parts(message)]
    twice = [name for name, count in Counter(name for name, _ in parts).items() if count > 1]
    if twice:
        msg = f"part {twice[0]} is there twice"
        raise UnreadableFormError(msg)
    return Form(
        {name: [_text(part)] for name, part in parts if part.get_filename() is None},
        frozenset(name for name, part in parts if part.get_filename() is not None),
    )


def _parts(message: Message) -> list[Message]:
    return [part for part in message.get_payload() if isinstance(part, Message)]


def _text(part: Message) -> str:
    content = part.get_payload(decode=True)
    try:
        return content.decode() if isinstance(content, bytes) else ""
    except UnicodeDecodeError as error:
        raise UnreadableFormError(str(error)) from error
