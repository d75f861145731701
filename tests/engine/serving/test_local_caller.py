"""Who calls where nobody has to sign in: over stdio and in process."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.small_server import Desk, calls_of, tool_of

from accord.engine import Caller, Context, Refusal, connect, listing, open_state, serve


async def who(desk: Desk, context: Context) -> dict[str, Any]:
    """Tell who calls."""
    return {"caller": context.call.caller.id, "transport": context.call.caller.transport}


@pytest.mark.parametrize(
    ("local", "told"),
    [
        (None, {"caller": "local", "transport": "memory"}),
        (Caller(id="me", transport="stdio"), {"caller": "me", "transport": "stdio"}),
    ],
)
async def test_the_local_caller_is_who_the_server_says(local: Caller | None, told: dict[str, str]) -> None:
    calls = calls_of([tool_of(who)])
    server = serve("small", "1", calls, listing(calls.tools.values(), {}), open_state(None), local=local)

    async with connect(server) as client:
        result = await client.call_tool("who")

    assert result.structured_content == told


def test_a_refusal_keeps_its_status_body_and_headers() -> None:
    refusal = Refusal(401, {"error": "no key"}, {"WWW-Authenticate": "Bearer"})

    assert (refusal.status, str(refusal), refusal.headers) == (401, "no key", {"WWW-Authenticate": "Bearer"})
