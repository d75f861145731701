"""What a request says: its headers, its one message, its era. Decisions only; what is wrong is a refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from mcp import types
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from accord.engine.nouns import Refusal
from accord.engine.serving.guard import plain
from accord.engine.serving.wire import parsed

if TYPE_CHECKING:
    from starlette.types import Scope

__all__ = [
    "SESSION_HEADER",
    "bad",
    "check_version",
    "decoded",
    "headers_of",
    "introduced",
    "is_modern",
    "message_of",
    "route_of",
]

Json: TypeAlias = Any

SESSION_HEADER = "mcp-session-id"

ONCE = frozenset({"authorization", "host", "origin", "x-mcp-categories", "x-mcp-readonly", SESSION_HEADER})
"""Headers that decide who may do what: a proxy and we might each heed another one of two."""

HELLO_BYTES = 4 * 1024
"""The longest that is kept with a session of what its client said of itself: its name, its version, what it offers."""

HEEDED: Json = {  # the library has no public name of its type
    "protocol_version": True,
    "client_info": {"name", "version"},
    "capabilities": {"sampling", "elicitation", "roots"},
}
"""What is kept of it. The rest may be of any size and shape, and nothing here asks for it."""


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers by their names in lower case.

    Raises:
        Refusal: 400 for a second one of those that decide who may do what, and of the 2026 era's routing headers.
    """
    # Whitespace around a value is no part of it (RFC 9110, 5.5); not every parser in front of us takes it off.
    pairs = [(name.decode("latin-1"), value.decode("latin-1").strip(" \t")) for name, value in scope["headers"]]
    headers = dict(pairs)
    if len(headers) < len(pairs):
        _refuse_seconds(pairs)
    return headers


def _refuse_seconds(pairs: list[tuple[str, str]]) -> None:
    counts = Counter(name for name, _ in pairs)
    if twice := next((name for name in ONCE if counts[name] > 1), None):
        raise Refusal(400, plain("invalid_request", f"the {twice} header appears more than once"))
    if twice := find_duplicated_routing_header(pairs):
        raise bad(types.HEADER_MISMATCH, f"{twice} header appears more than once")


def decoded(body: bytes) -> Json:
    """Return the body's JSON.

    Raises:
        Refusal: It is none.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise bad(types.PARSE_ERROR, "Parse error") from None


def message_of(value: Json) -> types.JSONRPCMessage:
    """Return the body's message.

    Raises:
        Refusal: It is none, or several.
    """
    try:
        return parsed(value)
    except ValueError:
        raise bad(types.INVALID_REQUEST, "the body must be one JSON-RPC message; batches are not taken") from None


def is_modern(message: types.JSONRPCMessage, version: str | None) -> bool:
    """Whether a message is of the 2026 era: by its header, or by the envelope that only this era has."""
    if version in MODERN_PROTOCOL_VERSIONS:
        return True
    meta = (getattr(message, "params", None) or {}).get("_meta")
    enveloped = isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
    return enveloped and version not in HANDSHAKE_PROTOCOL_VERSIONS


def check_version(version: str | None) -> None:
    """Let pass what a client of the handshake era may say as its version; nothing at all will do.

    Raises:
        Refusal: It is none that is served.
    """
    if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
        known = ", ".join([*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
        raise bad(types.INVALID_REQUEST, f"unsupported MCP-Protocol-Version; supported are {known}")


def route_of(headers: Mapping[str, str], value: Json, message: types.JSONRPCRequest) -> InboundModernRoute:
    """Return how a request of the 2026 era is routed.

    Raises:
        Refusal: Its envelope is not complete, or its headers and its body do not say the same.
    """
    route = classify_inbound_request(value, headers=headers)
    if isinstance(route, InboundLadderRejection):
        raise bad(route.code, route.message, message.id, route.data)
    return route


def introduced(message: types.JSONRPCRequest) -> dict[str, Json]:
    """Return what is kept of what a client says of itself at its handshake.

    Raises:
        Refusal: It is not complete, or longer than may be kept.
    """
    try:
        said = types.InitializeRequestParams.model_validate(message.params or {}, by_name=False)
    except ValueError:
        raise bad(types.INVALID_PARAMS, "Invalid request parameters", message.id) from None
    client = said.model_dump(mode="json", by_alias=True, exclude_none=True, include=HEEDED)
    if len(orjson.dumps(client)) > HELLO_BYTES:
        raise Refusal(413, plain("payload_too_large", f"name and version of a client have at most {HELLO_BYTES} bytes"))
    return client


def bad(code: int, message: str, request_id: types.RequestId | None = None, data: Json = None) -> Refusal:
    """Return a refusal by the protocol, as its error."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return Refusal(ERROR_CODE_HTTP_STATUS.get(code, 400), {"jsonrpc": "2.0", "id": request_id, "error": error})
