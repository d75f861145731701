"""Wallets for tests: real keys, the same in every run."""

from __future__ import annotations

from solders.keypair import Keypair

from accord.deside.wallets import Wallet

__all__ = ["signature", "wallet"]


def wallet(number: int) -> Wallet:
    """Return the wallet of this number."""
    return Wallet(str(Keypair.from_seed(number.to_bytes(32, "big")).pubkey()))


def signature(number: int, message: str) -> str:
    """Return what the wallet of this number signs the message with."""
    return str(Keypair.from_seed(number.to_bytes(32, "big")).sign_message(message.encode()))
