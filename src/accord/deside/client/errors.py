"""What can go wrong between this client and a service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = [
    "DesideError",
    "NotSignedInError",
    "RefusedError",
    "ToolFailedError",
    "UnreachableError",
    "UntrustworthyError",
    "WalletFileError",
]

Json: TypeAlias = Any


class DesideError(Exception):
    """Any of them; the message can be shown to a person and holds no secret."""


class UnreachableError(DesideError):
    """No answer came: the outcome of what was asked is not known."""


class UntrustworthyError(DesideError):
    """The service asks for something that a wallet must not do, or says of itself what cannot be true."""


class WalletFileError(DesideError):
    """The file holds no wallet, or cannot be read or written."""


class NotSignedInError(DesideError):
    """There is no token for this wallet at this service, and signing in was not asked for."""


class RefusedError(DesideError):
    """The service answered no, before any tool ran.

    Args:
        error: The service's word for it, such as invalid_grant or session_mismatch.
        status: The HTTP status.
        message: What the service says of it.
        facts: The whole answer.
    """

    def __init__(self, error: str, status: int, message: str, facts: Mapping[str, Json] | None = None) -> None:
        super().__init__(f"{error} ({status}): {message}" if message else f"{error} ({status})")
        self.error = error
        self.status = status
        self.facts = facts or {}


class ToolFailedError(DesideError):
    """A tool ran and failed.

    Args:
        body: The error as the service words it: `error`, `status`, `message`, and the facts of this error.
    """

    def __init__(self, body: Mapping[str, Json]) -> None:
        self.body = dict(body)
        super().__init__(f"{self.code}: {body.get('message', 'no reason was given')}")

    @property
    def code(self) -> str:
        """The code, such as BLOCKED or RATE_LIMIT."""
        return str(self.body.get("error", "UNKNOWN"))
