"""Rules between arguments that tools of several resources share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from accord.engine import Check, Issue

__all__ = ["changes", "in_order", "once_each", "one_of", "one_place", "within"]

_PLACES = ("before", "after", "around", "offset", "cursor")


def one_place(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse two starting points for one page."""
    given = [name for name in _PLACES if name in arguments]
    for other in given[1:]:
        yield Issue(path=other, message=f"conflicts with {given[0]}; give one", code="conflict")


def changes(*aside: str) -> Check:
    """Return the rule of a tool that changes something in part: it refuses a call that changes nothing.

    `aside` are the arguments that only say what is changed; a reason is no change either. Something that is given and
    named in `clear` at once is refused too.
    """

    def something_changes(arguments: Mapping[str, Any]) -> Iterator[Issue]:
        given = arguments.keys() - {*aside, "audit_reason"}
        if not given:
            yield Issue(
                path="", message="changes nothing: give at least one of the optional arguments", code="required"
            )
        for name in sorted(set(arguments.get("clear", ())) & given):
            yield Issue(path="clear", message=f"names `{name}`, which is also given", code="conflict")

    return something_changes


def one_of(*names: str) -> Check:
    """Return the rule of arguments of which exactly one has to be given."""

    def exactly_one(arguments: Mapping[str, Any]) -> Iterator[Issue]:
        given = [name for name in names if name in arguments]
        listed = " or ".join(f"`{name}`" for name in names)
        if not given:
            yield Issue(path=names[0], message=f"is required: give {listed}", code="required")
        for other in given[1:]:
            yield Issue(path=other, message=f"conflicts with {given[0]}; give one", code="conflict")

    return exactly_one


def once_each(*names: str) -> Check:
    """Return the rule of lists that are sets: it refuses one that says something twice."""

    def nothing_twice(arguments: Mapping[str, Any]) -> Iterator[Issue]:
        for name in names:
            items = arguments.get(name, ())
            if len({*items}) < len(items):
                yield Issue(path=name, message="says something twice", code="duplicate")

    return nothing_twice


def in_order(start: str, end: str) -> Check:
    """Return the rule of two moments: each of them exists, and where both are given the end is after the start."""

    def ends_after_start(arguments: Mapping[str, Any]) -> Iterator[Issue]:
        moments = {name: _moment(arguments[name]) for name in (start, end) if name in arguments}
        for name in (name for name, moment in moments.items() if moment is None):
            yield Issue(path=name, message="is no moment that there is", code="invalid_string")
        first, last = moments.get(start), moments.get(end)
        if first and last and last <= first:
            yield Issue(path=end, message=f"must be after {start}", code="conflict")

    return ends_after_start


def _moment(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def within(name: str, *rules: Check) -> Check:
    """Return the rule that the rules hold inside of one argument, an object."""

    def inside(arguments: Mapping[str, Any]) -> Iterator[Issue]:
        for rule in rules:
            for issue in rule(arguments.get(name, {})):
                path = ".".join(filter(None, (name, issue["path"])))
                yield Issue(path=path, message=issue["message"], code=issue["code"])

    return inside
