"""Who may come in over HTTP: whoever has the access token."""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest

from accord.engine import Caller, Refusal, Secret

__all__ = ["BearerFront"]


class BearerFront:
    """One shared token, DISCORD_MCP_ACCESS_TOKEN. It says that a caller may come in, not who it is."""

    def __init__(self, token: Secret) -> None:
        self._token = token.reveal().encode()

    def admit(self, request: Mapping[str, str], session: str | None) -> Caller:  # noqa: ARG002 - the protocol's signature
        """Return the caller of a request with these headers.

        Raises:
            Refusal: 401 without the token. There is no discovery: the token is given out by the server's owner.
        """
        scheme, _, given = request.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not compare_digest(given.strip().encode(), self._token):
            message = "send the access token that this server's owner gave you as `Authorization: Bearer <token>`"
            raise Refusal(401, {"error": "unauthorized", "message": message}, {"www-authenticate": "Bearer"})
        return Caller(id="bearer", transport="http")
