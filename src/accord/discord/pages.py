"""Cursors: where a list goes on. Opaque to callers, so that what they mean can change."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from accord.discord.models.values import Page
from accord.engine import ValidationError

__all__ = ["Way", "cursor_of", "onward", "place_of"]

Way: TypeAlias = Literal["after", "before"]

_PLACE = re.compile(rb"(?P<way>after|before):(?P<id>[0-9]{17,20})")


class Identified(TypedDict):
    """Whatever has an id."""

    id: str


def cursor_of(way: Way, last_id: str) -> str:
    """Return the cursor of the page that comes `after` or `before` this id."""
    return base64.urlsafe_b64encode(f"{way}:{last_id}".encode()).decode().rstrip("=")


def onward(page: Sequence[Identified], way: Way, *, full: int) -> Page:
    """Say how a list goes on after this page: one of `full` items may have a next one, an emptier one has none."""
    if len(page) < full:
        return {"next_cursor": None, "has_more": False}
    ids = sorted((one["id"] for one in page), key=int)
    return {"next_cursor": cursor_of(way, ids[0 if way == "before" else -1]), "has_more": True}


def place_of(cursor: str | None) -> dict[str, str]:
    """Return the query that a cursor stands for: nothing for none.

    Raises:
        ValidationError: It is none of ours.
    """
    if cursor is None:
        return {}
    try:
        place = _PLACE.fullmatch(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError):
        place = None
    if place is None:
        issue = "is no cursor of this tool; pass next_cursor as it came"
        raise ValidationError(issues=[{"path": "cursor", "message": issue, "code": "invalid_cursor"}])
    return {place["way"].decode(): place["id"].decode()}
