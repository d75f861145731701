"""What can be read at a URI: listed and read in both eras' forms."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, TypeAlias

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from accord.engine.calls.enter import CALL_SECONDS
from accord.engine.errors import InternalError, ToolError
from accord.engine.logs import logger
from accord.engine.nouns import Resource

__all__ = ["FIRST_MODERN_VERSION", "Library", "not_found"]

Context: TypeAlias = ServerRequestContext[Any, Any]

_log = logger("accord.resources")

FIRST_MODERN_VERSION = "2026-07-28"
"""Protocol versions are dates, and from this one on there is no handshake."""

RESOURCE_NOT_FOUND = -32002
"""The handshake era's code, https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling."""


class Library:
    """The resources of one server by their URIs.

    Raises:
        ValueError: Two resources have one URI.
    """

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources: dict[str, Resource] = {}
        for one in resources:
            if one.uri in self._resources:
                raise ValueError(f"two resources are at {one.uri!r}")
            self._resources[one.uri] = one

    def __len__(self) -> int:
        return len(self._resources)

    async def list(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:  # noqa: ARG002
        """Answer with all of them at once."""
        return types.ListResourcesResult(resources=[_entry(one) for one in self._resources.values()])

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Answer with what stands at the URI now.

        Raises:
            MCPError: Nothing does, or it cannot be read.
        """
        resource = self._resources.get(params.uri)
        if resource is None:
            raise not_found(context, params.uri)
        text = await _read(context, resource)
        contents = types.TextResourceContents(uri=resource.uri, mime_type=resource.mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])


def _entry(resource: Resource) -> types.Resource:
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=resource.mime_type,
    )


async def _read(context: Context, resource: Resource) -> str:
    try:
        async with asyncio.timeout(CALL_SECONDS):
            return await resource.read()
    except ToolError as refused:
        error = refused
    except TimeoutError:
        error = InternalError(reason="timeout", timeout_ms=round(CALL_SECONDS * 1000))
    except Exception:  # noqa: BLE001 - whatever it is, it is told in the log and nowhere else
        _log.exception("a resource cannot be read", uri=resource.uri)
        error = InternalError()
    raise not_found(context, resource.uri, error)


def not_found(context: Context, uri: str, error: ToolError | None = None) -> MCPError:
    """Return the refusal of a URI, by the code that the client's version has for it, with the row of its cause."""
    modern = context.protocol_version >= FIRST_MODERN_VERSION
    code = types.INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
    if error is None:
        return MCPError(code=code, message="Resource not found", data={"uri": uri})
    data = {"uri": uri, "code": error.code, "retriable": error.retriable, "recovery_hint": error.next_step}
    return MCPError(code=code, message=error.message, data=data)
