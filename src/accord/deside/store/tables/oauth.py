"""What the authorization server keeps: clients, sign-ins under way, codes, and families of tokens.

Secrets are kept as their SHA-256 (`*_hash`, hexadecimal). Times are milliseconds since the epoch.
"""

from __future__ import annotations

import sqlalchemy as sa

from accord.deside.store.metadata import METADATA

__all__ = ["ACCESS_TOKENS", "CHALLENGES", "CLIENTS", "CODES", "FAMILIES", "REFRESH_TOKENS", "REQUESTS"]

CLIENTS = sa.Table(
    "oauth_clients",
    METADATA,
    sa.Column("client_id", sa.String, primary_key=True),
    sa.Column("client_name", sa.String, nullable=False),
    sa.Column("redirect_uris", sa.JSON, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("registered_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("used_ms", sa.BigInteger),  # when a wallet last signed in through it
)

REQUESTS = sa.Table(
    "oauth_requests",
    METADATA,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("state", sa.String, nullable=False),  # chosen by the client, so it need not be unique
    sa.Column("state_hash", sa.String, nullable=False, index=True),  # an index takes no long texts
    sa.Column("client_id", sa.String, nullable=False),
    sa.Column("redirect_uri", sa.String, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("code_challenge", sa.String, nullable=False),
    sa.Column("begun_ms", sa.BigInteger, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
)

CHALLENGES = sa.Table(
    "oauth_challenges",
    METADATA,
    sa.Column("nonce_hash", sa.String, primary_key=True),
    sa.Column("request_id", sa.String, nullable=False, index=True),
    sa.Column("domain", sa.String, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
)

CODES = sa.Table(
    "oauth_codes",
    METADATA,
    sa.Column("code_hash", sa.String, primary_key=True),
    sa.Column("family_id", sa.String, nullable=False),  # of what it will issue: a replay revokes that
    sa.Column("client_id", sa.String, nullable=False),
    sa.Column("wallet", sa.String, nullable=False),
    sa.Column("redirect_uri", sa.String, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("code_challenge", sa.String, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("used_ms", sa.BigInteger),
)

FAMILIES = sa.Table(
    "oauth_families",
    METADATA,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("client_id", sa.String, nullable=False),
    sa.Column("wallet", sa.String, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("begun_ms", sa.BigInteger, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),  # of its newest refresh token
    sa.Column("revoked_ms", sa.BigInteger),
)

ACCESS_TOKENS = sa.Table(
    "oauth_access_tokens",
    METADATA,
    sa.Column("token_hash", sa.String, primary_key=True),
    sa.Column("family_id", sa.String, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
)

REFRESH_TOKENS = sa.Table(
    "oauth_refresh_tokens",
    METADATA,
    sa.Column("token_hash", sa.String, primary_key=True),
    sa.Column("family_id", sa.String, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("used_ms", sa.BigInteger),  # once it was rotated, its reuse revokes the family
)
