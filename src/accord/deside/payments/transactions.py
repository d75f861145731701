"""Transactions as bytes: read, known by what was signed, signed for the fee."""

from __future__ import annotations

import base64
import binascii
import hashlib

from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.transaction import VersionedTransaction

__all__ = ["digest_of", "read_base64", "read_transaction", "signed_by_fee_payer"]

SMALL_TRANSACTION_BYTES = 1232
"""More than fits into a packet is no transaction (https://solana.com/docs/core/transactions#transaction-size)."""


def read_transaction(data: bytes) -> VersionedTransaction:
    """Read a transaction.

    Raises:
        ValueError: It is none.
    """
    if len(data) > SMALL_TRANSACTION_BYTES:
        raise ValueError("is longer than a transaction")
    transaction = VersionedTransaction.from_bytes(data)
    transaction.sanitize()
    if bytes(transaction) != data:
        raise ValueError("is not in the one form of a transaction")
    return transaction


def read_base64(text: str) -> VersionedTransaction:
    """Read a transaction in base64.

    Raises:
        ValueError: It is none.
    """
    try:
        return read_transaction(base64.b64decode(text, validate=True))
    except binascii.Error:
        raise ValueError("is no base64") from None


def digest_of(transaction: VersionedTransaction) -> str:
    """Return the SHA-256 of what its signers signed: the fee payer's signature, which comes later, changes nothing."""
    return hashlib.sha256(to_bytes_versioned(transaction.message)).hexdigest()


def signed_by_fee_payer(transaction: VersionedTransaction, key: Keypair) -> VersionedTransaction:
    """Return the transaction with the fee payer's signature, which is the same each time (Ed25519)."""
    signature = key.sign_message(to_bytes_versioned(transaction.message))
    return VersionedTransaction.populate(transaction.message, [signature, *transaction.signatures[1:]])
