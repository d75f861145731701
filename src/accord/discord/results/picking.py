"""What Discord sent, cut down to what a result's type names: the type alone says what is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast, get_args

from accord.discord.models.values import Page
from accord.engine import Slot, alternatives, is_record, origin_of, slots_of, unwrapped

__all__ = ["WHOLE", "each_picked", "picked", "present"]

Json: TypeAlias = Any
Shape: TypeAlias = Callable[[Json], Json]
T = TypeVar("T")

WHOLE: Page = {"next_cursor": None, "has_more": False}
"""What a list says that Discord sends all at once."""


def picked(record: type[T], sent: Mapping[str, Json], **more: Json) -> T:
    """Return the fields that the record names out of what Discord sent; `more` are fields of our own.

    A field that may be missing is left out where Discord left it out; one that must be there is then null. Records
    inside, and lists of them, are cut down alike. Whatever is newer than the record is not shown.
    """
    return cast("T", _shape(cast("Hashable", record))(sent) | more)


def each_picked(record: type[T], sent: Iterable[Mapping[str, Json]]) -> list[T]:
    """Return the same for each item of a list; Discord's own nulls in lists are passed over."""
    shape = _shape(cast("Hashable", record))
    return [shape(one) for one in sent if one is not None]


def present(payload: Mapping[str, Json], names: Iterable[str]) -> dict[str, Json]:
    """Return those of the named fields that are there."""
    return {name: payload[name] for name in names if name in payload}


@cache
def _shape(hint: Json) -> Shape:
    """Return what cuts a value down to this type; values that are no records stay as they are."""
    bare, _ = unwrapped(hint)
    for form in alternatives(bare):
        inner, _ = unwrapped(form)
        if is_record(inner):
            return _of_record(slots_of(inner))
        if origin_of(inner) is list and (item := _shape(get_args(inner)[0])) is not _same:
            return lambda value: [item(one) for one in value if one is not None] if isinstance(value, list) else value
    return _same


def _of_record(slots: Mapping[str, Slot]) -> Shape:
    fields = [(name, _shape(slot.hint), slot.required) for name, slot in slots.items()]

    def cut(sent: Json) -> Json:
        if not isinstance(sent, Mapping):
            return sent
        return {name: shape(sent.get(name)) for name, shape, required in fields if required or name in sent}

    return cut


def _same(value: Json) -> Json:
    return value
