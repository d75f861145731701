"""The key pair that pays fees: from a file that only its owner reads, or from the environment."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

import orjson
from solders.keypair import Keypair
from solders.signature import Signature

from accord.engine import Secret

__all__ = ["key_of", "read_key"]

MOST_BYTES: Final = 4096
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
FORM: Final = "a key pair: solana-keygen's array of 64 numbers, or base58"


def read_key(path: Path) -> Keypair:
    """Read a key pair.

    Raises:
        ValueError: It cannot be read, others can read it too, or it holds something else, which is not quoted.
    """
    try:
        with path.open("rb") as file:
            status, text = os.fstat(file.fileno()), file.read(MOST_BYTES)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if os.name == "posix" and status.st_mode & OTHERS:
        raise ValueError(f"{path} can be read by others: chmod 600 it")
    try:
        return key_of(Secret(text.decode().strip()))
    except ValueError:
        raise ValueError(f"{path} does not hold {FORM}") from None


def key_of(text: Secret) -> Keypair:
    """Read a key pair from text.

    Raises:
        ValueError: It is none; it is not quoted.
    """
    try:
        given = text.reveal()
        # A key pair is 64 bytes, as a signature is; solders' own reader of one in base58 panics, and quotes it.
        return Keypair.from_bytes(bytes(orjson.loads(given) if given.startswith("[") else Signature.from_string(given)))
    except (ValueError, TypeError):
        raise ValueError(f"it is not {FORM}") from None
