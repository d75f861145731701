"""Where two values differ, as deep inside as they do: a list of objects is compared object by object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

__all__ = ["apart", "plain"]

Json: TypeAlias = Any

NAMES: Final = ("title", "name", "id")
"""What people know an object by, the best first."""


def apart(path: str, before: Json, after: Json) -> Iterator[tuple[str, Json, Json]]:
    """Yield each difference: where it is, what is there and what would be; None where there is nothing."""
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys([*before, *after]):
            yield from apart(f"{path}.{name}", before.get(name), after.get(name))
    elif _is_keyed(before) and _is_keyed(after):
        yield from _listed(path, _by_key(before), _by_key(after))
    else:
        yield path, before, after


def plain(value: Json) -> Json:
    """Return a value without what says as much as its absence: null, false, and what is empty."""
    if isinstance(value, Mapping):
        shorter = {name: plain(member) for name, member in value.items()}
        return {name: member for name, member in shorter.items() if not _says_nothing(member)}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _says_nothing(value: Json) -> bool:
    return value is None or value is False or (isinstance(value, str | list | dict) and not value)


def _listed(path: str, before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[tuple[str, Json, Json]]:
    both = {**before, **after}
    for key, one in both.items():
        yield from apart(f"{path}[{_named(before.get(key, one))}]", before.get(key), after.get(key))
    was, will = ([_named(both[key]) for key in each if key in before and key in after] for each in (before, after))
    if was != will:
        yield path, was, will


def _is_keyed(value: Json) -> bool:
    """Whether it is a list of objects that can be told apart."""
    if not isinstance(value, Sequence) or not all(isinstance(one, Mapping) for one in value):
        return False
    keys = [_key(one) for one in value]
    return None not in keys and len(set(keys)) == len(keys)


def _by_key(value: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    return {str(_key(one)): one for one in value}


def _key(one: Mapping[str, Json]) -> Json:
    return next((one[name] for name in reversed(NAMES) if one.get(name)), None)


def _named(one: Mapping[str, Json]) -> Json:
    return next(one[name] for name in NAMES if one.get(name))
