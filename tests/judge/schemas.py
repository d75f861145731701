"""Values against the schemas of one document, and their flaws in words a person can act on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from jsonschema_rs import Draft202012Validator, Registry, ValidationError, ValidationErrorKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.judge.operations import Place
    from tests.judge.rewrites import Schema

MESSAGE_CHARACTERS = 200
"""A flaw quotes the value it is about; more of it than this helps nobody."""

_URI = "urn:discord"
_UNIONS = (ValidationErrorKind.AnyOf, ValidationErrorKind.OneOfNotValid)
_NAMES_OF_KINDS = frozenset({"type", "trigger_type", "entity_type"})
"""The keys by which the members of Discord's unions are told apart."""

Path = tuple[str | int, ...]
"""The keys that lead to a part of a value."""


class Flaw(NamedTuple):
    """What is wrong, where in the value, and the JSON Schema keyword that says so."""

    path: Path
    message: str
    keyword: str

    def __str__(self) -> str:
        place = ".".join(map(str, self.path))
        return f"{place}: {self.message}" if place else self.message


class Schemas:
    """The schemas of one OpenAPI document without outside references, each compiled when first used (1 to 5 ms)."""

    def __init__(self, document: Schema) -> None:
        self._registry = Registry([(_URI, document)])
        self._compiled: dict[Place, Draft202012Validator] = {}

    def flaws(self, place: Place, value: Any) -> list[Flaw]:
        """List what is wrong with a JSON value by the schema at a place; empty when it fits."""
        return [flaw for error in self.compiled(place).iter_errors(value) for flaw in _flaws(error)]

    def compiled(self, place: Place) -> Draft202012Validator:
        """Compile the schema at a place once. `format` stays a remark: the patterns do the work."""
        if place not in self._compiled:
            self._compiled[place] = Draft202012Validator(
                {"$ref": f"{_URI}#{_pointer(place)}"}, registry=self._registry, validate_formats=False
            )
        return self._compiled[place]


def closest(attempts: Iterable[list[Flaw]], depth: int = 0) -> list[Flaw]:
    """Choose the attempt that was most likely meant, among the ways to read a value that lies `depth` keys deep."""
    return min(attempts, key=partial(_distance, depth))


def _pointer(place: Place) -> str:
    return "".join("/" + quote(str(key).replace("~", "~0").replace("/", "~1"), safe="~") for key in place)


def _flaws(error: ValidationError) -> list[Flaw]:
    path = tuple(error.instance_path)
    if not isinstance(error.kind, _UNIONS):
        return [Flaw(path, error.message[:MESSAGE_CHARACTERS], error.kind.name)]
    members = error.kind.context
    values = [value for member in members for value in _titled_value(member, path)]
    if len(values) == len(members):
        return [Flaw(path, f"{error.instance!r} is none of {values}"[:MESSAGE_CHARACTERS], "enum")]
    return closest(([flaw for inner in member for flaw in _flaws(inner)] for member in members), len(path))


def _titled_value(member: list[ValidationError], path: Path) -> list[Any]:
    """Discord writes an enum as a union of titled constants: the constant that a member of a union is, if it is one."""
    match member:
        case [ValidationError(kind=ValidationErrorKind.Constant(value), instance_path=place)] if tuple(place) == path:
            return [value]
    return []


def _distance(depth: int, flaws: list[Flaw]) -> tuple[bool, int, int]:
    another_kind = any(_says_another_kind(flaw, depth) for flaw in flaws)
    return another_kind, -min((len(flaw.path) for flaw in flaws), default=0), len(flaws)


def _says_another_kind(flaw: Flaw, depth: int) -> bool:
    if len(flaw.path) == depth:
        return flaw.keyword == "type"
    return len(flaw.path) == depth + 1 and flaw.keyword in {"const", "enum"} and flaw.path[-1] in _NAMES_OF_KINDS
