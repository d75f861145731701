"""Cursors: opaque to who holds them, and refused where they are none of ours."""

from __future__ import annotations

import base64
import binascii
from typing import Any, TypeAlias

import orjson

from accord.deside.errors import InvalidMeaningError
from accord.engine import Issue

__all__ = ["no_cursor", "opened", "sealed"]

Json: TypeAlias = Any


def no_cursor(words: str = "is not one that this tool gave") -> InvalidMeaningError:
    """Return the refusal of a cursor."""
    return InvalidMeaningError(issues=[Issue(path="cursor", message=words, code="invalid_string")])


def sealed(parts: list[int | str]) -> str:
    """Return the parts as a cursor."""
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode().rstrip("=")


def opened(cursor: str, *kinds: type[int | str]) -> list[Any]:
    """Return the parts of a cursor, which are of these kinds; numbers are those that a database takes.

    Raises:
        InvalidMeaningError: It is none.
    """
    try:
        parts: Json = orjson.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        raise no_cursor() from None
    if not isinstance(parts, list) or [type(part) for part in parts] != list(kinds):
        raise no_cursor()
    if any(isinstance(part, int) and not 0 <= part < 1 << 63 for part in parts):
        raise no_cursor()
    return parts
