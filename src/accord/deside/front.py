"""Who comes in over HTTP: the wallet of a valid access token, or nobody."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

from accord.deside.errors import AuthRequiredError
from accord.deside.oauth import Bearers, counted_as, metadata_url, public_url
from accord.engine import Caller, Refusal, SessionRules, State

__all__ = ["NOBODY", "StrangerLimit", "TokenFront", "rules_of"]

Headers: TypeAlias = Mapping[str, str]
SessionMode: TypeAlias = Literal["lazy", "strict"]

NOBODY: Final = Caller(id="", transport="http")


class TokenFront:
    """Lets in everybody, and knows the bearers of valid access tokens; the gates say what the others cannot do."""

    def __init__(self, bearers: Bearers) -> None:
        self._bearers = bearers

    async def admit(self, request: Headers, session: str | None) -> Caller:  # noqa: ARG002 - the protocol's signature
        """Return the caller of a request with these headers."""
        scheme, _, token = request.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            return NOBODY
        bearer = await self._bearers.find(token)
        if bearer is None:
            return NOBODY
        return Caller(id=bearer.wallet, transport="http", scopes=bearer.scopes, client=bearer.client_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrangerLimit:
    """How many sessions one address may open before it has signed in, counted in the state over all replicas.

    A limit of 0 is none.
    """

    state: State
    sessions_per_min: int

    async def count(self, address: str) -> None:
        """Count one.

        Raises:
            Refusal: 429 `rate_limited`.
        """
        if self.sessions_per_min == 0:
            return
        key = f"stranger-session:{counted_as(address)}"
        wait_seconds = await self.state.count_in_window(key, window_seconds=60, limit=self.sessions_per_min)
        if wait_seconds > 0:
            seconds = math.ceil(wait_seconds)
            message = f"too many sessions without a token from this address; sign in, or try again in {seconds} seconds"
            raise Refusal(429, {"error": "rate_limited", "message": message}, {"retry-after": str(seconds)})


def rules_of(mode: SessionMode, configured_url: str | None, strangers: StrangerLimit) -> SessionRules:
    """Return the rules of sessions: lazy as the contract's first generation has them, strict as its second.

    Requests of the protocol's 2026 era have no session, which all tools here need: clients shake hands instead.
    """
    return SessionRules(
        opened_by_anyone=mode == "lazy",
        tells_whose=True,
        standalone=False,
        challenge=partial(_challenge, configured_url),
        count_stranger=strangers.count,
    )


def _challenge(configured_url: str | None, headers: Headers) -> Refusal:
    """Ask for an access token, and say where the resource is described (RFC 9728, 5.1)."""
    error = AuthRequiredError()
    body = {"error": error.code, "message": f"{error.message} {error.next_step}"}
    return Refusal(error.http_status, body, {"www-authenticate": _bearer(configured_url, headers)})


def _bearer(configured_url: str | None, headers: Headers) -> str:
    base = public_url(configured_url, headers.get("host", ""))
    # RFC 6750, 3.1: who sent no credentials at all is told of no error.
    parts = ['error="invalid_token"'] if "authorization" in headers else []
    parts += [f'resource_metadata="{metadata_url(base)}"'] if base else []
    return f"Bearer {', '.join(parts)}".rstrip()
