"""Cursors: where a list goes on. Opaque to callers, so that what they mean can change."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from accord.discord.models.values import Page
from accord.engine import ValidationError

__all__ = ["Kind", "Way", "cursor_of", "from_first", "goes_on", "onward", "place_of"]

Way: TypeAlias = Literal["after", "before", "offset"]

Kind: TypeAlias = Literal["id", "time", "offset"]
"""What a list's pages go by."""

_PLACES: Mapping[Kind, re.Pattern[bytes]] = {
    "id": re.compile(rb"(?P<way>after|before):(?P<place>[0-9]{17,20})"),
    "time": re.compile(rb"(?P<way>before):(?P<place>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,18}(Z|[+-][0-9:]{5}))"),
    "offset": re.compile(rb"(?P<way>offset):(?P<place>[0-9]{1,4})"),
}


class Identified(TypedDict):
    """Whatever has an id."""

    id: str


def cursor_of(way: Way, place: str | int) -> str:
    """Return the cursor of the page that comes `after` or `before` this id or time, or begins at this `offset`."""
    return base64.urlsafe_b64encode(f"{way}:{place}".encode()).decode().rstrip("=")


def onward(page: Sequence[Identified], way: Way, *, full: int) -> Page:
    """Say how a list goes on after this page: one of `full` items may have a next one, an emptier one has none."""
    if len(page) < full:
        return {"next_cursor": None, "has_more": False}
    ids = sorted((one["id"] for one in page), key=int)
    return {"next_cursor": cursor_of(way, ids[0 if way == "before" else -1]), "has_more": True}


def goes_on(way: Way, places: Sequence[str | int], *, has_more: bool) -> Page:
    """Say how a list goes on behind the last of these places, where it is known whether it does."""
    following = cursor_of(way, places[-1]) if places and has_more else None
    return {"next_cursor": following, "has_more": following is not None}


def place_of(cursor: str | None, kind: Kind = "id") -> dict[str, str]:
    """Return the query that a cursor of this kind stands for: nothing for none.

    Raises:
        ValidationError: It is none of ours.
    """
    if cursor is None:
        return {}
    try:
        place = _PLACES[kind].fullmatch(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError):
        place = None
    if place is None:
        issue = "is no cursor of this tool; pass next_cursor as it came"
        raise ValidationError(issues=[{"path": "cursor", "message": issue, "code": "invalid_cursor"}])
    return {place["way"].decode(): place["place"].decode()}


def from_first(before: str | None, after: str | None, cursor: str | None) -> tuple[Way, dict[str, str | None]]:
    """Return the way that a list goes and the query of where its page begins.

    Where nothing is said it begins with the first of all: of some lists Discord does not say with what they begin.

    Raises:
        ValidationError: The cursor is none of ours.
    """
    place: dict[str, str | None] = {"before": before, "after": after, **place_of(cursor)}
    if not any(place.values()):
        place["after"] = "0"
    return ("before" if place["before"] else "after"), place
