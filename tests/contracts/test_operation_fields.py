"""What a tool takes, held against Discord's own description of the operation that it asks for, field by field."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import orjson
import pytest
from tests.contracts.departures import LEFT_OUT_FIELDS, OTHER_LIMITS, OTHER_NAMES, UNCLEARED
from tests.judge import NO_FILE
from tests.judge.judge import located
from tests.judge.operations import operations_of

from accord.discord.app import own_tools
from accord.engine import Tool

Schema: TypeAlias = Mapping[str, Any]

VERBS: Final = {"get": "GET", "text": "GET", "post": "POST", "put": "PUT", "patch": "PATCH"}
UPPER: Final = ("maxLength", "maximum", "maxItems")
LOWER: Final = ("minLength", "minimum", "minItems")


class Asked(NamedTuple):
    """A tool and one operation that its own body asks for, with the fields that Discord's file gives that."""

    tool: Tool
    operation: str
    method: str
    fields: Mapping[str, Schema]

    def __str__(self) -> str:
        return f"{self.tool.name}-{self.operation}"


def asked() -> list[Asked]:
    """Every tool with each operation that it asks for; nothing without Discord's file."""
    file = located()
    if file is None:
        return []
    document = orjson.loads(file.read_bytes())
    known = {(one.method, _key(one.template)): one for one in operations_of(document)}
    pairs = []
    for tool in own_tools().values():
        for method, template in _routes_of(tool):
            if found := known.get((method, template)):
                pairs.append(Asked(tool, found.id, method, dict(_fields(document, found.template, method))))
    return pairs


def _key(template: str) -> str:
    return "/".join("{}" if part.startswith("{") else part for part in template.split("/"))


def _routes_of(tool: Tool) -> Iterator[tuple[str, str]]:
    function = tool.run.args[0]  # type: ignore[attr-defined]  # a partial: its first argument is the function
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {*VERBS, "do"}:
            words = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
            if words and node.func.attr in VERBS:
                yield VERBS[node.func.attr], words[0]
            elif len(words) > 1:
                yield words[0], words[1]


def _fields(document: Schema, template: str, method: str) -> Iterator[tuple[str, Schema]]:
    item = document["paths"][template]
    described = item[method.lower()]
    for parameter in (*item.get("parameters", ()), *described.get("parameters", ())):
        if parameter["in"] == "query":
            yield parameter["name"], _plain(document, parameter["schema"])
    contents = described.get("requestBody", {}).get("content", {})
    for content in contents.values():
        yield from _members(document, content["schema"])


def _members(document: Schema, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The fields of a body; of every form, where it has several. Files of a message are one field of ours."""
    schema = _resolved(document, schema)
    for name, member in schema.get("properties", {}).items():
        if not name.startswith("files["):
            yield name, _plain(document, member)
    for union in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(union, ()):
            yield from _members(document, part)


def _plain(document: Schema, schema: Schema) -> Schema:
    """A field's schema without references, and without the arm that admits null."""
    schema = _resolved(document, schema)
    arms = [_resolved(document, arm) for arm in schema.get("oneOf", schema.get("anyOf", ()))]
    real = [arm for arm in arms if arm.get("type") != "null"]
    kinds = schema.get("type")
    nullable = len(real) < len(arms) or (isinstance(kinds, list) and "null" in kinds)
    found = real[0] if len(real) == 1 else schema
    return {**found, "nullable": nullable}


def _resolved(document: Schema, schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


PAIRS: Final = asked()
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=str)


def test_discords_file_is_there_or_nothing_is_compared() -> None:
    if not PAIRS:
        pytest.skip(NO_FILE)
    assert len(PAIRS) > 10


def taken_as(pair: Asked, field: str) -> str:
    """Our name of a field: Discord's own, unless it has another one for a reason."""
    if field in pair.tool.shape.slots:
        return field
    return OTHER_NAMES.get(f"{pair.tool.name}.{field}", OTHER_NAMES.get(f"*.{field}", field))


def reached(pair: Asked) -> dict[str, Schema]:
    """The fields of the operation that the tool takes, by our names, with Discord's limits."""
    slots = pair.tool.shape.slots
    return {ours: schema for name, schema in pair.fields.items() if (ours := taken_as(pair, name)) in slots}


@each_pair
def test_every_field_of_the_operation_is_an_argument(pair: Asked) -> None:
    left_out = {name for name in pair.fields if taken_as(pair, name) not in pair.tool.shape.slots}

    unexplained = {
        name
        for name in left_out
        if f"{pair.tool.name}.{name}" not in LEFT_OUT_FIELDS and f"{pair.operation}.{name}" not in LEFT_OUT_FIELDS
    }
    assert unexplained == set(), "take it, or say why not in tests/contracts/departures.py"


@each_pair
def test_an_argument_has_discords_limits(pair: Asked) -> None:
    checked = pair.tool.shape.checked["properties"]

    other = {
        f"{pair.tool.name}.{name}.{limit}: {checked[name].get(limit)} for {schema[limit]}"
        for name, schema in reached(pair).items()
        for limit in (*UPPER, *LOWER)
        if limit in schema and _differs(limit, checked[name], schema) and not _is_explained(pair, name, limit)
    }
    assert other == set(), "take Discord's, or say why not in tests/contracts/departures.py"


def _differs(limit: str, ours: Schema, theirs: Schema) -> bool:
    if {"enum", "pattern", "anyOf"} & ours.keys() or (limit in LOWER and theirs[limit] <= 1 and limit != "minimum"):
        return False
    if "contentEncoding" in theirs or abs(theirs[limit]) >= 2**31 - 1:
        return False  # the length of encoded bytes, or what any number of that type keeps to
    return bool(ours.get(limit) != theirs[limit])


def _is_explained(pair: Asked, name: str, limit: str) -> bool:
    return any(f"{who}.{name}.{limit}" in OTHER_LIMITS for who in (pair.tool.name, "*"))


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.method == "PATCH"], ids=str)
def test_what_discord_lets_be_null_can_be_cleared_by_name(pair: Asked) -> None:
    clearable = pair.tool.shape.checked["properties"].get("clear", {}).get("items", {}).get("enum", ())

    nullable = {name for name, schema in reached(pair).items() if schema["nullable"]}
    unexplained = {
        name
        for name in nullable - set(clearable)
        if f"{pair.tool.name}.{name}" not in UNCLEARED and f"*.{name}" not in UNCLEARED
    }
    assert unexplained == set(), "add it to `clear`, or say why not in tests/contracts/departures.py"


def test_every_departure_is_of_something_that_there_is() -> None:
    if not PAIRS:
        pytest.skip(NO_FILE)
    fields = {f"{who}.{name}" for pair in PAIRS for who in (pair.tool.name, pair.operation) for name in pair.fields}
    ours = {f"{pair.tool.name}.{name}" for pair in PAIRS for name in pair.tool.shape.slots}

    assert sorted(place for place in LEFT_OUT_FIELDS if place not in fields) == []
    assert sorted(place for place in UNCLEARED if not place.startswith("*.") and place not in ours) == []
    assert all(len(why) > 10 for table in (LEFT_OUT_FIELDS, OTHER_LIMITS, UNCLEARED) for why in table.values())
