"""Agents of the built-in registry, which of its agents a client acts as for a wallet, and owners' signed links."""

from __future__ import annotations

import sqlalchemy as sa

from accord.deside.store.metadata import METADATA

__all__ = ["AGENTS", "LINKS", "PREPARED_LINKS", "SELECTIONS"]

AGENTS = sa.Table(
    "agents",
    METADATA,
    sa.Column("catalog_id", sa.String, primary_key=True),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("entry_id", sa.String, nullable=False),
    sa.Column("owner_wallet", sa.String, nullable=False, index=True),
    sa.Column("agent_wallet", sa.String, index=True),
    sa.Column("slug", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("name_folded", sa.String, nullable=False),  # what a search for a name compares
    sa.Column("description", sa.String),
    sa.Column("avatar", sa.String),
    sa.Column("website", sa.String),
    sa.Column("category", sa.String),
    sa.Column("capabilities", sa.JSON, nullable=False),
    sa.Column("is_own", sa.Boolean, nullable=False),  # published here by its owner, not imported
    sa.Column("is_published", sa.Boolean, nullable=False),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
    sa.Column("updated_ms", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("source", "entry_id"),
    sa.Index(None, "created_ms", "catalog_id"),
)

SELECTIONS = sa.Table(
    "agent_selections",
    METADATA,
    sa.Column("client_id", sa.String, primary_key=True),
    sa.Column("wallet", sa.String, primary_key=True),
    sa.Column("agent", sa.String),  # a catalog id,
    sa.Column("link_id", sa.String),  # or a link; one of the two
    sa.Column("selected_ms", sa.BigInteger, nullable=False),
    sa.Column("dropped_ms", sa.BigInteger),
)

PREPARED_LINKS = sa.Table(
    "prepared_agent_links",
    METADATA,
    sa.Column("nonce", sa.String, primary_key=True),
    sa.Column("owner_wallet", sa.String, nullable=False, index=True),
    sa.Column("message", sa.String, nullable=False),
    sa.Column("label", sa.String, nullable=False),
    sa.Column("primary_agent", sa.String, nullable=False),
    sa.Column("agents", sa.JSON, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
)

# A revoked link stays: its row is the history.
LINKS = sa.Table(
    "agent_links",
    METADATA,
    sa.Column("link_id", sa.String, primary_key=True),
    sa.Column("owner_wallet", sa.String, nullable=False, index=True),
    sa.Column("label", sa.String, nullable=False),
    sa.Column("primary_agent", sa.String, nullable=False),
    sa.Column("agents", sa.JSON, nullable=False),
    sa.Column("agents_sorted", sa.String, nullable=False),  # the same set, in one form
    sa.Column("message", sa.String, nullable=False),
    sa.Column("signature", sa.String, nullable=False),
    sa.Column("signed_ms", sa.BigInteger, nullable=False),
    sa.Column("revoked_ms", sa.BigInteger),
)
sa.Index(
    "uq_agent_links_active",
    LINKS.c.owner_wallet,
    LINKS.c.agents_sorted,
    unique=True,
    sqlite_where=LINKS.c.revoked_ms.is_(None),
    postgresql_where=LINKS.c.revoked_ms.is_(None),
)
