"""A tool's result becomes a reply: fields for programs, the same as text for reading, fenced where others wrote it."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import orjson

from accord.engine.nouns import Call, Reply, WithBlocks
from accord.engine.tools.fence import fenced, visible
from accord.engine.tools.marks import Shaped
from accord.engine.tools.schema import Slot, is_untrusted, slots_of
from accord.engine.tools.shape import Shape

__all__ = ["Encoded", "Say", "replied"]

Json: TypeAlias = Any


class Encoded(dict[str, Json]):
    """A result with the JSON that it became for the text, so that a transport need not make it again."""

    __slots__ = ("wire",)

    def __init__(self, result: Mapping[str, Json], wire: bytes) -> None:
        # A tool often gives back an id that it was given; who gets the values wants the text that it is.
        super().__init__({n: str(value) if isinstance(value, Shaped) else value for n, value in result.items()})
        self.wire = wire


class Say:
    """The sentence that a reply's text begins with. It stands outside the fence, so it names trusted values only."""

    def __init__(self, words: str | None, shape: Shape, tag: str) -> None:
        self.words = words
        self.tag = tag
        self._shape = shape

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The placeholders, each of them of a trusted value.

        Raises:
            TypeError: A placeholder names nothing, or something that others wrote.
        """
        named = tuple(name for _, name, _, _ in string.Formatter().parse(self.words or "") if name is not None)
        for name in named:
            slot = self._slots.get(name)
            if slot is None or is_untrusted(slot.hint):
                raise TypeError(f"a sentence may not name {name!r}: it is not a trusted value of this tool")
        return named

    @property
    def _slots(self) -> dict[str, Slot]:
        results = {} if self._shape.result is None else slots_of(self._shape.result)
        return {**self._shape.slots, **results}

    def sentence(self, arguments: Mapping[str, Json], result: Mapping[str, Json]) -> str:
        """Return the filled sentence; an absent value is a dash."""
        if self.words is None:
            return ""
        values = {name: result.get(name, arguments.get(name, "-")) for name in self.names}
        return self.words.format_map(values)


def replied(result: Json, call: Call, shape: Shape, say: Say) -> Reply:
    """Return the reply for a result; a Reply made by the tool itself is passed on."""
    if isinstance(result, Reply):
        return result
    if isinstance(result, WithBlocks):
        return replace(replied(result.result, call, shape, say), blocks=result.blocks)
    wire = orjson.dumps(result)
    body = wire.decode()
    shown = fenced(body, say.tag) if shape.untrusted else visible(body)
    sentence = say.sentence(call.arguments, result)
    structured = None if result is None else Encoded(result, wire)
    return Reply(structured=structured, text=f"{sentence}\n{shown}" if sentence else shown)
