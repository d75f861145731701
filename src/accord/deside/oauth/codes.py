"""Authorization codes: one use within a minute, bound to client, redirect URI and PKCE challenge."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from typing import Final

import sqlalchemy as sa

from accord.deside.oauth.digests import digest, fresh
from accord.deside.oauth.families import Issued, begin, revoke_families
from accord.deside.oauth.lifetimes import CODE_MS
from accord.deside.store.tables.oauth import CODES
from accord.deside.wallets import Wallet

__all__ = ["CODE_CHALLENGE", "Grant", "Presented", "challenge_of", "exchange", "write_code"]

CODE_PREFIX = "deside_code_"

CODE_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url without padding (RFC 7636, 4.2)."""

VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""RFC 7636, 4.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a code stands for: a wallet let a client act for it, within a scope."""

    client_id: str
    redirect_uri: str
    scope: str
    code_challenge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """What a client presents to get tokens for a code."""

    code: str = field(repr=False)
    client_id: str
    redirect_uri: str
    code_verifier: str = field(repr=False)


def challenge_of(verifier: str) -> str | None:
    """Return the S256 challenge of a verifier, None where it is none (RFC 7636, 4.2)."""
    if not VERIFIER.fullmatch(verifier):
        return None
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def write_code(connection: sa.Connection, grant: Grant, wallet: Wallet, now_ms: int) -> str:
    """Make a code, and return it for the only time."""
    code = fresh(CODE_PREFIX)
    connection.execute(
        sa.insert(CODES).values(
            code_hash=digest(code),
            family_id=fresh(),
            client_id=grant.client_id,
            wallet=wallet,
            redirect_uri=grant.redirect_uri,
            scope=grant.scope,
            code_challenge=grant.code_challenge,
            expires_ms=now_ms + CODE_MS,
        )
    )
    return code


def exchange(connection: sa.Connection, presented: Presented, now_ms: int, access_ms: int) -> Issued | None:
    """Use a code up and return its tokens; None where it is not good, and then what a used one issued is revoked.

    A code that is presented with something else that does not fit stays good: who cannot prove to be its client cannot
    take it from it.
    """
    code, hashed = CODES.c, digest(presented.code)
    good = (
        code.code_hash == hashed,
        code.client_id == presented.client_id,
        code.redirect_uri == presented.redirect_uri,
        code.code_challenge == challenge_of(presented.code_verifier),
        code.used_ms.is_(None),
        code.expires_ms > now_ms,
    )
    used = connection.execute(sa.update(CODES).where(*good).values(used_ms=now_ms).returning(*CODES.c)).one_or_none()
    if used is not None:
        return begin(connection, used, now_ms, access_ms)
    family = sa.select(code.family_id).where(code.code_hash == hashed, code.used_ms.is_not(None))
    revoke_families(connection, family, now_ms)
    return None
