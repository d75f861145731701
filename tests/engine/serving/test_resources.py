"""What can be read at a URI, in both eras' forms."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, MCPError, types
from tests.engine.small_server import calls_of, events, server_of

from accord.engine import ClientError, Resource, Subscriptions, connect
from accord.engine.serving import resources as reading

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.served import Era

URI = "small://words"
both_eras = pytest.mark.parametrize("era", ["2025", "2026"])
NOT_FOUND = {"2025": -32002, "2026": types.INVALID_PARAMS}


async def words() -> str:
    return '{"a": 1}'


class ClosedError(ClientError):
    """It is closed."""

    code = "TESTS_CLOSED"
    retriable = True
    message = "It is closed."
    hint = "Come back tomorrow."


def client_of(era: Era, read: Callable[[], Awaitable[str]] = words, **options: Any) -> Client:
    resource = Resource(uri=URI, name="words", title="Words", description="Some words.", read=read)
    return connect(server_of(calls_of([]), resources=[resource], **options), era)


@both_eras
async def test_a_resource_is_listed_as_it_was_declared(era: Era) -> None:
    async with client_of(era) as client:
        (listed,) = (await client.list_resources()).resources

    assert listed == types.Resource(
        uri=URI, name="words", title="Words", description="Some words.", mime_type="application/json"
    )


@both_eras
async def test_a_resource_is_read_as_it_is_now(era: Era) -> None:
    times: list[int] = []

    async def counted() -> str:
        times.append(1)
        return str(len(times))

    async with client_of(era, counted) as client:
        first, second = [(await client.read_resource(URI)).contents for _ in range(2)]

    assert first == [types.TextResourceContents(uri=URI, mime_type="application/json", text="1")]
    assert second == [types.TextResourceContents(uri=URI, mime_type="application/json", text="2")]


@both_eras
@pytest.mark.parametrize("uri", ["small://else", "small://words/../words", "", "SMALL://WORDS"])
async def test_what_is_not_there_is_told_by_the_eras_own_code(era: Era, uri: str) -> None:
    async with client_of(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)

    error = refused.value.error
    assert (error.code, error.message, error.data) == (NOT_FOUND[era], "Resource not found", {"uri": uri})


@both_eras
async def test_a_failure_is_told_with_its_row(era: Era) -> None:
    async def closed() -> str:
        raise ClosedError

    async with client_of(era, closed) as client:
        with pytest.raises(MCPError, match="It is closed") as refused:
            await client.read_resource(URI)

    assert refused.value.error.code == NOT_FOUND[era]
    assert refused.value.error.data == {
        "uri": URI,
        "code": "TESTS_CLOSED",
        "retriable": True,
        "recovery_hint": "Come back tomorrow.",
    }


@both_eras
async def test_what_nobody_foresaw_is_told_to_the_log_alone(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> str:
        raise RuntimeError("the secret place")

    async with client_of(era, broken) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(URI)

    assert "secret" not in f"{refused.value.error}"
    assert refused.value.error.data["code"] == "INTERNAL_ERROR"
    assert [line["uri"] for line in events(caplog) if line["event"] == "a resource cannot be read"] == [URI]


async def test_a_reader_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CALL_SECONDS", 0.01)

    async def endless() -> str:
        await asyncio.Event().wait()
        return ""

    async with client_of("2026", endless) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(URI)

    assert refused.value.error.data["code"] == "INTERNAL_ERROR"


@both_eras
@pytest.mark.parametrize("notifies", [True, False])
async def test_subscribing_is_offered_where_something_is_told(era: Era, *, notifies: bool) -> None:
    subscriptions = Subscriptions() if notifies else None

    async with client_of(era, subscriptions=subscriptions) as client:
        offered = client.server_capabilities.resources

    assert offered is not None
    assert bool(offered.subscribe) is notifies
