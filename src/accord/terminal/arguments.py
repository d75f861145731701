"""A tool's arguments as words of a command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

__all__ = ["arguments_of"]

Json: TypeAlias = Any

BOOLEANS = {"true": True, "false": False}


def arguments_of(words: Iterable[str]) -> dict[str, Json]:
    """Read each `key=value`. Values are text; the tool's own types decide what else they may stand for.

    Raises:
        ValueError: A word has another form, is not text, or repeats a key.
    """
    arguments: dict[str, Json] = {}
    for word in words:
        name, value = _argument(word)
        if name in arguments:
            raise ValueError(f"{name} is given twice")
        arguments[name] = value
    return arguments


def _argument(word: str) -> tuple[str, Json]:
    name, separator, value = word.partition("=")
    if not separator or not name:
        raise ValueError(f"{word!r} is no argument: write key=value")
    if any("\ud800" <= each <= "\udfff" for each in word):  # how Python stands in for bytes that are no UTF-8
        raise ValueError(f"the value of {name!r} is not text in UTF-8")
    return name, BOOLEANS.get(value, value) if name.startswith("__") else value
