"""What a call names: every id among its arguments with its kind, by the types, at every depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, get_args

from accord.engine import Shaped, Slot, alternatives, is_record, origin_of, slots_of, unwrapped

__all__ = ["Target", "targets_of"]

Json: TypeAlias = Any


class Target(NamedTuple):
    """A value that names something: where it stands (`prompts[0].options[1].role_ids[0]`), its kind, itself."""

    path: str
    kind: type[Shaped]
    value: str


def targets_of(slots: Mapping[str, Slot], arguments: Mapping[str, Json]) -> Iterator[Target]:
    """Return what the arguments name, in their order. Values are those that were checked."""
    for name, value in arguments.items():
        if name in slots:
            yield from _inside(name, slots[name].hint, value)


def _inside(path: str, hint: Any, value: Json) -> Iterator[Target]:
    for bare in alternatives(unwrapped(hint)[0]):
        bare, _ = unwrapped(bare)  # noqa: PLW2901 - a member of a union can be annotated too
        if isinstance(bare, type) and issubclass(bare, Shaped) and isinstance(value, str):
            yield Target(path, bare, str(value))
        elif isinstance(value, list) and origin_of(bare) is list:
            for number, item in enumerate(value):
                yield from _inside(f"{path}[{number}]", get_args(bare)[0], item)
        elif isinstance(value, dict) and is_record(bare):
            yield from _members(path, slots_of(bare), value)


def _members(path: str, slots: Mapping[str, Slot], value: Mapping[str, Json]) -> Iterator[Target]:
    for name, member in value.items():
        if name in slots:
            yield from _inside(f"{path}.{name}", slots[name].hint, member)
