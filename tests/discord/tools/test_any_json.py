"""Whatever JSON comes as arguments: an answer in the protocol's form, and no request that was not checked first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.discord.tools.usual_calls import TOOLS, example
from tests.judge import Judge, JudgedExchanges
from tests.served import Called, Desk, desk

from accord.discord.app import own_tools
from accord.discord.sandbox import Sandbox, demo
from accord.engine import ValidationError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Json: TypeAlias = Any

EXAMPLES = 20
SOURCE = ('File "', "Traceback", "accord/", "site-packages")


@dataclass(frozen=True)
class Line:
    """A server that is called from the outside of its event loop."""

    portal: BlockingPortal
    desk: Desk

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Called:
        called: Called = self.portal.call(self.desk.call, tool, arguments)
        return called


@pytest.fixture
def line(discords_file: Judge | None) -> Iterator[Line]:
    """One server for all examples of a tool; what it asked of Discord is judged at the end."""
    judged = JudgedExchanges(discords_file) if discords_file else None
    started = Sandbox.start(on_exchange=judged, limits=False)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(started) as sandbox,
        portal.wrap_async_context_manager(desk(sandbox)) as served,
    ):
        sandbox.fail("*", "headers", times=None, set={"X-RateLimit-Limit": None})  # or the client would keep to it
        yield Line(portal, served)
    if judged is not None:
        judged.assert_clean()


def json_values() -> SearchStrategy[Json]:
    """Every JSON value, lone surrogates and numbers beyond all limits included; the client refuses them in names."""
    texts, names = st.text(st.characters(), max_size=30), st.text(max_size=10)
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
    return st.recursive(
        scalars | st.sampled_from([10**400, -(10**30), 2**63, 1e308, "\ud800", demo.GENERAL, demo.GUILD, "x" * 2001]),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=12,
    )


def arguments_of(tool: str, usual: Mapping[str, Json]) -> SearchStrategy[dict[str, Json]]:
    """Arguments under known and unknown names: the usual values, values that fit, and anything at all."""
    checked = own_tools()[tool].shape.checked["properties"]
    fitting = {name: fit(schema) for name, schema in checked.items()} | {"__confirm": st.booleans()}
    named = st.fixed_dictionaries({}, optional={name: each | json_values() for name, each in fitting.items()})
    right = st.fixed_dictionaries(
        {name: st.just(value) for name, value in usual.items()},
        optional={name: each for name, each in fitting.items() if name not in usual},
    )
    strange = st.dictionaries(st.text(max_size=10), json_values(), max_size=2)
    return right | right | st.builds(lambda base, more: {**more, **base}, named, strange)


TEXTS: Mapping[str, SearchStrategy[str]] = {
    "^[0-9]{17,20}$": st.sampled_from([demo.GENERAL, demo.GUILD, demo.LENA, demo.BLOB, demo.WAVE_STICKER]),
    "^[0-9A-Fa-f]{6}$": st.sampled_from(["1abc9c", "E74C3C"]),
    "^(https?|attachment)://": st.sampled_from(["https://weather.example/map?x=1#y", "attachment://map.png"]),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$": st.sampled_from(
        ["2026-05-04T18:42:00Z", "2026-05-04T18:42:00.123456+02:00"]
    ),
}
"""Texts of a form, by its pattern."""


def fit(schema: Mapping[str, Json]) -> SearchStrategy[Json]:
    """Values that a schema allows, short ones."""
    if "anyOf" in schema:
        return st.one_of([fit(arm) for arm in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return FITTING[schema["type"]](schema)


def _object(schema: Mapping[str, Json]) -> SearchStrategy[Json]:
    members = {name: fit(member) for name, member in schema.get("properties", {}).items()}
    required = {name: members.pop(name) for name in schema.get("required", ())}
    if "propertyNames" in schema:
        return st.dictionaries(fit(schema["propertyNames"]), fit(schema["additionalProperties"]), max_size=2)
    return st.fixed_dictionaries(required, optional=members)


def _string(schema: Mapping[str, Json]) -> SearchStrategy[str]:
    if "pattern" in schema:
        by_pattern = st.from_regex(re.compile(schema["pattern"], re.ASCII), fullmatch=True)
        return TEXTS.get(schema["pattern"], by_pattern)
    return st.text(min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 40), 40))


FITTING: Mapping[str, Callable[[Mapping[str, Json]], SearchStrategy[Json]]] = {
    "object": _object,
    "array": lambda schema: st.lists(
        fit(schema["items"]), min_size=schema.get("minItems", 0), max_size=3, unique_by=repr
    ),
    "string": _string,
    "integer": lambda schema: st.integers(schema.get("minimum", -1), schema.get("maximum", 8192)),
    "number": lambda schema: st.floats(schema.get("minimum", -1e6), schema.get("maximum", 1e6)),
    "boolean": lambda _: st.booleans(),
}


def is_valid(tool: str, arguments: Mapping[str, Json]) -> bool:
    """Whether the tool's own shape takes the arguments."""
    given_ones = {name: value for name, value in arguments.items() if not name.startswith("__") and name != "_meta"}
    reserved = {name: value for name, value in arguments.items() if name.startswith("__")}
    try:
        own_tools()[tool].shape.check(given_ones, reserved)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("tool", TOOLS)
def test_any_arguments_are_answered_in_form_and_only_checked_ones_reach_discord(line: Line, tool: str) -> None:
    usual = example(line.desk.sandbox, tool)

    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
    @given(arguments=arguments_of(tool, usual))
    def each(arguments: dict[str, Json]) -> None:
        before = len(line.desk.sandbox.requests)
        reply = line.call(tool, arguments)
        requests = line.desk.sandbox.requests[before:]

        assert reply.code != "INTERNAL_ERROR", reply.text
        assert not [word for word in SOURCE if word in reply.text]
        if not is_valid(tool, arguments):
            assert (reply.code, requests) == ("VALIDATION_FAILED", ())

    each()
