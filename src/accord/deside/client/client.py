"""A client of this service for one wallet: what people and programs do with it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias

from accord.deside.client.access import Access
from accord.deside.client.discovery import endpoint_of
from accord.deside.client.errors import UnreachableError
from accord.deside.client.http import Http, opened
from accord.deside.client.session import McpSession
from accord.deside.client.sign_in import DEFAULT_SCOPES
from accord.deside.client.tokens import GrantInMemory, GrantStore
from accord.deside.client.wallet import LocalWallet

__all__ = ["Client", "conversation_of"]

Json: TypeAlias = Any


class Client:
    """One wallet at one service.

    Use it as `async with Client.connect(url, wallet) as deside:`. It signs in once (`sign_in`), renews its tokens and
    opens its session by itself, and raises `DesideError` for whatever goes wrong.
    """

    def __init__(self, http: Http, url: str, access: Access) -> None:
        self.http = http
        self.url = url
        self.access = access
        self.session = McpSession(http, url, access)

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        wallet: LocalWallet,
        kept: GrantStore | None = None,
        scopes: tuple[str, ...] = DEFAULT_SCOPES,
        issuer_at: str | None = None,
    ) -> AsyncIterator[Client]:
        """Lend a client; its session is ended with the context. Nothing is sent before it is used.

        Args:
            url: The service, with or without the path of MCP.
            wallet: Who calls.
            kept: Where what is granted is kept; in memory unless given.
            scopes: What a sign-in asks for.
            issuer_at: The authorization server, where it is not the service itself: it is trusted with the sign-in.

        Raises:
            UntrustworthyError: The URL is none that tokens may be sent to.
        """
        mcp_url = endpoint_of(url)
        async with opened() as http:
            grants = GrantInMemory() if kept is None else kept
            access = Access(http=http, mcp_url=mcp_url, wallet=wallet, kept=grants, scopes=scopes, issuer_at=issuer_at)
            client = cls(http, mcp_url, access)
            try:
                yield client
            finally:
                await client.session.close()

    @property
    def wallet(self) -> str:
        """Who calls."""
        return self.access.wallet.address

    async def sign_in(self) -> None:
        """Sign the wallet in; what is granted is kept."""
        await self.access.sign_in()

    async def call(self, tool: str, **arguments: Json) -> dict[str, Json]:
        """Call any tool and return its structured result.

        Raises:
            ToolFailedError: It failed; its body says how.
        """
        return await self.session.call(tool, arguments)

    async def send(self, to_wallet: str, text: str) -> dict[str, Json]:
        """Send a message. Where the answer is lost it is asked for once more: the message is there once in any case."""
        message = {"to_wallet": to_wallet, "text": text, "idempotency_key": secrets.token_hex(16)}
        try:
            return await self.call("send_dm", **message)
        except UnreachableError:
            return await self.call("send_dm", **message)

    def stream(self) -> AbstractAsyncContextManager[AsyncIterator[Json]]:
        """Open the stream of notifications, as JSON-RPC messages."""
        return self.session.stream()


def conversation_of(one: str, other: str) -> str:
    """Return the id of the conversation between two wallets."""
    return ":".join(sorted((one, other)))
