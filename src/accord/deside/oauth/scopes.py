"""What a client may be granted, and how it asks for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from accord.deside.config import Config
from accord.deside.oauth.refusals import OAuthError

__all__ = ["DEFAULT_SCOPE", "SCOPES", "granted", "narrowed", "offered", "scopes_of"]

SCOPES: Final[Mapping[str, str]] = {
    "dm:read": "read your messages and your profile",
    "dm:write": "send messages, answer contact requests and change your profile, in your name",
    "llm:invoke": "ask for completions, which may be paid for",
    "webhook:manage": "say where notifications of new messages are sent",
}
"""Every scope, in words for the person who is asked: they complete the sentence that it may …"""

DEFAULT_SCOPE: Final = "dm:read dm:write"
"""What a client gets that asks for nothing. Everything else is only granted to who registered for it and asks."""


def offered(config: Config) -> tuple[str, ...]:
    """Return the scopes that something here needs."""
    return tuple(scope for scope in SCOPES if scope != "llm:invoke" or config.has_completions)


def scopes_of(text: str, known: Collection[str] = SCOPES.keys()) -> tuple[str, ...]:
    """Return the scopes of a list that is separated by spaces, in our order and each once.

    Raises:
        OAuthError: invalid_scope for one that is not known.
    """
    asked = set(text.split(" ")) - {""}
    if not asked <= set(known):
        raise OAuthError("invalid_scope", f"the scopes are: {' '.join(known)}")
    return tuple(scope for scope in SCOPES if scope in asked)


def granted(asked: str | None, registered: str) -> str:
    """Return what a client that is registered for some scopes is granted at authorize.

    One that asks for nothing gets the default, as far as it is registered for it.

    Raises:
        OAuthError: invalid_scope for what is not known, or what it is not registered for, and where nothing is left.
    """
    allowed = registered.split(" ")
    return narrowed(asked or " ".join(scope for scope in DEFAULT_SCOPE.split(" ") if scope in allowed), registered)


def narrowed(asked: str, allowed: str) -> str:
    """Return the asked scopes, all of which must be allowed.

    Raises:
        OAuthError: invalid_scope.
    """
    scopes = scopes_of(asked)
    if not scopes or not set(scopes) <= set(allowed.split(" ")):
        raise OAuthError("invalid_scope", f"this client may ask for: {allowed}")
    return " ".join(scopes)
