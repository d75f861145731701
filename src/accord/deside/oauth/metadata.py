"""What the server says of itself: RFC 8414 and RFC 9728."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from accord.deside.oauth.hosts import MCP_PATH

__all__ = ["DOCUMENTATION_PATH", "authorization_server", "protected_resource"]

Json: TypeAlias = Any

DOCUMENTATION_PATH: Final = "/oauth/documentation"


def authorization_server(base: str, scopes: Sequence[str]) -> dict[str, Json]:
    """Return the metadata of the authorization server at a URL, which offers these scopes."""
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "registration_endpoint": f"{base}/oauth/register",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": list(scopes),
        "authorization_response_iss_parameter_supported": True,  # RFC 9207: codes of two servers cannot be mixed up
    }


def protected_resource(base: str, scopes: Sequence[str]) -> dict[str, Json]:
    """Return the metadata of the MCP endpoint of a server at a URL, which offers these scopes."""
    return {
        "resource": f"{base}{MCP_PATH}",
        "authorization_servers": [base],
        "scopes_supported": list(scopes),
        "bearer_methods_supported": ["header"],
        "resource_name": "deside-dm",
        "resource_documentation": f"{base}{DOCUMENTATION_PATH}",
    }
