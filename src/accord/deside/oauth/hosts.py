"""Where this server is for who asks, and which hosts are this machine's own."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final

__all__ = ["MCP_PATH", "METADATA_PATH", "is_loopback", "metadata_url", "public_url"]

MCP_PATH: Final = "/mcp"

METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
"""Where RFC 9728 (3.1) has the description of a resource; the resource's own path follows."""

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?")
"""A Host header: a name or an address, and perhaps a port (RFC 9110, 7.2)."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address is always this machine's own (RFC 6761, 6.3, for the name)."""
    bare = host.strip("[]").rstrip(".").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False


def public_url(configured: str | None, host: str, scheme: str = "http") -> str | None:
    """Return the server's URL, without a slash at its end: the configured one, else that of a request's Host.

    None where nothing is configured and the Host is not this machine's own: links would then lead wherever a request
    says they should.
    """
    if configured is not None:
        return configured
    match = _HOST.fullmatch(host)
    return f"{scheme}://{host}" if match and is_loopback(match["name"]) else None


def metadata_url(base: str) -> str:
    """Return where the MCP endpoint of a server at this URL is described: what a 401 names (RFC 9728, 5.1)."""
    return f"{base}{METADATA_PATH}{MCP_PATH}"
