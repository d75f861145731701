"""A session that is over is opened again, a token that is over renewed, and what was lost asked for once more."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.deside.client.service import Service, serving

from accord.deside.client import Client, LocalWallet, RefusedError, ToolFailedError, UnreachableError

WALLET = LocalWallet.new()
OTHER = LocalWallet.new().address


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serving() as running:
        yield running


@pytest.fixture
async def client(service: Service) -> AsyncIterator[Client]:
    async with Client.connect(service.url, WALLET) as connected:
        await connected.sign_in()
        yield connected


def sent(service: Service) -> list[tuple[str, str | None]]:
    """Return the method of each request to MCP, and its session."""
    bodies = [body["method"] for word, body in service.asked if word == "POST mcp" and "id" in body][1:]
    return [
        (method, request.headers.get("mcp-session-id")) for method, request in zip(bodies, service.calls, strict=True)
    ]


async def test_a_session_is_opened_at_the_first_call_and_kept(service: Service, client: Client) -> None:
    await client.call("get_my_identity")
    await client.call("get_my_identity")

    assert sent(service) == [("initialize", None), ("tools/call", "session-1"), ("tools/call", "session-1")]


async def test_a_session_that_is_over_is_opened_again_and_the_call_made_again(service: Service, client: Client) -> None:
    await client.call("get_my_identity")
    service.mcp_answers = [(404, {"error": "session_not_found"})]

    answer = await client.call("get_my_identity")

    assert answer == {"status": "delivered"}
    assert sent(service)[2:] == [("tools/call", "session-1"), ("initialize", None), ("tools/call", "session-2")]


async def test_a_token_that_is_refused_is_renewed_and_the_session_kept(service: Service, client: Client) -> None:
    await client.call("get_my_identity")
    service.mcp_answers = [(401, {"error": "AUTH_REQUIRED"})]

    await client.call("get_my_identity")

    tokens = [request.headers["authorization"] for request in service.calls]
    assert tokens == ["Bearer access-1", "Bearer access-1", "Bearer access-1", "Bearer access-2"]
    assert sent(service)[-1] == ("tools/call", "session-1")


async def test_where_every_token_is_refused_it_gives_up(service: Service, client: Client) -> None:
    await client.call("get_my_identity")
    service.mcp_answers = [(401, {"error": "AUTH_REQUIRED", "message": "no"})] * 9

    with pytest.raises(RefusedError, match=r"AUTH_REQUIRED \(401\): no"):
        await client.call("get_my_identity")

    assert len(service.calls) == 2 + 3


async def test_where_the_wallet_has_a_session_already_it_is_taken_and_left_open(service: Service) -> None:
    async with Client.connect(service.url, WALLET) as client:
        await client.sign_in()
        service.mcp_answers = [(409, {"error": "session_conflict", "active_session_id": "theirs"})]
        await client.call("get_my_identity")

    assert sent(service) == [("initialize", None), ("tools/call", "theirs")]
    assert "DELETE mcp" not in service.words


async def test_a_session_of_its_own_is_ended(service: Service) -> None:
    async with Client.connect(service.url, WALLET) as client:
        await client.sign_in()
        await client.call("get_my_identity")

    assert service.words[-1] == "DELETE mcp"


async def test_a_message_whose_answer_is_lost_is_sent_again_under_the_same_key(
    service: Service, client: Client
) -> None:
    await client.call("get_my_identity")
    service.mcp_answers = [None]

    answer = await client.send(OTHER, "hello")

    calls = [body["params"] for _, body in service.asked if body.get("method") == "tools/call"]
    first, second = [call["arguments"] for call in calls if call["name"] == "send_dm"]
    assert answer == {"status": "delivered"}
    assert first == second
    assert len(first["idempotency_key"]) >= 8


async def test_any_other_call_whose_answer_is_lost_is_not_made_again(service: Service, client: Client) -> None:
    await client.call("get_my_identity")
    service.mcp_answers = [None]

    with pytest.raises(UnreachableError):
        await client.call("block_wallet", wallet=OTHER)

    assert len(service.calls) == 3


async def test_a_tool_that_failed_raises_with_all_that_it_said(service: Service, client: Client) -> None:
    body = {"error": "COOLDOWN", "status": 403, "message": "Too fast.", "retry_after_ms": 900}
    await client.call("get_my_identity")
    service.mcp_answers = [(200, {"result": {"isError": True, "structuredContent": body}})]

    with pytest.raises(ToolFailedError, match=r"COOLDOWN: Too fast\.") as failed:
        await client.send(OTHER, "hello")

    assert (failed.value.code, failed.value.body) == ("COOLDOWN", body)


async def test_an_error_of_the_protocol_is_a_refusal(service: Service, client: Client) -> None:
    service.mcp_answers = [
        (200, {}),
        (400, {"error": {"code": -32600, "message": "a request with this id is under way"}}),
    ]

    with pytest.raises(RefusedError, match=r"-32600 \(400\): a request with this id is under way"):
        await client.call("get_my_identity")
