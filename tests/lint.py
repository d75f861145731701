"""What an input schema may not hold, because some host would refuse it, and with it every tool of every server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

__all__ = ["portability_faults"]

Schema: TypeAlias = Mapping[str, Any]

MOST_NAME_CHARACTERS = 40
"""A host puts the server's name before the tool's; what is longer than 64 together is refused."""

REFUSED = frozenset(
    {
        "$ref",
        "$defs",
        "$schema",
        "$comment",
        "definitions",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "const",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "patternProperties",
        "prefixItems",
        "additionalProperties",
    }
)
"""Keywords that at least one of the large providers does not take."""

TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean"})


def portability_faults(schema: Schema) -> list[str]:
    """Return what is wrong with a tool's input schema, each fault with its path; an empty list is a portable one."""
    top = [] if schema.get("type") == "object" else ["the top is no object"]
    return [*top, *_faults(schema, "")]


def _faults(schema: Schema, path: str) -> Iterator[str]:
    yield from (f"{path or '.'} has {word}" for word in schema if word in REFUSED)
    yield from _type_faults(schema, path or ".")
    yield from _member_faults(schema, path)
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _faults(items, f"{path}[]")


def _type_faults(schema: Schema, path: str) -> Iterator[str]:
    kind = str(schema.get("type"))
    if kind not in TYPES:
        yield f"{path} has no one concrete type"
    if kind == "array" and not isinstance(schema.get("items"), Mapping):
        yield f"{path} has no schema for its items"
    if kind in {"integer", "number"} and "format" in schema:
        yield f"{path} has a format"
    if any(not isinstance(value, str) for value in schema.get("enum", ())):
        yield f"{path} has choices that are no strings"
    if "default" in schema and schema["default"] is None:
        yield f"{path} has null as its default"


def _member_faults(schema: Schema, path: str) -> Iterator[str]:
    members = schema.get("properties", {})
    yield from (
        f"{path or '.'} requires {name}, which it has not" for name in set(schema.get("required", ())) - set(members)
    )
    for name, member in members.items():
        if len(name) > MOST_NAME_CHARACTERS:
            yield f"{path}.{name} has a name of more than {MOST_NAME_CHARACTERS} characters"
        yield from _faults(member, f"{path}.{name}")
