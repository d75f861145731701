"""What every client needs of HTTP, in both eras of the protocol, through the official client."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import MCPError, types
from mcp.client.subscriptions import ResourceUpdated
from tests.engine.serving.asking_gate import ACCEPT, answering, sure
from tests.engine.serving.asking_gate import TOOLS as ASKING
from tests.engine.serving.http.running import Era, Running, running
from tests.engine.small_server import Desk, calls_of, tool_of

from accord.engine import Calls, Context, validate

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext

URI = "discord://channels/123/messages"

# The handshake era's own requests are deprecated in the SDK, and are what its clients send all the same.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.fixture(params=["2025", "2026"])
def era(request: pytest.FixtureRequest) -> Era:
    chosen: Era = request.param
    return chosen


async def test_tools_are_listed(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        listed = await client.list_tools()

    assert [tool.name for tool in listed.tools] == ["echo", "who", "hold", "count", "late", "hear"]


async def test_a_tool_is_called(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        result = await client.call_tool("echo", {"text": "line\u2028separator\x85and\nmore"})

    assert result.structured_content == {"text": "line\u2028separator\x85and\nmore"}
    assert not result.is_error


async def test_a_failure_is_a_result(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        result = await client.call_tool("echo", {"text": 5})

    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["code"] == "VALIDATION_FAILED"


async def test_an_unknown_method_is_an_error_and_the_client_goes_on(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.list_prompts()
        result = await client.call_tool("echo", {"text": "still here"})

    assert refused.value.error.code == types.METHOD_NOT_FOUND
    assert result.structured_content == {"text": "still here"}


async def test_a_tool_knows_who_calls(era: Era) -> None:
    async with running() as server, server.client(era, "alice") as one, server.client(era, "bob") as two:
        told = [(await client.call_tool("who")).structured_content for client in (one, two)]

    assert told == [{"caller": "alice"}, {"caller": "bob"}]


async def test_progress_is_told_before_the_answer(era: Era) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with running() as server, server.client(era) as client:
        result = await client.call_tool("count", progress_callback=on_progress)

    assert result.structured_content == {"counted": 2}
    assert told == [(1, 2, "step 1"), (2, 2, "step 2")]


async def test_calls_of_one_client_run_side_by_side(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        held = [asyncio.ensure_future(client.call_tool("hold", {"name": name})) for name in ("one", "two")]
        arrived = {await server.bench.arrived.get(), await server.bench.arrived.get()}
        echoed = await client.call_tool("echo", {"text": "in between"})
        server.bench.released.set()
        results = await asyncio.gather(*held)

    assert arrived == {"one", "two"}
    assert echoed.structured_content == {"text": "in between"}
    assert [result.structured_content for result in results] == [{"text": "one"}, {"text": "two"}]


async def test_a_call_that_its_client_gives_up_stops_and_the_client_goes_on(era: Era) -> None:
    async with running() as server, server.client(era) as client:
        held = asyncio.ensure_future(client.call_tool("hold", {"name": "it"}))
        await server.bench.arrived.get()
        held.cancel()
        ended = await server.bench.ended.get()
        result = await client.call_tool("echo", {"text": "on"})

    assert ended == "it cancelled"
    assert result.structured_content == {"text": "on"}


async def asked(era: Era, **options: Any) -> tuple[dict[str, Any] | None, list[Any]]:
    """Call a tool that asks first; return what came back and what was done."""
    desk = Desk()
    async with running(calls=asking(desk)) as server, server.client(era, **options) as client:
        result = await client.call_tool("delete", {"what": "it"})
    return result.structured_content, desk.done


def asking(desk: Desk) -> Calls:
    """Return calls of tools that ask a person first."""
    return calls_of(ASKING, validate, sure, desk=desk, seconds=10)


async def test_a_person_is_asked_and_a_yes_runs_the_tool(era: Era) -> None:
    assert await asked(era, elicitation_callback=answering(ACCEPT)) == ({"deleted": "it"}, ["it"])


async def test_a_no_runs_nothing(era: Era) -> None:
    told, done = await asked(era, elicitation_callback=answering(types.ElicitResult(action="decline")))

    assert told is not None
    assert (told["code"], told["action"], done) == ("NOT_CONFIRMED", "decline", [])


async def test_a_client_that_cannot_ask_runs_nothing(era: Era) -> None:
    told, done = await asked(era)

    assert told is not None
    assert (told["action"], done) == ("unavailable", [])


async def ponder(desk: Desk, context: Context) -> dict[str, Any]:
    """Let the client's model think."""
    request = {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 10}
    answer = await context.request_sampling(request)
    return {"said": None if answer is None else answer["content"]["text"]}


async def test_the_clients_model_is_asked(era: Era) -> None:
    async def think(_: ClientRequestContext, __: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        said = types.TextContent(type="text", text="a thought")
        return types.CreateMessageResult(role="assistant", content=said, model="m")

    calls = calls_of([tool_of(ponder)])
    async with running(calls=calls) as server, server.client(era, sampling_callback=think) as client:
        result = await client.call_tool("ponder")

    assert result.structured_content == {"said": "a thought"}


async def test_a_resource_that_changes_is_told_of(era: Era) -> None:
    async with running() as server:
        told = await (_told_2025 if era == "2025" else _told_2026)(server)

    assert told == URI


async def _told_2026(server: Running) -> str:
    async with server.client("2026") as client, client.listen(resource_subscriptions=[URI]) as stream:
        await server.subscriptions.notify(URI)
        event = await anext(stream)
        assert isinstance(event, ResourceUpdated)
        return event.uri


async def _told_2025(server: Running) -> str:
    told: asyncio.Queue[str] = asyncio.Queue()

    async def look(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.put_nowait(message.params.uri)

    async with server.client("2025", message_handler=look) as client:
        await client.subscribe_resource(URI)
        while told.empty():  # the client opens its stream when it likes
            await server.subscriptions.notify(URI)
            await client.send_ping()
        return await told.get()
