"""Rules between arguments that tools of several resources share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from accord.engine import Issue

__all__ = ["one_place"]

_PLACES = ("before", "after", "around", "cursor")


def one_place(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse two starting points for one page."""
    given = [name for name in _PLACES if name in arguments]
    for other in given[1:]:
        yield Issue(path=other, message=f"conflicts with {given[0]}; give one", code="conflict")
