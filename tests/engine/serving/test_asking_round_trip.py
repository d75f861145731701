"""Asking a person in the 2026 era: the whole call is repeated with the answer and a state that only we can make."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from mcp import Client, MCPError, types
from tests.engine.serving.asking_gate import ACCEPT, ANSWERS, TOOLS, answering, sure
from tests.engine.small_server import CALLER, Desk, calls_of, server_of

from accord.engine import Caller, State, connect, validate
from accord.engine.state.memory import MemoryState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Result: TypeAlias = types.CallToolResult | types.InputRequiredResult


class Place:
    """A server that asks, the state it keeps, and what was done on it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.desk = Desk()
        self.state: State = MemoryState(clock=lambda: self.now)

    @asynccontextmanager
    async def client(self, caller: Caller = CALLER, **options: Any) -> AsyncIterator[Client]:
        """Connect a client that could ask its person, and does so by hand."""
        calls = calls_of(TOOLS, validate, sure, desk=self.desk)
        server = server_of(calls, state=self.state, caller=caller)
        async with connect(server, "2026", **{"elicitation_callback": answering(ACCEPT), **options}) as client:
            yield client


@pytest.fixture
def place() -> Place:
    return Place()


async def call(
    client: Client,
    what: str = "it",
    *,
    tool: str = "delete",
    answer: types.ElicitResult | None = None,
    after: Result | None = None,
) -> Result:
    """Make one round by hand: the first one, or the one that brings an answer to what was asked before."""
    arguments = {"what": what} if tool == "delete" else {"one": "a", "two": "b"}
    brought: dict[str, Any] = {}
    if isinstance(after, types.InputRequiredResult):
        keys = after.input_requests or {}
        brought = {"input_responses": dict.fromkeys(keys, answer or ACCEPT), "request_state": after.request_state}
    result: Result = await client.session.call_tool(tool, arguments, allow_input_required=True, **brought)
    return result


async def test_a_yes_runs_the_tool_once(place: Place) -> None:
    async with place.client() as client:
        result = await client.call_tool("delete", {"what": "it"})

    assert result.structured_content == {"deleted": "it"}
    assert place.desk.done == ["it"]


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
async def test_what_is_no_yes_runs_nothing(place: Place, answer: types.ElicitResult) -> None:
    async with place.client(elicitation_callback=answering(answer)) as client:
        result = await client.call_tool("delete", {"what": "it"})

    assert result.structured_content is not None
    assert (result.structured_content["code"], result.structured_content["action"]) == ("NOT_CONFIRMED", answer.action)
    assert place.desk.done == []


async def test_a_client_that_cannot_ask_runs_nothing(place: Place) -> None:
    async with place.client(elicitation_callback=None) as client:
        result = await client.call_tool("delete", {"what": "it"})

    assert result.structured_content is not None
    assert (result.structured_content["action"], place.desk.done) == ("unavailable", [])


async def test_a_client_that_answers_an_error_never_repeats_the_call(place: Place) -> None:
    error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="no")

    async with place.client(elicitation_callback=answering(error)) as client:
        with pytest.raises(MCPError):
            await client.call_tool("delete", {"what": "it"})

    assert place.desk.done == []


async def test_the_first_round_asks_and_does_nothing(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)

    assert isinstance(first, types.InputRequiredResult)
    (request,) = (first.input_requests or {}).values()
    assert isinstance(request, types.ElicitRequest)
    assert request.params.message == "Run delete?"
    assert place.desk.done == []


async def test_the_state_shows_a_client_nothing(place: Place) -> None:
    async with place.client() as client:
        first = await call(client, "secret-thing")

    assert isinstance(first, types.InputRequiredResult)
    assert "secret-thing" not in str(first.request_state)
    assert "tester" not in str(first.request_state)


async def asks_again(place: Place, result: Result, done: list[str]) -> None:
    assert isinstance(result, types.InputRequiredResult)
    assert place.desk.done == done


async def test_a_state_is_good_for_one_round(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)
        await call(client, after=first)
        again = await call(client, after=first)

    await asks_again(place, again, ["it"])


@pytest.mark.parametrize("state", ["", "v1.", "v1.AAAA", "nonsense", "v1.\u00e4", None])
async def test_an_answer_without_our_state_is_no_answer(place: Place, state: str | None) -> None:
    async with place.client() as client:
        first = await call(client)
        assert isinstance(first, types.InputRequiredResult)
        forged = first.model_copy(update={"request_state": state})
        again = await call(client, after=forged)

    await asks_again(place, again, [])


async def test_a_state_of_which_one_letter_was_changed_is_no_state(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)
        assert isinstance(first, types.InputRequiredResult)
        token = str(first.request_state)
        middle = len(token) // 2
        changed = token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :]
        again = await call(client, after=first.model_copy(update={"request_state": changed}))

    await asks_again(place, again, [])


async def test_a_state_is_bound_to_its_arguments(place: Place) -> None:
    async with place.client() as client:
        first = await call(client, "this")
        again = await call(client, "that", after=first)

    await asks_again(place, again, [])


async def test_a_state_is_bound_to_its_tool(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)
        again = await call(client, tool="delete_both", after=first)

    await asks_again(place, again, [])


async def test_a_state_is_bound_to_its_caller(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)
    async with place.client(Caller(id="somebody else", transport="memory")) as client:
        again = await call(client, after=first)

    await asks_again(place, again, [])


async def test_a_state_of_another_server_is_no_state(place: Place) -> None:
    async with Place().client() as client:
        first = await call(client)
    async with place.client() as client:
        again = await call(client, after=first)

    await asks_again(place, again, [])


async def test_a_state_runs_out(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)
        place.now += 601
        again = await call(client, after=first)

    await asks_again(place, again, [])


async def test_a_state_outlives_the_server_that_made_it(place: Place) -> None:
    async with place.client() as client:
        first = await call(client)
    async with place.client() as client:
        result = await call(client, after=first)

    assert isinstance(result, types.CallToolResult)
    assert place.desk.done == ["it"]


async def test_an_answer_to_another_kind_of_question_is_no_yes(place: Place) -> None:
    sampled = types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text="yes"), model="m")

    async with place.client() as client:
        first = await call(client)
        assert isinstance(first, types.InputRequiredResult)
        result = await client.session.call_tool(
            "delete",
            {"what": "it"},
            allow_input_required=True,
            input_responses=dict.fromkeys(first.input_requests or {}, sampled),
            request_state=first.request_state,
        )

    assert isinstance(result, types.CallToolResult)
    assert result.is_error
    assert place.desk.done == []


async def test_every_inner_call_asks_for_itself_and_an_answer_is_for_its_own_arguments(place: Place) -> None:
    async with place.client() as client:
        first = await call(client, tool="delete_both")
        second = await call(client, tool="delete_both", after=first)

    assert isinstance(first, types.InputRequiredResult)
    assert isinstance(second, types.InputRequiredResult)
    assert (first.input_requests or {}).keys().isdisjoint(second.input_requests or {})
