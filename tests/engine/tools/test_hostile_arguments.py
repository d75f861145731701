"""Arguments that no honest host sends: refused like any other mistake, never a crash."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.small_server import CALLER, body, calls_of, tool_of

from accord.engine import Reply


class Node(TypedDict):
    child: NotRequired[Node]


async def take(
    client: object,
    *,
    text: str | None = None,
    number: int | None = None,
    part: float | None = None,
    texts: list[str] | None = None,
    free: dict[str, Any] | None = None,
    node: Node | None = None,
) -> None:
    """Take anything."""


CALLS = calls_of([tool_of(take)])


def nested(levels: int) -> dict[str, Any]:
    node: dict[str, Any] = {}
    for _ in range(levels):
        node = {"child": node}
    return node


HOSTILE: dict[str, dict[str, Any]] = {
    "a lone surrogate": {"text": "\ud800"},
    "a lone surrogate in a list": {"texts": ["\udfff"]},
    "a lone surrogate as a name": {"\ud800": 1},
    "a lone surrogate as a reserved name": {"__\ud800": 1},
    "a lone surrogate deep inside": {"free": {"a": [{"b": "\ud800"}]}},
    "a whole number beyond 64 bits": {"number": 10**30},
    "a negative one": {"number": -(10**30)},
    "not a number": {"part": float("nan")},
    "infinity": {"part": float("inf")},
    "nesting": {"free": nested(5_000)},
    "nesting of a declared shape": {"node": nested(5_000)},
    "nesting as text": {"node": '{"child":' * 5_000},
    "bytes": {"text": b"text"},
    "a set": {"free": {"a": {1}}},
}


@pytest.mark.parametrize("arguments", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_arguments_are_not_valid(arguments: dict[str, Any]) -> None:
    reply = await CALLS.enter(CALLER, "take", arguments)

    assert body(reply)["code"] == "VALIDATION_FAILED"


async def test_nesting_that_json_still_takes_is_no_crash() -> None:
    reply = await CALLS.enter(CALLER, "take", {"node": nested(240)})

    assert isinstance(reply, Reply)
    # How deep a declared shape may go depends on Python's version and on how deep the stack already is.
    assert not reply.is_error or body(reply)["code"] == "VALIDATION_FAILED"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(["text", "number", "part", "texts", "free", "node", "__confirm", "_meta"]) | st.text(
    max_size=12
)


@given(st.dictionaries(names, anything, max_size=6))
async def test_whatever_is_sent_the_answer_is_a_result_or_a_validation(arguments: dict[str, Any]) -> None:
    reply = await CALLS.enter(CALLER, "take", arguments)

    assert isinstance(reply, Reply)
    assert not reply.is_error or body(reply)["code"] == "VALIDATION_FAILED"
