"""The official Python client signs in by itself: discovery, registration, PKCE; a person's wallet signs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl
from tests.deside.clients.browser import REDIRECT_URI, sent_back
from tests.deside.process import Served, served

from accord.deside.client import LocalWallet


class Kept:
    """What the client keeps of a service."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def provider(server: Served, wallet: LocalWallet, kept: Kept) -> OAuthClientProvider:
    """Return the client's own sign-in, with a person who has this wallet."""
    pages: list[str] = []

    async def show(page: str) -> None:
        pages.append(page)

    async def wait() -> AuthorizationCodeResult:
        return AuthorizationCodeResult.model_validate(await sent_back(pages.pop(), wallet))

    metadata = OAuthClientMetadata(
        client_name="official", redirect_uris=[AnyUrl(REDIRECT_URI)], token_endpoint_auth_method="none"
    )
    return OAuthClientProvider(f"{server.url}/mcp", metadata, kept, show, wait)


@asynccontextmanager
async def connected(server: Served, wallet: LocalWallet, kept: Kept) -> AsyncIterator[Client]:
    """Connect the official client."""
    async with create_mcp_http_client(auth=provider(server, wallet, kept)) as http:
        transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(transport) as client:
            yield client


@pytest.mark.parametrize("mode", ["lazy", "strict"])
async def test_it_signs_in_and_writes(tmp_path: Path, mode: str) -> None:
    wallet, other = LocalWallet.new(), LocalWallet.new()
    async with served(tmp_path, DESIDE_SESSION_MODE=mode) as server:
        async with connected(server, other, Kept()) as client:
            await client.call_tool("get_my_identity", {})
        async with connected(server, wallet, Kept()) as client:
            identity = await client.call_tool("get_my_identity", {})
            sent = await client.call_tool("send_dm", {"to_wallet": other.address, "text": "hello"})

    assert identity.structured_content is not None
    assert sent.structured_content is not None
    assert identity.structured_content["wallet"] == wallet.address
    assert (sent.structured_content["status"], sent.structured_content["seq"]) == ("delivered", 1)


@pytest.mark.parametrize("mode", ["lazy", "strict"])
async def test_it_renews_a_token_that_is_over_without_asking_again(tmp_path: Path, mode: str) -> None:
    wallet, kept = LocalWallet.new(), Kept()
    async with served(tmp_path, DESIDE_SESSION_MODE=mode, OAUTH_ACCESS_TOKEN_TTL_MS="1000") as server:
        async with connected(server, wallet, kept) as client:
            await client.call_tool("get_my_identity", {})
        assert kept.tokens is not None
        first = kept.tokens.access_token
        kept.tokens = kept.tokens.model_copy(update={"access_token": "one-that-is-over"})
        async with connected(server, wallet, kept) as client:
            again = await client.call_tool("get_my_identity", {})

    assert again.structured_content is not None
    assert again.structured_content["wallet"] == wallet.address
    assert kept.tokens.access_token not in {first, "one-that-is-over"}
