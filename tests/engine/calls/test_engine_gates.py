"""Each of the engine's gates, open and closed, and the order in which they stand."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from tests.engine.small_server import CALLER, Desk, body, calls_of, events, tool_of

from accord.engine import (
    Call,
    Credential,
    Effect,
    Gate,
    Next,
    Reply,
    Tool,
    chain,
    confirm,
    limit_categories,
    preview_writes,
    trace,
    validate,
)


class Token(Credential):
    __slots__ = ()
    pattern = "^[a-z]+$"


class Done(TypedDict):
    did: str


async def act(desk: Desk, what: str, token: Token | None = None) -> Done:
    """Do something."""
    desk.done.append(what)
    return {"did": what}


READ, CREATE, UPDATE, DELETE = (tool_of(act, effect) for effect in Effect)


async def through(gate: Gate, tool: Tool, **arguments: object) -> tuple[Reply, list[str]]:
    """Send a call through one gate; return its reply and what was done behind it."""
    desk = Desk()
    reply = await calls_of([tool], gate, desk=desk).enter(CALLER, "act", {"what": "it", **arguments})
    assert isinstance(reply, Reply)
    return reply, desk.done


async def refused(gate: Gate, tool: Tool, **arguments: object) -> dict[str, Any]:
    reply, done = await through(gate, tool, **arguments)
    assert reply.is_error
    assert done == []
    return body(reply)


async def passed(gate: Gate, tool: Tool, **arguments: object) -> bool:
    reply, done = await through(gate, tool, **arguments)
    return not reply.is_error and done == ["it"]


@pytest.mark.parametrize("allowed", [None, ["tests"], ["others", "tests"]])
async def test_a_tool_of_an_allowed_category_passes(allowed: list[str] | None) -> None:
    assert await passed(limit_categories(allowed), READ)


async def test_a_tool_of_another_category_is_refused_with_those_that_are_allowed() -> None:
    told = await refused(limit_categories({"roles", "guilds"}), READ)

    assert (told["code"], told["required"], told["granted"]) == ("SCOPE_REJECTED", "tests", ["guilds", "roles"])


async def test_no_category_allowed_is_not_all_of_them() -> None:
    assert (await refused(limit_categories([]), READ))["code"] == "SCOPE_REJECTED"


async def test_some_categories_are_always_allowed() -> None:
    assert await passed(limit_categories([], always=("tests",)), READ)


@pytest.mark.parametrize("tool", [CREATE, UPDATE, DELETE])
async def test_a_write_is_previewed_where_writes_are_only_previewed(tool: Tool) -> None:
    told = await refused(preview_writes(active=True), tool)

    assert (told["code"], told["preview"]) == ("WRITE_PREVIEW", {"what": "it"})


async def test_a_read_is_never_previewed() -> None:
    assert await passed(preview_writes(active=True), READ)


@pytest.mark.parametrize("tool", [READ, CREATE, UPDATE, DELETE])
async def test_nothing_is_previewed_where_writes_are_allowed(tool: Tool) -> None:
    assert await passed(preview_writes(active=False), tool)


CONFIRMATIONS = [
    (True, {}, False),
    (True, {"__confirm": True}, False),
    (False, {}, False),
    (False, {"__confirm": False}, False),
    (False, {"__confirm": "true"}, False),
    (False, {"__confirm": 1}, False),
    (False, {"__confirm": True}, True),
]


@pytest.mark.parametrize(("armed", "reserved", "runs"), CONFIRMATIONS)
async def test_what_destroys_runs_only_where_it_is_confirmed_and_disarmed(
    armed: bool, reserved: dict[str, object], runs: bool
) -> None:
    gate = confirm(armed=armed)

    if runs:
        assert await passed(gate, DELETE, **reserved)
        return
    told = await refused(gate, DELETE, **reserved)
    assert told["code"] == "DRY_RUN_PREVIEW"


async def test_a_preview_shows_the_arguments_whole_and_credentials_not() -> None:
    told = await refused(confirm(armed=True), DELETE, token="geheim", __confirm=True)

    assert told["preview"] == {"what": "it", "token": "[SECRET]"}


@pytest.mark.parametrize("tool", [READ, CREATE, UPDATE])
async def test_what_destroys_nothing_needs_no_confirmation(tool: Tool) -> None:
    assert await passed(confirm(armed=True), tool)


async def test_validation_hands_checked_arguments_on() -> None:
    seen: list[Call] = []

    async def look(call: Call, following: Next) -> Reply:
        seen.append(call)
        return await following(call)

    await calls_of([READ], validate, look).enter(CALLER, "act", {"what": "it", "token": "geheim"})

    assert type(seen[0].arguments["token"]) is Token


async def test_validation_refuses_what_is_not_valid() -> None:
    assert (await refused(validate, READ, what=5))["code"] == "VALIDATION_FAILED"


@pytest.mark.parametrize(("what", "code"), [("it", None), (5, "VALIDATION_FAILED")])
async def test_a_trace_tells_the_tool_the_time_and_the_code_and_no_content(
    what: object, code: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "accord")

    await calls_of([READ], trace, validate).enter(CALLER, "act", {"what": what})

    (line,) = events(caplog)
    assert (line["tool"], line["code"], line["level"]) == ("act", code, "debug")
    assert line["ms"] >= 0
    assert line.keys() == {"event", "level", "timestamp", "tool", "id", "ms", "code"}


async def test_a_trace_tells_of_a_call_that_was_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async def cancelled(call: Call, following: Next) -> Reply:
        raise asyncio.CancelledError

    caplog.set_level("DEBUG", "accord")

    with pytest.raises(asyncio.CancelledError):
        await calls_of([READ], trace, cancelled).enter(CALLER, "act", {})

    assert [line["code"] for line in events(caplog)] == ["CANCELLED"]


async def test_gates_are_an_onion_the_first_of_them_outermost_and_the_tools_own_last() -> None:
    steps: list[str] = []

    def gate(name: str) -> Gate:
        async def noted(call: Call, following: Next) -> Reply:
            steps.append(f"into {name}")
            reply = await following(call)
            steps.append(f"out of {name}")
            return reply

        return noted

    tool = tool_of(act, gates=(gate("own"),))
    await calls_of([tool], gate("outer"), gate("inner")).enter(CALLER, "act", {"what": "it"})

    assert steps == ["into outer", "into inner", "into own", "out of own", "out of inner", "out of outer"]


async def test_a_gate_that_does_not_go_on_ends_the_call() -> None:
    async def closed(call: Call, following: Next) -> Reply:
        return Reply(structured={"closed": True}, text="closed")

    reply, done = await through(closed, DELETE)

    assert (reply.text, done) == ("closed", [])


async def test_no_gates_at_all_leave_the_last_step() -> None:
    async def last(call: Call) -> Reply:
        return Reply(structured=None, text="last")

    assert chain((), last) is last
