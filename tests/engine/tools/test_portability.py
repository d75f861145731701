"""Published schemas are plain enough for every host, and the lint that says so sees what is not."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from tests.engine.small_server import tool_of
from tests.lint import portability_faults

from accord.engine import Effect, Field


class Inner(TypedDict):
    value: int


class Outer(TypedDict):
    inner: NotRequired[Inner]
    inners: NotRequired[list[Inner]]
    word: Literal["a"]


async def everything(
    client: object,
    *,
    outer: Outer,
    outers: list[Outer],
    free: dict[str, Any],
    rows: list[dict[str, str]],
    color: int | str,
    number: Literal[1, 2],
    part: Annotated[float, Field(minimum=0, maximum=1)] = 0.5,
    note: str | None = None,
) -> None:
    """Take all that there is."""


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"$ref": "#/x"}, ".a has $ref"),
    ({"anyOf": [{"type": "string"}]}, ".a has anyOf"),
    ({"type": ["string", "null"]}, ".a has no one concrete type"),
    ({}, ".a has no one concrete type"),
    ({"type": "null"}, ".a has no one concrete type"),
    ({"type": "integer", "exclusiveMinimum": 1}, ".a has exclusiveMinimum"),
    ({"type": "integer", "format": "int64"}, ".a has a format"),
    ({"type": "integer", "enum": [1]}, ".a has choices that are no strings"),
    ({"type": "array"}, ".a has no schema for its items"),
    ({"type": "array", "items": True}, ".a has no schema for its items"),
    ({"type": "array", "items": {}}, ".a[] has no one concrete type"),
    ({"type": "object", "additionalProperties": False}, ".a has additionalProperties"),
    ({"type": "object", "properties": {"b": {}}}, ".a.b has no one concrete type"),
    ({"type": "object", "required": ["b"]}, ".a requires b, which it has not"),
    ({"type": "string", "default": None}, ".a has null as its default"),
]


@pytest.mark.parametrize(("schema", "fault"), FAULTS)
def test_the_lint_sees_a_fault(schema: dict[str, Any], fault: str) -> None:
    assert fault in portability_faults({"type": "object", "properties": {"a": schema}})


def test_the_lint_sees_a_top_that_is_no_object() -> None:
    assert portability_faults({"type": "string"}) == ["the top is no object"]


def test_the_lint_sees_a_long_name() -> None:
    name = "n" * 41

    (fault,) = portability_faults({"type": "object", "properties": {name: {"type": "string"}}})

    assert "more than 40 characters" in fault


@pytest.mark.parametrize("effect", list(Effect))
def test_whatever_a_tool_takes_is_published_portably(effect: Effect) -> None:
    assert portability_faults(tool_of(everything, effect).shape.published) == []
