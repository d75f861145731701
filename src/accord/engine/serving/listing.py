"""The tools/list answer: entries prepared once, and bytes that need no second serialisation."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import orjson

from accord.engine.nouns import Tool

__all__ = ["Listing", "entry", "load", "prepared"]

Json: TypeAlias = Any

NAME_OPENS = b'{"name":"'
"""Every prepared entry begins with its name, so that finding one costs no parsing."""


class Listing(list[Json]):
    """The listed tools as values, with the same as `wire` bytes for a transport that writes its own JSON."""

    def __init__(self, entries: Iterable[bytes]) -> None:
        self.wire = b"[" + b",".join(entries) + b"]"
        super().__init__(_values(self.wire))

    def only(self, names: Container[str]) -> Listing:
        """Return the same without the tools of other names."""
        return Listing(orjson.dumps(shown) for shown in self if shown["name"] in names)


@lru_cache(maxsize=8)
def _values(wire: bytes) -> tuple[Json, ...]:
    """Parse once what several servers of a process list alike; nobody changes it."""
    return tuple(orjson.loads(wire))


def _nothing(_: Tool) -> frozenset[str]:
    return frozenset()


def entry(tool: Tool) -> dict[str, Json]:
    """Return what tools/list says of a tool."""
    shown: dict[str, Json] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.shape.published,
        "annotations": tool.hints,
    }
    if tool.shape.output is not None:
        shown["outputSchema"] = tool.shape.output
    return shown


def prepared(tools: Iterable[Tool]) -> bytes:
    """Return the file that a package ships: an entry a line."""
    return b"".join(orjson.dumps(entry(tool)) + b"\n" for tool in tools)


def load(lines: bytes) -> dict[str, bytes]:
    """Return the entries of such a file by the tools' names."""
    start = len(NAME_OPENS)
    return {line[start : line.index(b'"', start)].decode(): line for line in lines.splitlines()}


def listing(
    tools: Iterable[Tool], shipped: Mapping[str, bytes], filled_in: Callable[[Tool], frozenset[str]] = _nothing
) -> Listing:
    """Return the answer for these tools; `filled_in` names the arguments that this server adds by itself."""
    return Listing(_relaxed(shipped.get(tool.name) or orjson.dumps(entry(tool)), filled_in(tool)) for tool in tools)


def _relaxed(line: bytes, optional: frozenset[str]) -> bytes:
    if not optional:
        return line
    shown = orjson.loads(line)
    schema = shown["inputSchema"]
    schema["required"] = [name for name in schema.get("required", ()) if name not in optional]
    return orjson.dumps(shown)
