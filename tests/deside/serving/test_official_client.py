"""The official client, which begins without a token, is asked for one at its first call, and then hears its news."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from tests.deside.served import Service, served
from tests.deside.serving.tools import TOOLS
from tests.deside.wallets import wallet

ALICE = wallet(1)


class SignsInWhenAsked(httpx2.Auth):
    """What the official OAuth provider does: it goes without a token until a 401, then gets one and repeats."""

    def __init__(self, token: str) -> None:
        self.asked: list[str] = []
        self._token = token

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        """Add the token if it was asked for."""
        if self.asked:
            request.headers["authorization"] = f"Bearer {self._token}"
        response = yield request
        if response.status_code == 401:
            self.asked.append(response.headers["www-authenticate"])
            request.headers["authorization"] = f"Bearer {self._token}"
            yield request


@asynccontextmanager
async def connected(service: Service, auth: httpx2.Auth, **options: Any) -> AsyncIterator[tuple[Client, asyncio.Event]]:
    """Connect as any host would; the event tells that a stream is open that was opened with a token."""
    listens = asyncio.Event()

    async def note(response: httpx2.Response) -> None:
        if response.request.method == "GET" and "authorization" in response.request.headers:
            assert response.status_code == 200
            listens.set()

    async with httpx2.AsyncClient(auth=auth, event_hooks={"response": [note]}, timeout=20) as http:
        transport = streamable_http_client(service.url, http_client=http)
        async with Client(transport, **options) as client:
            yield client, listens


async def test_it_signs_in_at_its_first_call_and_hears_its_news_from_then_on(tmp_path: Path) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        heard.put_nowait(params.data)

    news = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"news"}}'
    async with served(f"sqlite:///{tmp_path / 'deside.db'}", toolsets=[TOOLS]) as service:
        auth = SignsInWhenAsked(await service.token(ALICE))
        async with connected(service, auth, mode="auto", logging_callback=log) as (client, listens):
            listed = await client.list_tools()
            assert auth.asked == []
            called = await client.call_tool("look", {})
            await listens.wait()
            await service.app.sessions.tell(ALICE, news)
            told = await heard.get()

    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
    assert called.structured_content == {"wallet": ALICE, "client": "client"}
    assert (len(auth.asked), told) == (1, "news")
