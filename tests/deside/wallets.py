"""Wallets for tests: real keys, the same in every run."""

from __future__ import annotations

from solders.keypair import Keypair

from accord.deside.wallets import Wallet

__all__ = ["wallet"]


def wallet(number: int) -> Wallet:
    """Return the wallet of this number."""
    return Wallet(str(Keypair.from_seed(number.to_bytes(32, "big")).pubkey()))
