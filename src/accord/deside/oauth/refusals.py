"""What the authorization server refuses with: the names of the contract, each with its status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

__all__ = ["STATUSES", "Name", "OAuthError"]

Name: TypeAlias = Literal[
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unsupported_grant_type",
    "invalid_client_metadata",
    "invalid_redirect_uri",
    "invalid_scope",
    "invalid_target",
    "access_denied",
    "temporarily_unavailable",
    "too_many_requests",
    "server_error",
]

STATUSES: Final[Mapping[Name, int]] = {
    "invalid_request": 400,
    "invalid_client": 400,
    "invalid_grant": 400,
    "unsupported_grant_type": 400,
    "invalid_client_metadata": 400,
    "invalid_redirect_uri": 400,
    "invalid_scope": 400,
    "invalid_target": 400,
    "access_denied": 400,
    "temporarily_unavailable": 503,
    "too_many_requests": 429,  # ours, of registrations: RFC 7591 has no name for it
    "server_error": 500,
}
"""The status of each as JSON; where a redirect is safe, authorize and wallet-challenge answer 302 instead."""


class OAuthError(Exception):
    """A request that is refused. The description is for reading, and never repeats what was sent.

    RFC 6749, 4.1.2.1 and 5.2, allows neither quotes nor backslashes in it.
    """

    def __init__(self, name: Name, description: str) -> None:
        super().__init__(f"{name}: {description}")
        self.name = name
        self.description = description

    @property
    def body(self) -> dict[str, str]:
        """What is answered, as JSON or in the query of a redirect."""
        return {"error": self.name, "error_description": self.description}
