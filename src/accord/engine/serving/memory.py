"""In process: a client on a server without any pipe, for tests and for embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mcp import Client
    from mcp.server.lowlevel import Server

__all__ = ["connect"]

Era = Literal["2025", "2026"]


def connect(server: Server[Any], era: Era = "2026", **options: Any) -> Client:
    """Return the official client, not yet entered, on this server; options are the client's own."""
    from mcp import Client  # noqa: PLC0415 - a server needs no client

    return Client(server, mode="legacy" if era == "2025" else "auto", **options)
