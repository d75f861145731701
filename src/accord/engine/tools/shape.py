"""The shape of one tool: what goes in, what comes out, and everything that follows from the types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeAlias

from accord.engine.errors import Issue, ValidationError
from accord.engine.tools.check import converted, is_sendable, issues_of, nearest, tidied
from accord.engine.tools.schema import (
    CHECKED,
    PUBLISHED,
    RESULT,
    Slot,
    is_untrusted,
    object_schema,
    slots_of,
    without_null,
)
from accord.engine.tools.secrecy import veiled

__all__ = ["CONFIRM", "Check", "Shape"]

Json: TypeAlias = Any
Check: TypeAlias = Callable[[Mapping[str, Json]], Iterable[Issue]]
"""A rule between arguments: it yields what is wrong."""

CONFIRM: Mapping[str, Json] = {
    "__confirm": {"type": "boolean", "description": "true runs it; without it you get a preview"}
}
"""The reserved argument of every tool that is gated by a confirmation."""


class Shape:
    """Derived when first needed, so that a server can start without deriving 250 of them.

    `takes` returns the tool's arguments by name, `gives` its result's TypedDict (None: no output schema).
    `reserved` are the schemas of the `__` keys that the tool's gates read.
    """

    def __init__(
        self,
        takes: Callable[[], Mapping[str, Slot]],
        gives: Callable[[], Any],
        *,
        checks: tuple[Check, ...] = (),
        reserved: Mapping[str, Json] | None = None,
    ) -> None:
        self._takes = takes
        self._gives = gives
        self._checks = checks
        self._reserved = dict(reserved or {})

    @cached_property
    def slots(self) -> dict[str, Slot]:
        """The arguments by name."""
        return {name: slot._replace(hint=without_null(slot.hint)) for name, slot in self._takes().items()}

    @cached_property
    def result(self) -> Any:
        """The TypedDict of the result, or None."""
        return self._gives()

    @cached_property
    def published(self) -> dict[str, Json]:
        """The input schema that hosts see: plain enough for all of them."""
        schema = object_schema(self.slots, PUBLISHED)
        schema["properties"] |= self._reserved
        return schema

    @cached_property
    def checked(self) -> dict[str, Json]:
        """The input schema that arguments are judged by: closed, with every limit at every depth."""
        return object_schema(self.slots, CHECKED)

    @cached_property
    def output(self) -> dict[str, Json] | None:
        """The output schema, or None where the tool promises nothing."""
        return None if self.result is None else object_schema(slots_of(self.result), RESULT)

    @cached_property
    def untrusted(self) -> bool:
        """Whether a result may hold text that somebody in a conversation wrote."""
        return self.result is None or is_untrusted(self.result)

    @cached_property
    def _validator(self) -> Any:
        import jsonschema_rs  # noqa: PLC0415 - not needed before the first call

        return jsonschema_rs.Draft202012Validator(self.checked)

    def check(self, given: dict[str, Json], reserved: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments as the tool takes them.

        Raises:
            ValidationError: They are not valid; it names every issue.
        """
        arguments = _tidied(self.slots, given, reserved)
        issues = self._issues(arguments)
        if reserved:
            issues = [*_reserved_issues({**CONFIRM, **self._reserved}, reserved), *issues]
        if not issues:
            issues = [issue for rule in self._checks for issue in rule(arguments)]
        if issues:
            raise ValidationError(issues=issues)
        return converted(self.slots, arguments)

    def _issues(self, arguments: dict[str, Json]) -> list[Issue]:
        if self._validator.is_valid(arguments):
            return []
        return issues_of(self._validator.iter_errors(arguments), self.checked)

    def preview(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments as their caller may see them again: whole, credentials apart."""
        slots = self.slots
        return {n: veiled(slots[n].hint, value) if n in slots else value for n, value in arguments.items()}


def _tidied(slots: dict[str, Slot], given: dict[str, Json], reserved: Mapping[str, Json]) -> dict[str, Json]:
    with suppress(RecursionError):  # of a record that holds itself
        if is_sendable(given) and (not reserved or is_sendable(list(reserved))):
            return tidied(slots, given)
    raise ValidationError(issues=[Issue(path="", message="is not JSON that can be sent on", code="invalid_json")])


_WORDS = {"boolean": (bool, "the boolean true or false"), "string": (str, "a string")}


def _reserved_issues(known: Mapping[str, Json], given: Mapping[str, Json]) -> list[Issue]:
    return [issue for name, value in given.items() if (issue := _reserved_issue(known, name, value))]


def _reserved_issue(known: Mapping[str, Json], name: str, value: Json) -> Issue | None:
    """Check the type alone: whether the value is the right one is the gate's to say."""
    if name not in known:
        near = nearest(name, known)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        return Issue(path=name, message=f"is not a reserved argument{hint}", code="unrecognized_key")
    kind, words = _WORDS[known[name]["type"]]
    if value is not None and not isinstance(value, kind):
        return Issue(path=name, message=f"must be {words}", code="invalid_type")
    return None
