"""Asking the client's model, in both eras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest
from mcp import types
from tests.engine.small_server import Desk, calls_of, server_of, tool_of

from accord.engine import Context, connect

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext

Era = Literal["2025", "2026"]

both_eras = pytest.mark.parametrize("era", ["2025", "2026"])


async def summarise(desk: Desk, context: Context, text: str) -> dict[str, Any]:
    """Let the client's model say it shorter."""
    request = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}], "maxTokens": 100}
    answer = await context.request_sampling(request)
    desk.done.append(context.sampling_supported)
    return {"summary": None if answer is None else answer["content"]["text"]}


async def model(_: ClientRequestContext, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    (message,) = params.messages
    assert isinstance(message.content, types.TextContent)
    said = types.TextContent(type="text", text=f"short: {message.content.text}")
    return types.CreateMessageResult(role="assistant", content=said, model="small")


async def refuse(_: ClientRequestContext, __: types.CreateMessageRequestParams) -> types.ErrorData:
    return types.ErrorData(code=-1, message="the person said no")


async def summary(era: Era, desk: Desk, **options: Any) -> Any:
    async with connect(server_of(calls_of([tool_of(summarise)], desk=desk)), era, **options) as client:
        result = await client.call_tool("summarise", {"text": "long"})
    assert result.structured_content is not None
    return result.structured_content["summary"]


@both_eras
async def test_the_clients_model_answers(era: Era) -> None:
    desk = Desk()

    assert await summary(era, desk, sampling_callback=model) == "short: long"
    assert desk.done == [True]


@both_eras
async def test_a_client_without_a_model_is_none(era: Era) -> None:
    desk = Desk()

    assert await summary(era, desk) is None
    assert desk.done == [False]


async def test_a_client_that_refuses_is_none() -> None:
    assert await summary("2025", Desk(), sampling_callback=refuse) is None


async def test_an_answer_to_another_kind_of_question_is_none() -> None:
    server = server_of(calls_of([tool_of(summarise)]))
    async with connect(server, "2026", sampling_callback=model) as client:
        first = await client.session.call_tool("summarise", {"text": "long"}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        result = await client.session.call_tool(
            "summarise",
            {"text": "long"},
            input_responses=dict.fromkeys(first.input_requests or {}, types.ElicitResult(action="accept")),
            request_state=first.request_state,
        )

    assert result.structured_content == {"summary": None}
