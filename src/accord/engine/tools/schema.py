"""One derivation from types to JSON Schema, rendered as published, as checked and as promised of results."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from accord.engine.tools.marks import Credential, Field, Shaped, Worded, kind_schema

__all__ = [
    "CHECKED",
    "PUBLISHED",
    "RESULT",
    "Form",
    "Slot",
    "alternatives",
    "is_record",
    "is_untrusted",
    "object_schema",
    "origin_of",
    "record_of",
    "slots_of",
    "unwrapped",
    "without_null",
]

UNMARKED = Field()
"""Nothing that is said of a type."""

Hint: TypeAlias = Any
Schema: TypeAlias = dict[str, Any]


class Slot(NamedTuple):
    """One named value: its type, whether it must be there, and what stands for it when it is not."""

    hint: Hint
    required: bool
    default: Any = None


@dataclass(frozen=True, slots=True)
class Form:
    """How a schema is rendered.

    `depth` counts the levels of objects whose members are shown. A `closed` form admits no further members and lists
    every alternative; an open one is plain enough for every host: one concrete type a value.
    """

    depth: int
    closed: bool
    described: bool
    nulls: bool


PUBLISHED = Form(depth=1, closed=False, described=True, nulls=False)
CHECKED = Form(depth=64, closed=True, described=False, nulls=False)
RESULT = Form(depth=2, closed=False, described=False, nulls=True)

_SCALARS: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_LIMITS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "minimum": "minimum",
    "maximum": "maximum",
    "min_items": "minItems",
    "max_items": "maxItems",
    "pattern": "pattern",
}


def origin_of(hint: Hint) -> Any:
    """Return what a parametrised type is made of, or None; typed for what hints can be here."""
    return get_origin(hint)


def slots_of(record: Hint) -> Mapping[str, Slot]:
    """Return the members of a TypedDict, generic ones with their type filled in."""
    return _slots_of(record)


@cache
def _slots_of(record: Hint) -> Mapping[str, Slot]:
    origin = origin_of(record) or record
    bound = _bound(record)
    hints = get_type_hints(origin, include_extras=True)
    return {name: _slot(_bind(hint, bound), name in origin.__required_keys__) for name, hint in hints.items()}


def _bound(record: Hint) -> dict[Any, Hint]:
    """Return what a generic record's type variables stand for; those of the records it extends too."""
    origin = origin_of(record) or record
    bound = dict(zip(getattr(origin, "__parameters__", ()), get_args(record), strict=False))
    for base in getattr(origin, "__orig_bases__", ()):
        if is_record(base):
            bound = _bound(_bind(base, bound)) | bound
    return bound


def _slot(hint: Hint, required: bool) -> Slot:  # noqa: FBT001 - a fact of the slot
    # With postponed annotations the class cannot see its own NotRequired; the resolved hint can.
    if origin_of(hint) is NotRequired:
        return Slot(get_args(hint)[0], required=False)
    if origin_of(hint) is Required:
        return Slot(get_args(hint)[0], required=True)
    return Slot(hint, required)


def _bind(hint: Hint, bound: dict[Any, Hint]) -> Hint:
    if not bound:
        return hint
    if isinstance(hint, TypeVar):
        return bound.get(hint, Any)
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(bound.get(parameter, Any) for parameter in parameters)] if parameters else hint


def unwrapped(hint: Hint) -> tuple[Hint, Field]:
    """Return the bare type, and all that is said about it, the outermost word winning."""
    if isinstance(hint, type):
        return hint, UNMARKED
    marks: list[Field] = []
    while (said := getattr(hint, "__metadata__", None)) is not None:  # of Annotated: `get_origin` takes far longer
        marks += [mark for mark in reversed(said) if isinstance(mark, Field)]
        hint = hint.__origin__
    return hint, _merged(marks) if marks else UNMARKED


def _merged(marks: list[Field]) -> Field:
    if len(marks) == 1:
        return marks[0]
    said: dict[str, Any] = {}
    for mark in marks:
        for fact in fields(mark):
            value = getattr(mark, fact.name)
            if value is not None and value is not False:
                said.setdefault(fact.name, value)
    return Field(**said)


def alternatives(hint: Hint) -> list[Hint]:
    """Return the members of a union, null among them as NoneType; a lone type is its own only member."""
    return list(get_args(hint)) if origin_of(hint) in {Union, types.UnionType} else [hint]


def without_null(hint: Hint) -> Hint:
    """Return the type of an argument that is given: a null argument is an absent one."""
    if origin_of(hint) is Annotated:
        inner, *said = get_args(hint)
        return Annotated[(without_null(inner), *said)]
    members = [member for member in alternatives(hint) if member is not type(None)]
    return members[0] if len(members) == 1 else hint


def is_untrusted(hint: Hint) -> bool:
    """Whether anything in a value of this type was written by somebody in a conversation."""
    bare, mark = unwrapped(hint)
    if mark.untrusted:
        return True
    if is_record(bare):
        return any(is_untrusted(slot.hint) for slot in slots_of(bare).values())
    return any(is_untrusted(part) for part in get_args(bare) if origin_of(bare) is not Literal)


def is_record(bare: Hint) -> bool:
    """Whether the type is a TypedDict, generic or not."""
    return is_typeddict(origin_of(bare) or bare)


def record_of(bare: Hint, value: Mapping[str, Any]) -> Hint | None:
    """Return the record that an object is meant to be: of several the one whose constants it has; None if none is."""
    if is_record(bare):
        return bare
    records = [inner for member in alternatives(bare) if is_record(inner := unwrapped(member)[0])]
    meant = [record for record in records if _has_constants(record, value)]
    return meant[0] if len(meant) == 1 else None


def _has_constants(record: Hint, value: Mapping[str, Any]) -> bool:
    kinds = {name: unwrapped(slot.hint)[0] for name, slot in slots_of(record).items() if slot.required}
    return all(value.get(name) in get_args(kind) for name, kind in kinds.items() if origin_of(kind) is Literal)


def render(hint: Hint, form: Form, depth: int = 0) -> Schema:
    """Return the schema of one value in this form."""
    bare, mark = unwrapped(hint)
    members = [member for member in alternatives(bare) if member is not type(None)]
    within = form.depth if mark.opaque and form is PUBLISHED else depth
    schema = _union(members, form, within) if len(members) != 1 else _one(members[0], form, within)
    schema |= _limits(mark)
    if form.nulls and len(members) < len(alternatives(bare)) and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    if form.described and depth == 0 and mark.description:
        schema["description"] = "; ".join(filter(None, (mark.description, schema.get("description"))))
    return schema


def _limits(mark: Field) -> Schema:
    return {word: value for fact, word in _LIMITS.items() if (value := getattr(mark, fact)) is not None}


def _union(members: list[Hint], form: Form, depth: int) -> Schema:
    if form.closed:
        return {"anyOf": [render(member, form, depth) for member in members]}
    return render(members[0], form, depth) if members and form is PUBLISHED else {}


def _one(bare: Hint, form: Form, depth: int) -> Schema:
    inner, said = unwrapped(bare)
    if inner is not bare:
        return _one(inner, form, depth) | _limits(said)
    if bare in _SCALARS:
        return dict(_SCALARS[bare])
    if isinstance(bare, type) and issubclass(bare, Shaped | Credential):
        return _kind(bare, form)
    if isinstance(bare, type) and issubclass(bare, Worded):
        return dict(_SCALARS[int])
    if is_record(bare):
        return _record(bare, form, depth)
    return _generic(bare, form, depth)


def _kind(kind: type[Shaped | Credential], form: Form) -> Schema:
    if form is RESULT:
        return {"type": "string"}
    return kind_schema(kind) | ({"$comment": kind.wants} if form.closed else {})


def _generic(bare: Hint, form: Form, depth: int) -> Schema:
    origin, arguments = origin_of(bare), get_args(bare)
    if origin is Literal:
        return _choice(arguments, form)
    if origin in {list, tuple}:
        return {"type": "array", "items": render(arguments[0], form, depth) or {"type": "object"}}
    if origin is dict or bare is dict:
        return _mapping(arguments, form, depth)
    if bare is Any or bare is object:
        return {}
    raise TypeError(f"{bare!r} has no JSON Schema here; use TypedDict, Literal, list, dict, str, int, float or bool")


def _mapping(arguments: tuple[Hint, ...], form: Form, depth: int) -> Schema:
    """Return the schema of values under names that are not known beforehand, or that are some of a few."""
    if not form.closed or not arguments or arguments[1] is Any:
        return {"type": "object"}
    names = {"propertyNames": {"enum": list(get_args(arguments[0]))}} if origin_of(arguments[0]) is Literal else {}
    return {"type": "object", "additionalProperties": render(arguments[1], form, depth), **names}


def _choice(values: tuple[Any, ...], form: Form) -> Schema:
    kind = _SCALARS[type(values[0])]["type"]
    if form is RESULT:
        return {"type": kind}  # Discord may send values that are newer than this list
    if form.closed or kind == "string":
        return {"type": kind, "enum": list(values)}
    # A host that only takes enums of strings still learns the choices.
    return {"type": kind, "description": "one of " + ", ".join(map(str, values))}


def _record(bare: Hint, form: Form, depth: int) -> Schema:
    if depth >= form.depth:
        return {"type": "object"}
    return object_schema(slots_of(bare), form, depth + 1)


def object_schema(slots: Mapping[str, Slot], form: Form, depth: int = 0) -> Schema:
    """Return the schema of an object with these members.

    A result's object requires nothing and is open, so that the same schema admits the error envelope.
    """
    schema: Schema = {"type": "object", "properties": {n: _member(s, form, depth) for n, s in slots.items()}}
    required = [name for name, slot in slots.items() if slot.required]
    if required and form is not RESULT:
        schema["required"] = required
    if form.closed:
        schema["additionalProperties"] = False
    return schema


def _member(slot: Slot, form: Form, depth: int) -> Schema:
    schema = render(slot.hint, form, depth)
    if form is PUBLISHED and slot.default is not None:
        schema["default"] = slot.default
    return schema
