"""Whatever JSON comes as arguments: an answer in the protocol's form, and no request that was not checked first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.discord.tools.examples import TOOLS, example
from tests.judge import Judge, JudgedExchanges
from tests.served import Called, Desk, desk

from accord.discord.app import own_tools
from accord.discord.sandbox import Sandbox, demo
from accord.engine import ValidationError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Json: TypeAlias = Any

EXAMPLES = 60
SOURCE = ('File "', "Traceback", "accord/", "site-packages")


@dataclass(frozen=True)
class Line:
    """A server that is called from the outside of its event loop."""

    portal: BlockingPortal
    desk: Desk

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Called:
        return self.portal.call(self.desk.call, tool, arguments)


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
    known = own_tools()[tool].shape.published["properties"]
    fitting = {name: fit(schema) | st.sampled_from([usual.get(name)]) for name, schema in known.items()}
    named = st.fixed_dictionaries({}, optional={name: each | json_values() for name, each in fitting.items()})
    right = st.fixed_dictionaries(
        {name: st.just(value) for name, value in usual.items()},
        optional={name: each for name, each in fitting.items() if name not in usual},
    )
    strange = st.dictionaries(st.text(max_size=10), json_values(), max_size=2)
    return right | right | st.builds(lambda base, more: {**more, **base}, named, strange)


def fit(schema: Mapping[str, Json]) -> SearchStrategy[Json]:
    """Values that a published schema allows, as far as it says."""
    kind = schema["type"]
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if kind == "object":
        members = {name: fit(member) for name, member in schema.get("properties", {}).items()}
        required = {name: members.pop(name) for name in schema.get("required", ())}
        return st.fixed_dictionaries(required, optional=members)
    if kind == "array":
        return st.lists(fit(schema["items"]), max_size=3)
    if "17,20" in schema.get("pattern", ""):
        return st.sampled_from([demo.GENERAL, demo.GUILD, demo.LENA, demo.BLOB, demo.WAVE_STICKER])
    return {"string": st.text(max_size=40), "integer": st.integers(0, 30), "boolean": st.booleans()}[kind]


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
