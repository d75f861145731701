"""What stands in a call's arguments, by its type, at every depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, get_args

from accord.engine.tools.schema import Slot, alternatives, origin_of, record_of, slots_of, unwrapped

__all__ = ["Leaf", "leaves"]

Json: TypeAlias = Any


class Leaf(NamedTuple):
    """A value that has no parts: the name of the argument or member it stands in, its type, and what stands beside."""

    name: str
    kind: type
    value: Json
    beside: Mapping[str, Json]


def leaves(slots: Mapping[str, Slot], values: Mapping[str, Json]) -> Iterator[Leaf]:
    """Return every value without parts, once for each type that it may be of."""
    for name, value in values.items():
        if name in slots:
            yield from _leaves(slots[name].hint, Leaf(name, object, value, values))


def _leaves(hint: Any, at: Leaf) -> Iterator[Leaf]:
    bare, _ = unwrapped(hint)
    value = at.value
    if isinstance(value, dict) and (record := record_of(bare, value)) is not None:
        yield from leaves(slots_of(record), value)
    elif len(members := alternatives(bare)) > 1:  # which of them it is does not show, so it may be each
        for member in members:
            yield from _leaves(member, at)
    elif isinstance(value, list) and origin_of(bare) is list:
        for item in value:
            yield from _leaves(get_args(bare)[0], at._replace(value=item))
    elif isinstance(value, dict) and origin_of(bare) is dict:
        for name, member in value.items():
            yield from _leaves(get_args(bare)[0], at._replace(value=name))
            yield from _leaves(get_args(bare)[1], at._replace(value=member))
    elif isinstance(bare, type):
        yield at._replace(kind=bare)
