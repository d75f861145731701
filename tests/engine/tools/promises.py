"""Values that a published input schema promises to take, and the reasons for which one may be refused all the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from hypothesis import strategies as st

from accord.engine import Issue, Shape, ValidationError

__all__ = ["EXCUSES", "broken_promises", "promised"]

Schema: TypeAlias = Mapping[str, Any]
Values: TypeAlias = st.SearchStrategy[Any]

SAFE_INTEGER = 2**53 - 1
"""Beyond this JSON numbers are not interoperable (RFC 8259, section 6)."""

EXCUSES: Mapping[str, Callable[[Issue], bool]] = {
    "number choices are published as words: some hosts refuse enums that are no strings": (
        lambda issue: issue["code"] == "invalid_enum"
    ),
    "shapes below one level are published as plain objects: hosts limit the depth and the size": (
        lambda issue: issue["path"].count(".") > 1
    ),
}
"""Why a promised value may be refused, and how its issue is told."""


def broken_promises(shape: Shape, arguments: dict[str, Any]) -> list[Issue]:
    """Return the issues of promised arguments that nothing excuses."""
    try:
        shape.check(arguments, {})
    except ValidationError as refused:
        return [issue for issue in refused.issues if not any(excuse(issue) for excuse in EXCUSES.values())]
    return []


def promised(schema: Schema) -> Values:
    """Return values that the schema, read as its host reads it, takes."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return _KINDS[schema["type"]](schema)


def _object(schema: Schema) -> Values:
    if "properties" not in schema:
        return st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=2)
    members = {name: promised(member) for name, member in schema["properties"].items() if not name.startswith("__")}
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: values for name, values in members.items() if name in required},
        optional={name: values for name, values in members.items() if name not in required},
    )


def _array(schema: Schema) -> Values:
    least = schema.get("minItems", 0)
    return st.lists(
        promised(schema["items"]), min_size=least, max_size=min(schema.get("maxItems", least + 2), least + 2)
    )


def _string(schema: Schema) -> Values:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if "pattern" in schema:
        ascii_text = st.from_regex(
            schema["pattern"].removesuffix("$") + r"\Z", alphabet=st.characters(max_codepoint=126)
        )
        return ascii_text.filter(lambda text: least <= len(text) <= (most or len(text)))
    return st.text(min_size=least, max_size=most)


def _integer(schema: Schema) -> Values:
    return st.integers(schema.get("minimum", -SAFE_INTEGER), schema.get("maximum", SAFE_INTEGER))


def _number(schema: Schema) -> Values:
    return st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False, allow_infinity=False)


_KINDS: Mapping[str, Callable[[Schema], Values]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda _: st.booleans(),
}
