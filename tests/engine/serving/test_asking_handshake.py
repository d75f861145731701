"""Asking a person in the eras with a session: only a clear yes runs the tool."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import types
from tests.engine.serving.asking_gate import ACCEPT, ANSWERS, TOOLS, answering, sure
from tests.engine.small_server import Desk, calls_of, server_of

from accord.engine import connect, validate

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext


async def asked(seconds: float = 45.0, **options: Any) -> tuple[dict[str, Any] | None, list[Any]]:
    """Call a tool that asks first; return what came back and what was done."""
    desk = Desk()
    calls = calls_of(TOOLS, validate, sure, desk=desk, seconds=seconds)
    async with connect(server_of(calls), "2025", **options) as client:
        result = await client.call_tool("delete", {"what": "it"})
    return result.structured_content, desk.done


async def refused(**options: Any) -> str:
    """Return how an ask was answered that did not let the call through."""
    told, done = await asked(**options)
    assert told is not None
    assert (told["code"], done) == ("NOT_CONFIRMED", [])
    action: str = told["action"]
    return action


async def test_a_yes_runs_the_tool() -> None:
    assert await asked(elicitation_callback=answering(ACCEPT)) == ({"deleted": "it"}, ["it"])


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
async def test_what_is_no_yes_runs_nothing(answer: types.ElicitResult) -> None:
    assert await refused(elicitation_callback=answering(answer)) == answer.action


async def test_a_client_that_cannot_ask_runs_nothing() -> None:
    assert await refused() == "unavailable"


@pytest.mark.parametrize("code", [types.METHOD_NOT_FOUND, types.INVALID_REQUEST, types.INTERNAL_ERROR])
async def test_a_client_that_answers_an_error_runs_nothing(code: int) -> None:
    error = types.ErrorData(code=code, message="no")

    assert await refused(elicitation_callback=answering(error)) == "unavailable"


async def test_a_client_that_fails_while_asking_runs_nothing() -> None:
    async def fail(_: ClientRequestContext, __: types.ElicitRequestParams) -> types.ElicitResult:
        raise RuntimeError("no window")

    assert await refused(elicitation_callback=fail) == "unavailable"


async def test_a_client_that_never_answers_runs_nothing_and_the_call_still_ends() -> None:
    async def never(_: ClientRequestContext, __: types.ElicitRequestParams) -> types.ElicitResult:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    assert await refused(elicitation_callback=never, seconds=0.05) == "unavailable"


async def test_the_person_sees_the_question_and_its_form() -> None:
    seen: list[types.ElicitRequestParams] = []

    async def look(_: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        seen.append(params)
        return ACCEPT

    await asked(elicitation_callback=look)

    (params,) = seen
    assert isinstance(params, types.ElicitRequestFormParams)
    assert params.message == "Run delete?"
    assert params.requested_schema["properties"] == {"confirm": {"type": "boolean"}}


async def test_every_inner_call_asks_for_itself() -> None:
    answers = iter([ACCEPT, types.ElicitResult(action="decline")])

    async def once(_: ClientRequestContext, __: types.ElicitRequestParams) -> types.ElicitResult:
        return next(answers)

    desk = Desk()
    server = server_of(calls_of(TOOLS, validate, sure, desk=desk))
    async with connect(server, "2025", elicitation_callback=once) as client:
        await client.call_tool("delete_both", {"one": "a", "two": "b"})

    assert desk.done == ["a"]
