"""Secrets that are given out once and kept as hashes."""

from __future__ import annotations

import hashlib
import secrets

__all__ = ["digest", "fresh"]

SECRET_BYTES = 32
"""256 bits of chance: no guessing, so a plain hash keeps it as well as a slow one."""


def fresh(prefix: str = "") -> str:
    """Make a secret; its prefix tells scanners of leaked secrets what it is."""
    return prefix + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
