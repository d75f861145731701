"""Which of Discord's operations a method and a path mean."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tests.judge.rewrites import Schema

JSON = "application/json"
MULTIPART = "multipart/form-data"

Place = tuple[str | int, ...]
"""The keys that lead to a schema from the document's root."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value in the path or the query. `schema` is where the file describes it."""

    name: str
    required: bool
    schema: Place


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing Discord can be asked: bodies by their content type, 2xx answers by their status.

    An answer's content type is None where it has no body. `files` are the parts that the file describes as binary.
    """

    id: str
    method: str
    template: str
    path_parameters: tuple[Parameter, ...]
    query_parameters: Mapping[str, Parameter]
    bodies: frozenset[str]
    files: frozenset[str]
    answers: Mapping[str, str | None]

    def __str__(self) -> str:
        return f"{self.method} {self.template}"

    def body_schema(self, content_type: str) -> Place:
        """Where the file describes a body of one of its content types."""
        return self._place("requestBody", "content", content_type, "schema")

    def answer_schema(self, status: str, content_type: str) -> Place:
        """Where the file describes the answer of one of its statuses."""
        return self._place("responses", status, "content", content_type, "schema")

    def _place(self, *keys: str) -> Place:
        return ("paths", self.template, self.method.lower(), *keys)


@dataclass(frozen=True, slots=True)
class Match:
    """An operation and the values that its path parameters have in one request, unquoted."""

    operation: Operation
    values: Mapping[str, str]


class Routes:
    """The operations of a file by method and path; a literal segment goes before a parameter."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._routes: dict[tuple[str, int], list[Operation]] = defaultdict(list)
        for operation in sorted(operations, key=_openness):
            self._routes[operation.method, operation.template.count("/")].append(operation)

    def find(self, method: str, path: str) -> Match | None:
        """Find the operation of a path as it is on the wire: percent-encoded, without version and query."""
        segments = [unquote(segment) for segment in path.split("/")]
        for operation in self._routes.get((method.upper(), len(segments) - 1), ()):
            values = _match(operation.template.split("/"), segments)
            if values is not None:
                return Match(operation, values)
        return None


def operations_of(document: Schema) -> Iterator[Operation]:
    """Read every operation of an OpenAPI document."""
    for template, item in document["paths"].items():
        for method, described in item.items():
            if method != "parameters":
                yield _operation(template, method, item, described)


def _operation(template: str, method: str, item: Schema, described: Schema) -> Operation:
    places = [*_parameters(("paths", template), item), *_parameters(("paths", template, method), described)]
    bodies = described.get("requestBody", {}).get("content", {})
    return Operation(
        id=described["operationId"],
        method=method.upper(),
        template=template,
        path_parameters=tuple(parameter for within, parameter in places if within == "path"),
        query_parameters={parameter.name: parameter for within, parameter in places if within == "query"},
        bodies=frozenset(bodies),
        files=frozenset(_binary_names(bodies.get(MULTIPART, {}).get("schema", {}))),
        answers={
            status: next(iter(answer.get("content", ())), None)
            for status, answer in described["responses"].items()
            if status.startswith("2")
        },
    )


def _parameters(place: Place, described: Schema) -> Iterator[tuple[str, Parameter]]:
    for number, parameter in enumerate(described.get("parameters", ())):
        schema = (*place, "parameters", number, "schema")
        yield parameter["in"], Parameter(parameter["name"], parameter.get("required", False), schema)


def _binary_names(schema: Schema) -> Iterator[str]:
    for name, described in schema.get("properties", {}).items():
        if described.get("contentEncoding") == "binary":
            yield name
    for member in schema.get("allOf", ()):
        yield from _binary_names(member)


def _openness(operation: Operation) -> list[bool]:
    return [segment.startswith("{") for segment in operation.template.split("/")]


def _match(template: list[str], segments: list[str]) -> dict[str, str] | None:
    values = {}
    for expected, given in zip(template, segments, strict=True):
        if expected.startswith("{") and given:
            values[expected.strip("{}")] = given
        elif expected != given:
            return None
    return values
