"""How a failure is worded: one object, as text and as structured content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from accord.deside.errors import CODES, InvalidInputError, NotFoundError, UnknownError
from accord.engine.errors import ToolError, ToolNotAvailableError, ValidationError
from accord.engine.nouns import Reply

__all__ = ["body_of", "voice"]

Json: TypeAlias = Any


class _Named(NamedTuple):
    """What an engine row is called on this wire."""

    code: str
    status: int


FOREIGN: Final[Mapping[type[ToolError], _Named]] = {
    ValidationError: _Named(InvalidInputError.code, InvalidInputError.http_status),
    ToolNotAvailableError: _Named(NotFoundError.code, NotFoundError.http_status),
}
"""The engine's rows that have a counterpart in the contract; all others are UNKNOWN."""

WIRE_NAMES: Final[Mapping[str, str]] = {
    "required_scope": "requiredScope",
    "resets_at": "resetsAt",
    "www_authenticate": "wwwAuthenticate",
}
"""Facts that the contract writes in another way than Python."""


def voice(error: ToolError, tool_name: str) -> Reply:  # noqa: ARG001 - the protocol's signature; a caller knows its tool
    """Word an error."""
    body = body_of(error)
    return Reply(structured=body, text=orjson.dumps(body).decode(), is_error=True)


def body_of(error: ToolError) -> dict[str, Json]:
    """Return what is said of an error: its code, status and message, then its facts."""
    code, status = _named(error)
    facts = {WIRE_NAMES.get(name, name): fact for name, fact in error.facts.items()}
    return {"error": code, "status": status, "message": f"{error.message} {error.next_step}"} | facts


def _named(error: ToolError) -> _Named:
    if error.code in CODES:
        return _Named(error.code, error.http_status)
    known = FOREIGN.get(type(error))
    # 500 and above is what the contract promises of UNKNOWN, whatever the engine's row has.
    return known or _Named(UnknownError.code, max(error.http_status, UnknownError.http_status))
