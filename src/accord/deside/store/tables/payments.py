"""What is sold: a row a quote, through all states of its payment. Neither prompts nor answers stand here."""

from __future__ import annotations

import sqlalchemy as sa

from accord.deside.store.metadata import METADATA

__all__ = ["PAYMENTS"]

PAYMENTS = sa.Table(
    "payments",
    METADATA,
    sa.Column("nonce", sa.String, primary_key=True),  # the memo of the transaction that pays
    sa.Column("wallet", sa.String, nullable=False, index=True),  # who asked; another one may pay
    sa.Column("tier", sa.String, nullable=False),
    sa.Column("request_hash", sa.String, nullable=False),
    sa.Column("amount", sa.BigInteger, nullable=False),  # atomic units
    sa.Column("requirements", sa.JSON, nullable=False),  # as they were quoted: x402's PaymentRequirements
    sa.Column("state", sa.String, nullable=False),
    sa.Column("state_ms", sa.BigInteger, nullable=False),  # since when
    sa.Column("expires_ms", sa.BigInteger, nullable=False),  # of the quote
    # From the reservation on:
    sa.Column("digest", sa.String),  # SHA-256 of the transaction's message, hexadecimal
    sa.Column("payer", sa.String),
    sa.Column("reserved_ms", sa.BigInteger),
    # From before the transaction is sent:
    sa.Column("last_block_height", sa.BigInteger),  # beyond it the transaction cannot land
    sa.Column("signature", sa.String),  # of the transaction; unknown until it landed where a remote facilitator signs
    # From when the money arrived:
    sa.Column("claimed_until_ms", sa.BigInteger, nullable=False, server_default="0"),  # somebody is answering it
    sa.Column("receipt", sa.JSON),
    sa.Index(None, "state", "state_ms"),
)
