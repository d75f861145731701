"""From what a host sends to what a tool takes: forgiving where nothing can be lost, exact everywhere else."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

import orjson

from accord.engine.errors import Issue
from accord.engine.tools.marks import Credential, Shaped, Worded
from accord.engine.tools.schema import Slot, is_record, origin_of, record_of, slots_of, unwrapped

__all__ = ["as_sent", "converted", "dotted", "is_sendable", "issues_of", "nearest", "tidied"]

Json: TypeAlias = Any
_BOOLEANS = {"true": True, "false": False}
_NAME_CHARACTERS = 128
_KINDS = (Shaped, Credential)


def is_sendable(value: Json) -> bool:
    """Whether the value can be sent on as JSON: no lone surrogates, no integer beyond 64 bits, no endless nesting."""
    try:
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        return False
    return True


def as_sent(value: Json) -> Json:
    """Return what one tool gives to another as a caller would send it: ids as text, credentials revealed."""
    if isinstance(value, Credential):
        return value.reveal()
    if isinstance(value, Shaped):
        return str(value)
    if isinstance(value, Mapping):
        return {name: as_sent(member) for name, member in value.items()}
    return [as_sent(item) for item in value] if isinstance(value, list | tuple) else value


def tidied(slots: Mapping[str, Slot], given: dict[str, Json]) -> dict[str, Json]:
    """Return the arguments without nulls, and with the encodings undone that hosts are known to make.

    Some hosts send lists and objects as JSON text, small numbers and booleans as words, and ids as mentions. Text is
    never decoded: a string that is meant as a string stays as it was given.
    """
    return {name: _tidy(slots.get(name), value) for name, value in given.items() if value is not None}


def _tidy(slot: Slot | None, value: Json) -> Json:
    return value if slot is None else _plain(slot.hint, value)


def _plain(hint: Any, value: Json) -> Json:
    bare, _ = unwrapped(hint)
    if bare is str or isinstance(value, int):
        return value  # most values: nothing can be undone
    if isinstance(value, str):
        value = _decoded(bare, value)
    if isinstance(value, float) and isinstance(bare, type) and issubclass(bare, int) and value.is_integer():
        return int(value)  # 25.0 is a whole number to JSON Schema, but not to the tool
    if isinstance(value, list) and origin_of(bare) is list:
        (item,) = get_args(bare)
        is_free = origin_of(item) is dict
        return [each if is_free and isinstance(each, dict) else _plain(item, each) for each in value]
    if isinstance(value, dict) and (record := record_of(bare, value)) is not None:
        return tidied(slots_of(record), value)
    return value


def _decoded(bare: Any, text: str) -> Json:
    """Undo one encoding, if the type asks for something else than text."""
    if isinstance(bare, type) and issubclass(bare, _KINDS):
        return bare.unwrap(text)
    if isinstance(bare, type) and issubclass(bare, Worded) and (number := bare.unwrap(text)) != text:
        return number
    if bare is bool:
        return _BOOLEANS.get(text, text)
    wanted = _wanted(bare)
    if not wanted:
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value if isinstance(value, wanted) and not isinstance(value, bool) else text


def _wanted(bare: Any) -> tuple[type, ...]:
    """Return the Python types that JSON text may stand for here: none where text itself is a valid value."""
    if (
        bare in {int, float}
        or (isinstance(bare, type) and issubclass(bare, Worded))
        or (origin_of(bare) is Literal and isinstance(get_args(bare)[0], int))
    ):
        return (int, float)
    if origin_of(bare) is list:
        return (list,)
    return (dict,) if is_record(bare) or origin_of(bare) is dict else ()


def converted(slots: dict[str, Slot], checked: dict[str, Json]) -> dict[str, Json]:
    """Return checked arguments with ids and credentials as their own types (top level only), and defaults filled in."""
    made = {name: _typed(slots[name].hint, value) for name, value in checked.items()}
    defaults = {n: s.default for n, s in slots.items() if s.default is not None and n not in made}
    return made | defaults


def _typed(hint: Any, value: Json) -> Json:
    bare, _ = unwrapped(hint) if isinstance(value, str) else (None, None)
    return bare(value) if isinstance(bare, type) and issubclass(bare, _KINDS) else value


def issues_of(errors: Iterable[Any], schema: dict[str, Any]) -> list[Issue]:
    """Word a validator's errors without ever repeating a value, for a value may be a secret."""
    return [issue for error in errors for issue in _issues(error, schema)]


def _issues(error: Any, schema: dict[str, Any]) -> Iterator[Issue]:
    steps = list(error.schema_path)
    keyword, within = str(steps[-1]), _at(schema, steps[:-1])
    path = list(error.instance_path)
    if keyword == "anyOf" and (meant := _meant(error)) is not None:
        yield from (issue for inner in meant for issue in _issues(inner, schema))
    elif "propertyNames" in steps[-2:]:
        yield Issue(
            path=dotted([*path, error.kind.error.instance]), message=_message(keyword, within, path), code="invalid_key"
        )
    elif keyword == "required":
        yield Issue(path=dotted([*path, error.kind.property]), message="is required", code="required")
    elif keyword == "additionalProperties":
        for name in error.kind.unexpected:
            yield _unknown(dotted([*path, name]), name, within["properties"])
    else:
        yield Issue(path=dotted(path), message=_message(keyword, within, error.instance), code=_CODES[keyword])


def _meant(error: Any) -> list[Any] | None:
    """Return what is wrong by the one form whose constants the value has; None where no or several forms are left."""
    place = list(error.instance_path)
    forms = [form for form in error.kind.context if not any(_is_other(inner, place) for inner in form)]
    return forms[0] if len(forms) == 1 else None


def _is_other(error: Any, place: list[Any]) -> bool:
    """Whether an error says that the value at this place is of another type, or has another constant."""
    path, keyword = list(error.instance_path), error.schema_path[-1]
    return (path == place and keyword in {"type", "enum"}) or (path[:-1] == place and keyword == "enum")


def _at(schema: Any, steps: list[Any]) -> Any:
    for step in steps:
        schema = schema[step]
    return schema


def _unknown(path: str, name: str, known: Iterable[str]) -> Issue:
    issue = Issue(path=path, message="is not an argument of this tool", code="unrecognized_key")
    if near := nearest(name, known):
        issue["message"] += f"; did you mean `{near[0]}`?"
        issue["expected"] = near[0]
    return issue


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the known names that look like this one, the nearest first."""
    # Longer names are nobody's, and comparing costs their length times the number of known ones.
    return difflib.get_close_matches(name[:_NAME_CHARACTERS], list(known), n=most, cutoff=0.5)


_CODES = {
    "type": "invalid_type",
    "anyOf": "invalid_union",
    "enum": "invalid_enum",
    "pattern": "invalid_string",
    "minLength": "too_small",
    "maxLength": "too_big",
    "minimum": "too_small",
    "maximum": "too_big",
    "minItems": "too_small",
    "maxItems": "too_big",
}
_WORDS = {
    "enum": "must be one of {limit}",
    "pattern": "does not have the right form ({limit})",
    "minLength": "must have at least {limit} characters; it has {size}",
    "maxLength": "must have at most {limit} characters; it has {size}",
    "minimum": "must be at least {limit}",
    "maximum": "must be at most {limit}",
    "minItems": "must have at least {limit} items; it has {size}",
    "maxItems": "must have at most {limit} items; it has {size}",
}
_NAMES: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


def _message(keyword: str, within: dict[str, Any], value: Json) -> str:
    if "$comment" in within:
        return f"must be {within['$comment']}{_lost(value)}"
    if keyword == "type":
        return f"must be of type {within['type']}, not {_NAMES[type(value)]}"
    if keyword == "anyOf":
        return "has none of the forms that are possible here: " + ", ".join(_form(arm) for arm in within["anyOf"])
    limit = within[keyword]
    shown = ", ".join(map(str, limit)) if isinstance(limit, list) else limit
    return _WORDS[keyword].format(limit=shown, size=len(value) if isinstance(value, str | list) else 0)


def _lost(value: Json) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return "; send it as a string: the number you sent has already lost precision" if number else ""


def _form(arm: dict[str, Any]) -> str:
    return "one of " + ", ".join(map(str, arm["enum"])) if "enum" in arm else str(arm.get("type", "another form"))


def dotted(path: Iterable[str | int]) -> str:
    """Return a path as people write it: `embeds[0].title`."""
    words = ""
    for step in path:
        words += f"[{step}]" if isinstance(step, int) else f".{step}" if words else str(step)
    return words
