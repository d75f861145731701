"""The gates of this product: a wallet is signed in, and its client was granted what the tool needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from accord.deside.errors import AuthRequiredError, InsufficientScopeError
from accord.engine import Call, Caller, Gate, Next, Reply, Tool, ToolError

__all__ = ["need_scope", "need_wallet", "refuse_nobody"]

SUFFICES: Final[Mapping[str, frozenset[str]]] = {
    # The contract's first generation asks dm:read for it, the second dm:write: who has either may.
    "mark_dm_read": frozenset({"dm:write"}),
}
"""Tools for which another scope will do in place of the one that they declare."""


def refuse_nobody(caller: Caller, _error: ToolError) -> None:
    """Tell who is not signed in so, where it asks for a tool that there is not: no gate sees such a call.

    Raises:
        AuthRequiredError: No valid access token came with the call.
    """
    if not caller.is_known:
        raise AuthRequiredError


async def need_wallet(call: Call, following: Next) -> Reply:
    """Let through calls of wallets that are signed in.

    Raises:
        AuthRequiredError: No valid access token came with the call.
    """
    if not call.caller.is_known:
        raise AuthRequiredError
    return await following(call)


def need_scope(metadata: str | None) -> Gate:
    """Return the gate that asks for a tool's scopes; `metadata` is where the resource is described, if known."""

    async def scoped(call: Call, following: Next) -> Reply:
        """Refuse a call whose client was not granted what the tool needs."""
        missing = _missing(call.tool, call.caller.scopes)
        if missing is not None:
            raise InsufficientScopeError(required_scope=missing, www_authenticate=_challenge(missing, metadata))
        return await following(call)

    return scoped


def _missing(tool: Tool, granted: frozenset[str]) -> str | None:
    if granted & SUFFICES.get(tool.name, frozenset()):
        return None
    return next((scope for scope in tool.scopes if scope not in granted), None)


def _challenge(scope: str, metadata: str | None) -> str:
    """Write a WWW-Authenticate header's value (RFC 6750, 3; RFC 9728, 5.1)."""
    described = f', resource_metadata="{metadata}"' if metadata else ""
    return f'Bearer error="insufficient_scope", scope="{scope}"{described}'
