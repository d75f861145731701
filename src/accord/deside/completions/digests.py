"""What is kept of a request: a digest that binds a payment to it and cannot be guessed back."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

import orjson
import sqlalchemy as sa

from accord.deside.models.completions import Message, TierName
from accord.deside.store.tables.completions import SECRETS
from accord.deside.wallets import Wallet
from accord.engine import Database, inserting

__all__ = ["Digests"]

SECRET_BYTES: Final = 32

ONLY: Final = 1
"""The id of the one row."""


class Digests:
    """Digests under a secret of the database's own: who has one cannot try out what it may be of."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._secret: bytes | None = None

    async def of(
        self,
        wallet: Wallet,
        tier: TierName,
        messages: Sequence[Message],
        *,
        max_tokens: int | None,
        temperature: float,
    ) -> str:
        """Return the digest (HMAC-SHA-256, hexadecimal) of what a wallet asks of a tier.

        It is of what was sent: what a tier makes of it may change, and the same call has to stay the same.
        """
        if self._secret is None:
            self._secret = await self._store.write(_secret_of)
        asked = {
            "wallet": str(wallet),
            "tier": tier,
            "messages": [[message["role"], message["content"]] for message in messages],
            "max_tokens": max_tokens,
            "temperature": float(temperature),
        }
        return hmac.new(self._secret, orjson.dumps(asked), hashlib.sha256).hexdigest()


def _secret_of(connection: sa.Connection) -> bytes:
    """Read the database's secret, which is made by who needs it first."""
    made = inserting(connection, SECRETS).values(id=ONLY, secret=secrets.token_bytes(SECRET_BYTES))
    connection.execute(made.on_conflict_do_nothing())
    return bytes(connection.execute(sa.select(SECRETS.c.secret)).scalar_one())
