"""For which resource a client asks (RFC 8707): only for this one are there tokens here."""

from __future__ import annotations

from accord.deside.oauth.bodies import Fields, text
from accord.deside.oauth.hosts import MCP_PATH
from accord.deside.oauth.refusals import OAuthError

__all__ = ["check_resource"]


def check_resource(fields: Fields, base: str) -> None:
    """Refuse what names another resource than the MCP endpoint of this server, or the server itself; it may be missing.

    A client that names another one talks to that, which sent it here to get a token of ours.

    Raises:
        OAuthError: invalid_target.
    """
    resource = text(fields, "resource").rstrip("/").lower()
    if resource and resource not in {base.lower(), f"{base}{MCP_PATH}".lower()}:
        raise OAuthError("invalid_target", f"tokens of this server are for {base}{MCP_PATH} alone")
