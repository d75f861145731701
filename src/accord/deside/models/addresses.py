"""Addresses of wallets as arguments."""

from __future__ import annotations

from typing import Annotated

from accord.engine import Field

__all__ = ["Address"]

Address = Annotated[
    str,
    Field(
        pattern="^[1-9A-HJ-NP-Za-km-z]{32,44}$",  # base58 of 32 bytes
        description="a Solana wallet's address in base58",
    ),
]
