"""Messages as JSON, once: what every transport of ours writes."""

from __future__ import annotations

from typing import Any, TypeAlias

import orjson
from mcp import types

from accord.engine.serving.listing import Listing
from accord.engine.tools.speak import Encoded

__all__ = ["encoded", "parsed"]

Json: TypeAlias = Any


def encoded(message: types.JSONRPCMessage) -> bytes:
    """Return a message as one line of JSON, without its end."""
    if isinstance(message, types.JSONRPCResponse):
        body: Json = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        body = message.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return orjson.dumps(body, default=_plain, option=orjson.OPT_PASSTHROUGH_SUBCLASS)


def _plain(value: object) -> Json:
    """Write subclasses: what is encoded already as it is, ids as the text that they are."""
    if isinstance(value, Listing | Encoded):
        return orjson.Fragment(value.wire)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, dict):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def parsed(value: Json) -> types.JSONRPCMessage:
    """Return the JSON-RPC message; by its keys, since trying each kind in turn costs more.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(value, dict):
        raise ValueError("not a JSON-RPC message")  # noqa: TRY004 - to the client it is a bad value
    if "method" not in value:
        return types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    kind = types.JSONRPCRequest if "id" in value else types.JSONRPCNotification
    return kind.model_validate(value, by_name=False)
