"""Grants for tests of codes and tokens: what authorize and the signature lead to, without them."""

from __future__ import annotations

from accord.deside.oauth.codes import Grant, Presented, challenge_of, exchange, write_code
from accord.deside.oauth.families import Issued
from accord.deside.wallets import Wallet
from accord.engine import Database

__all__ = ["ACCESS_MS", "CLIENT", "REDIRECT", "VERIFIER", "WALLET", "coded", "grant", "issued", "presented"]

CLIENT = "client-1"
REDIRECT = "http://127.0.0.1:8123/callback"
VERIFIER = "v" * 43
WALLET = Wallet("4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T")
ACCESS_MS = 45 * 60_000


def grant(**other: str) -> Grant:
    """Return a grant of the default scope."""
    challenge = challenge_of(VERIFIER)
    assert challenge is not None
    own = {"client_id": CLIENT, "redirect_uri": REDIRECT, "scope": "dm:read dm:write", "code_challenge": challenge}
    return Grant(**{**own, **other})


def presented(code: str, **other: str) -> Presented:
    """Return what the client of the grant presents."""
    own = {"client_id": CLIENT, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
    return Presented(code=code, **{**own, **other})


async def coded(store: Database, now_ms: int, **other: str) -> str:
    """Return a new code."""
    return await store.write(lambda connection: write_code(connection, grant(**other), WALLET, now_ms))


async def issued(store: Database, now_ms: int, **other: str) -> Issued:
    """Return the tokens of a new grant."""
    code = await coded(store, now_ms, **other)
    tokens = await store.write(lambda connection: exchange(connection, presented(code), now_ms, ACCESS_MS))
    assert tokens is not None
    return tokens
