"""What wallets used up of a day's budget, and the secret under which requests are digested."""

from __future__ import annotations

import sqlalchemy as sa

from accord.deside.store.metadata import METADATA

__all__ = ["BUDGETS", "SECRETS"]

BUDGETS = sa.Table(
    "completion_budgets",
    METADATA,
    sa.Column("wallet", sa.String, primary_key=True),
    sa.Column("bucket", sa.String, primary_key=True),  # free, paid
    sa.Column("day", sa.Integer, primary_key=True),  # days since the epoch (UTC)
    sa.Column("used", sa.BigInteger, nullable=False),  # calls where free, atoms of USDC where paid
)

SECRETS = sa.Table(
    "completion_secrets",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),  # there is one
    sa.Column("secret", sa.LargeBinary, nullable=False),
)
