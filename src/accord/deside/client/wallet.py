"""A wallet whose key pair lies in a file that only its owner reads, in the form that Solana's own tools use."""

from __future__ import annotations

import os
from pathlib import Path

import orjson
from solders.keypair import Keypair

from accord.deside.client.errors import WalletFileError

__all__ = ["LocalWallet"]

FORM = "a JSON array of 64 numbers, as solana-keygen writes it"

MOST_BYTES = 4096
"""More than any such array takes, however it is spaced."""


class LocalWallet:
    """A wallet that can sign. Its key leaves only through `save` and `reveal`."""

    __slots__ = ("_keypair", "address")

    def __init__(self, keypair: Keypair) -> None:
        self._keypair = keypair
        self.address = str(keypair.pubkey())

    def __repr__(self) -> str:
        # The key pair's own text is its secret, and must not get here.
        return f"LocalWallet({self.address})"

    @classmethod
    def new(cls) -> LocalWallet:
        """Make a wallet."""
        return cls(Keypair())

    @classmethod
    def load(cls, path: Path) -> LocalWallet:
        """Read a wallet's file.

        Raises:
            WalletFileError: There is none, or it holds something else.
        """
        try:
            with path.open("rb") as file:
                text = file.read(MOST_BYTES)
        except OSError as error:
            raise WalletFileError(f"{path}: {error.strerror}") from None
        return cls(_keypair(text, path))

    def save(self, path: Path) -> None:
        """Write the wallet into a new file that only its owner can read; a file that is there stays.

        Raises:
            WalletFileError: The file is there, or cannot be made.
        """
        numbers = orjson.dumps(list(bytes(self._keypair)))
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(numbers)
        except OSError as error:
            raise WalletFileError(f"{path}: {error.strerror}") from None

    def sign(self, message: str) -> str:
        """Sign a text in UTF-8; the signature is base58."""
        return str(self._keypair.sign_message(message.encode()))

    def sign_bytes(self, message: bytes) -> bytes:
        """Sign bytes: of a transaction that pays, which its caller has made itself."""
        return bytes(self._keypair.sign_message(message))

    def reveal(self) -> str:
        """Give the secret key in base58, as wallets import it, for the one place that a person asked to see it."""
        return str(self._keypair)


def _keypair(text: bytes, path: Path) -> Keypair:
    """Read the key pair; what is wrong with it is said without quoting it."""
    try:
        return Keypair.from_bytes(bytes(orjson.loads(text)))
    except (ValueError, TypeError):
        raise WalletFileError(f"{path} holds no wallet: {FORM} is expected") from None
