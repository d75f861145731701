"""Who may come in over HTTP: whoever has the shared access token or a named one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hmac import compare_digest

from accord.discord.grants import EVERYTHING, narrowed, narrows
from accord.discord.tokens import Tokens
from accord.engine import Caller, Refusal, Secret

__all__ = ["BearerFront"]

SHARED = Caller(id="bearer", transport="http", scopes=EVERYTHING)
"""Who has DISCORD_MCP_ACCESS_TOKEN: it says that a caller may come in, not who it is."""


class BearerFront:
    """The shared token, DISCORD_MCP_ACCESS_TOKEN, which grants everything, and named ones with grants of their own."""

    def __init__(self, shared: Secret | None, tokens: Tokens) -> None:
        self._shared = None if shared is None else shared.reveal().encode()
        self._tokens = tokens

    async def admit(self, request: Mapping[str, str], session: str | None) -> Caller:  # noqa: ARG002 - the protocol's signature
        """Return the caller of a request with these headers, with its rights narrowed as they ask.

        Raises:
            Refusal: 401 without a token that is good, whatever is wrong with it; 400 for a narrowing that cannot be
                understood. There is no discovery: tokens are given out by the server's owner.
        """
        caller = await self._bearer(request.get("authorization", ""))
        if caller is None:
            message = "send the access token that this server's owner gave you as `Authorization: Bearer <token>`"
            raise Refusal(401, {"error": "unauthorized", "message": message}, {"www-authenticate": "Bearer"})
        if not narrows(request):
            return caller
        try:
            return replace(caller, scopes=narrowed(caller.scopes, request))
        except ValueError as error:
            raise Refusal(400, {"error": "invalid_header", "message": str(error)}) from None

    async def _bearer(self, authorization: str) -> Caller | None:
        scheme, _, given = authorization.partition(" ")
        given = given.strip()
        if scheme.lower() != "bearer":
            return None
        if self._shared is not None and compare_digest(given.encode(), self._shared):
            return SHARED
        token = await self._tokens.find(given)
        return None if token is None else token.caller
