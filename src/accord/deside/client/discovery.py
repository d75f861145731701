"""From the address of an MCP server to where its tokens are made (RFC 9728, then RFC 8414)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from accord.deside.client.errors import RefusedError, UntrustworthyError
from accord.deside.client.http import Answer, Http, checked

__all__ = ["Endpoints", "discover", "endpoint_of", "origin_of"]

Json: TypeAlias = Any

NAMED_METADATA = re.compile(r'resource_metadata="([^"]+)"')
"""Where a 401 names the description of what it protects (RFC 9728, 5.1)."""

MCP_PATH = "/mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Where a wallet signs in for a resource, and what it may ask for."""

    resource: str
    issuer: str
    authorization: str
    token: str
    registration: str
    revocation: str | None
    scopes: tuple[str, ...]


def endpoint_of(url: str) -> str:
    """Return where MCP is, for the address of a service with or without its path.

    Raises:
        UntrustworthyError: No token may be sent there.
    """
    bare = checked(url.strip()).rstrip("/")
    return bare if urlsplit(bare).path else bare + MCP_PATH


def origin_of(url: str) -> str:
    """Return the scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


async def discover(http: Http, mcp_url: str, issuer_at: str | None = None) -> Endpoints:
    """Ask the service where to sign in: at its own origin, or at the one that is trusted with it.

    A service that could name any other would get a token that is good there, signed for as if it were the other's.

    Raises:
        RefusedError: It does not say.
        UntrustworthyError: What it says does not belong to this address.
    """
    resource = await _first(http, _resource_urls(mcp_url, await _challenged(http, mcp_url)))
    if resource.get("resource") != mcp_url:
        raise UntrustworthyError(f"{mcp_url} describes another resource, {resource.get('resource')!r}")
    issuers = resource.get("authorization_servers") or [origin_of(mcp_url)]
    issuer, trusted = checked(str(issuers[0])), origin_of(issuer_at or mcp_url)
    if origin_of(issuer) != trusted:
        raise UntrustworthyError(f"{mcp_url} sends sign-ins to {origin_of(issuer)}, and not to {trusted}")
    server = await _first(http, _issuer_urls(issuer))
    if str(server.get("issuer")).rstrip("/") != issuer.rstrip("/"):
        raise UntrustworthyError(f"{issuer} describes another authorization server, {server.get('issuer')!r}")
    return _endpoints(mcp_url, issuer, server)


async def _challenged(http: Http, mcp_url: str) -> Answer:
    """Ask for what needs a token, without one."""
    probe = {"jsonrpc": "2.0", "id": "who", "method": "tools/call", "params": {"name": "get_my_identity"}}
    return await http.post(mcp_url, probe, {"accept": "application/json, text/event-stream"})


def _resource_urls(mcp_url: str, answer: Answer) -> Iterator[str]:
    named = NAMED_METADATA.search(answer.headers.get("www-authenticate", ""))
    if named:
        yield checked(named[1])
    yield f"{origin_of(mcp_url)}/.well-known/oauth-protected-resource{urlsplit(mcp_url).path}"
    yield f"{origin_of(mcp_url)}/.well-known/oauth-protected-resource"


def _issuer_urls(issuer: str) -> Iterator[str]:
    """Yield where RFC 8414 (3.1) has the description of an issuer: its path follows the well-known one."""
    yield f"{origin_of(issuer)}/.well-known/oauth-authorization-server{urlsplit(issuer).path.rstrip('/')}"


async def _first(http: Http, urls: Iterator[str]) -> dict[str, Json]:
    refusal = RefusedError("not_found", 404, "it does not say where to sign in")
    for url in urls:
        answer = await http.get(url)
        try:
            return dict(answer.expect(200))
        except RefusedError as error:
            refusal = RefusedError(error.error, error.status, f"{url} does not say where to sign in")
    raise refusal


def _endpoints(resource: str, issuer: str, server: dict[str, Json]) -> Endpoints:
    if "S256" not in server.get("code_challenge_methods_supported", ()):
        raise UntrustworthyError(f"{issuer} does not take PKCE with S256, without which a code could be stolen")
    try:
        return Endpoints(
            resource=resource,
            issuer=issuer,
            authorization=checked(server["authorization_endpoint"]),
            token=checked(server["token_endpoint"]),
            registration=checked(server["registration_endpoint"]),
            revocation=checked(server["revocation_endpoint"]) if "revocation_endpoint" in server else None,
            scopes=tuple(server.get("scopes_supported", ())),
        )
    except KeyError as error:
        raise UntrustworthyError(f"{issuer} has no {error.args[0]}") from None
