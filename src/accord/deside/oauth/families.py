"""Families of tokens: all that came from one sign-in, each refresh token good once, revoked together.

Every function is a part of one transaction and right under SQLite's one writer as under READ COMMITTED: what may happen
once is one statement that finds its row unused and marks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from accord.deside.oauth.digests import digest, fresh
from accord.deside.oauth.lifetimes import REFRESH_MS
from accord.deside.oauth.scopes import narrowed
from accord.deside.store.tables.oauth import ACCESS_TOKENS, FAMILIES, REFRESH_TOKENS
from accord.engine import Secret

__all__ = ["Issued", "begin", "revoke_families", "revoke_token", "rotate"]

ACCESS_PREFIX = "deside_at_"
REFRESH_PREFIX = "deside_rt_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A pair of tokens, shown this once."""

    access_token: Secret
    refresh_token: Secret
    scope: str
    access_ms: int

    @property
    def body(self) -> dict[str, str | int]:
        """The answer of the token endpoint (RFC 6749, 5.1)."""
        return {
            "access_token": self.access_token.reveal(),
            "token_type": "Bearer",
            "expires_in": self.access_ms // 1000,
            "refresh_token": self.refresh_token.reveal(),
            "scope": self.scope,
        }


def begin(connection: sa.Connection, code: sa.Row[Any], now_ms: int, access_ms: int) -> Issued:
    """Begin the family of a code, which has its id already."""
    row = {name: getattr(code, name) for name in ("client_id", "wallet", "scope")}
    family = {"id": code.family_id, **row, "begun_ms": now_ms, "expires_ms": now_ms + REFRESH_MS}
    connection.execute(sa.insert(FAMILIES).values(family))
    return _issue(connection, code.family_id, code.scope, now_ms, access_ms)


def rotate(
    connection: sa.Connection, presented: str, client_id: str | None, scope: str, *, now_ms: int, access_ms: int
) -> Issued | None:
    """Replace a refresh token; None where it is not good, and then its family is revoked if it was rotated before.

    Where a client is named, the token must be its own. A `scope` that is not empty narrows the new access token
    (RFC 6749, 6).

    Raises:
        OAuthError: invalid_scope for more than was granted; rolled back, so that the token stays good.
    """
    family_id = _use(connection, presented, client_id, now_ms)
    if family_id is None:
        family_of = sa.select(REFRESH_TOKENS.c.family_id).where(REFRESH_TOKENS.c.token_hash == digest(presented))
        revoke_families(connection, family_of.where(REFRESH_TOKENS.c.used_ms.is_not(None)), now_ms)
        return None
    kept = sa.update(FAMILIES).where(FAMILIES.c.id == family_id).values(expires_ms=now_ms + REFRESH_MS)
    granted: str = connection.execute(kept.returning(FAMILIES.c.scope)).scalar_one()
    return _issue(connection, family_id, narrowed(scope, granted) if scope else granted, now_ms, access_ms)


def revoke_families(connection: sa.Connection, ids: sa.Select[tuple[str]], now_ms: int) -> None:
    """Revoke every token of these families."""
    living = sa.update(FAMILIES).where(FAMILIES.c.id.in_(ids), FAMILIES.c.revoked_ms.is_(None))
    connection.execute(living.values(revoked_ms=now_ms))


def revoke_token(connection: sa.Connection, presented: str, client_id: str | None, now_ms: int) -> None:
    """Revoke one token: a refresh token with its family, an access token alone (RFC 7009, 2.1).

    Where a client is named, the token must be its own. Nothing tells whether there was one.
    """
    hashed = digest(presented)
    own = sa.select(FAMILIES.c.id)
    if client_id is not None:
        own = own.where(FAMILIES.c.client_id == client_id)
    access, refresh = ACCESS_TOKENS.c, REFRESH_TOKENS.c
    connection.execute(sa.delete(ACCESS_TOKENS).where(access.token_hash == hashed, access.family_id.in_(own)))
    of_token = sa.select(refresh.family_id).where(refresh.token_hash == hashed, refresh.family_id.in_(own))
    revoke_families(connection, of_token, now_ms)


def _use(connection: sa.Connection, presented: str, client_id: str | None, now_ms: int) -> str | None:
    """Use a refresh token up and return its family's id: of several racing users exactly one gets it."""
    living = sa.select(FAMILIES.c.id).where(FAMILIES.c.revoked_ms.is_(None))
    if client_id is not None:
        living = living.where(FAMILIES.c.client_id == client_id)
    token = REFRESH_TOKENS.c
    good = (token.token_hash == digest(presented), token.used_ms.is_(None), token.expires_ms > now_ms)
    using = sa.update(REFRESH_TOKENS).where(*good, token.family_id.in_(living)).values(used_ms=now_ms)
    family_id: str | None = connection.scalar(using.returning(token.family_id))
    return family_id


def _issue(connection: sa.Connection, family_id: str, scope: str, now_ms: int, access_ms: int) -> Issued:
    access, refresh = fresh(ACCESS_PREFIX), fresh(REFRESH_PREFIX)
    connection.execute(
        sa.insert(ACCESS_TOKENS).values(
            token_hash=digest(access), family_id=family_id, scope=scope, expires_ms=now_ms + access_ms
        )
    )
    connection.execute(
        sa.insert(REFRESH_TOKENS).values(
            token_hash=digest(refresh), family_id=family_id, expires_ms=now_ms + REFRESH_MS
        )
    )
    return Issued(access_token=Secret(access), refresh_token=Secret(refresh), scope=scope, access_ms=access_ms)
