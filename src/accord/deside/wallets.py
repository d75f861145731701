"""Wallets: Solana addresses, and what they signed."""

from __future__ import annotations

from typing import Self

from solders.pubkey import Pubkey
from solders.signature import Signature

__all__ = ["Wallet"]


class Wallet(str):
    """A Solana address: 32 bytes in base58, on the curve of Ed25519, so that somebody can sign for it."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the wallet of this address.

        Raises:
            ValueError: It is none. One that a program derived (off the curve) can never sign, so nobody reads there.
        """
        try:
            key = Pubkey.from_string(text)
        except ValueError:
            raise ValueError("is no Solana address: 32 bytes in base58") from None
        if str(key) != text:
            raise ValueError("is no Solana address in its one form")
        if not key.is_on_curve():
            raise ValueError("is an address that a program derived, which can never sign")
        return cls(text)

    def signed(self, message: str, signature: str) -> bool:
        """Whether this is the wallet's signature (base58) of the message; keys of small order and S+L are refused."""
        try:
            return Signature.from_string(signature).verify(Pubkey.from_string(self), message.encode())
        except ValueError:
            return False
