"""Who a bearer token speaks for: asked at every request, so remembered for a moment."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from accord.deside.oauth.digests import digest
from accord.deside.store.tables.oauth import ACCESS_TOKENS, FAMILIES
from accord.deside.wallets import Wallet
from accord.engine import Database

__all__ = ["Bearer", "Bearers"]

REMEMBERED_SECONDS: Final = 2.0
"""How long another process may take a token that was revoked here; in this process it ends at once."""

REMEMBERED_MOST: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """The wallet and the client that a token was issued to, what it allows, and until when (since the epoch)."""

    wallet: Wallet
    client_id: str
    scopes: frozenset[str]
    expires_ms: int


class Bearers:
    """Finds the bearer of an access token. `clock` tells the time in seconds since the epoch."""

    def __init__(self, store: Database, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._remembered: OrderedDict[str, tuple[float, Bearer]] = OrderedDict()

    async def find(self, token: str) -> Bearer | None:
        """Return who a token speaks for; None where it is unknown, has run out or was revoked."""
        hashed, now = digest(token), self._clock()
        read_at, bearer = self._remembered.get(hashed, (0.0, None))
        if bearer is None or not 0 <= now - read_at < REMEMBERED_SECONDS:
            bearer = await self._store.read(lambda connection: _read(connection, hashed))
            self._remember(hashed, now, bearer)
        return bearer if bearer is not None and bearer.expires_ms > now * 1000 else None

    def forget(self) -> None:
        """Read every token anew: call it when something was revoked."""
        self._remembered.clear()

    def _remember(self, hashed: str, now: float, bearer: Bearer | None) -> None:
        """Keep what was read; what is no token is not kept, for there is no end of that."""
        self._remembered.pop(hashed, None)
        if bearer is None:
            return
        self._remembered[hashed] = (now, bearer)
        if len(self._remembered) > REMEMBERED_MOST:
            self._remembered.popitem(last=False)


def _read(connection: sa.Connection, hashed: str) -> Bearer | None:
    token, family = ACCESS_TOKENS.c, FAMILIES.c
    row = connection.execute(
        sa.select(family.wallet, family.client_id, token.scope, token.expires_ms)
        .join_from(ACCESS_TOKENS, FAMILIES, token.family_id == family.id)
        .where(token.token_hash == hashed, family.revoked_ms.is_(None))
    ).one_or_none()
    if row is None:
        return None
    return Bearer(
        wallet=Wallet(row.wallet),
        client_id=row.client_id,
        scopes=frozenset(row.scope.split(" ")),
        expires_ms=row.expires_ms,
    )
