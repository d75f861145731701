"""Registered wallets with their profiles, and who blocks whom."""

from __future__ import annotations

import sqlalchemy as sa

from accord.deside.store.metadata import METADATA

__all__ = ["BLOCKS", "WALLETS"]

WALLETS = sa.Table(
    "wallets",
    METADATA,
    sa.Column("wallet", sa.String, primary_key=True),
    sa.Column("registered_at_ms", sa.BigInteger, nullable=False),
    sa.Column("role", sa.String, nullable=False),  # user, agent
    sa.Column("policy", sa.String, nullable=False),  # everyone, contacts, nobody
    sa.Column("nickname", sa.String),
    sa.Column("avatar", sa.String),
    sa.Column("about", sa.String),
    sa.Column("x", sa.String),
    sa.Column("website", sa.String),
)

BLOCKS = sa.Table(
    "blocks",
    METADATA,
    sa.Column("owner", sa.String, primary_key=True),
    sa.Column("blocked", sa.String, primary_key=True),
    sa.Column("blocked_at_ms", sa.BigInteger, nullable=False),
)
