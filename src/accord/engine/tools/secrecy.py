"""Which parts of a value are secret, by its type, at every depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, get_args

from accord.engine.secrets import Secret
from accord.engine.tools.marks import Credential
from accord.engine.tools.schema import alternatives, is_record, origin_of, slots_of, unwrapped

__all__ = ["secrets_in", "veiled"]

Json: TypeAlias = Any
Hide: TypeAlias = Callable[[Json], Json]


def veiled(hint: Any, value: Json) -> Json:
    """Return the value with `[SECRET]` in place of each credential and of what is marked as secret."""
    return _without(hint, value, lambda _: "[SECRET]")


def secrets_in(hint: Any, value: Json) -> Iterator[str]:
    """Return every secret text in the value."""
    found: list[Json] = []
    _without(hint, value, found.append)
    texts = (one.reveal() if isinstance(one, Secret) else one for one in found)
    return (text for text in texts if isinstance(text, str) and text)


def _without(hint: Any, value: Json, hide: Hide) -> Json:
    bare, mark = unwrapped(hint)
    if mark.secret or isinstance(value, Secret) or (isinstance(bare, type) and issubclass(bare, Credential)):
        return hide(value)
    members = alternatives(bare)
    if len(members) > 1:
        for member in members:
            value = _without(member, value, hide)
        return value
    return _inside(bare, value, hide)


def _inside(bare: Any, value: Json, hide: Hide) -> Json:
    if isinstance(value, list) and origin_of(bare) is list:
        return [_without(get_args(bare)[0], item, hide) for item in value]
    if isinstance(value, dict) and origin_of(bare) is dict:
        return {name: _without(get_args(bare)[1], member, hide) for name, member in value.items()}
    if isinstance(value, dict) and is_record(bare):
        slots = slots_of(bare)
        return {n: _without(slots[n].hint, member, hide) if n in slots else member for n, member in value.items()}
    return value
