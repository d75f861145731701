"""What goes over the wire: x402's PaymentRequired, PaymentRequirements and PaymentPayload, version 2."""

from __future__ import annotations

import base64
import binascii
from typing import Final

import orjson

from accord.deside.payments.seller import Json, Receipt, Resource
from accord.deside.usdc import Network

__all__ = ["X402_VERSION", "encoded", "payment_required", "read_payment", "receipt_of", "requirements_of"]

X402_VERSION: Final = 2
TIMEOUT_SECONDS: Final = 120
"""How long a quote is good."""

MOST_CHARACTERS: Final = 16_384
"""A payment takes about 1,600."""


def requirements_of(network: Network, *, pay_to: str, fee_payer: str, amount: int, nonce: str) -> Json:
    """Return what one payment has to do."""
    return {
        "scheme": "exact",
        "network": network.caip2,
        "amount": str(amount),
        "asset": network.usdc,
        "payTo": pay_to,
        "maxTimeoutSeconds": TIMEOUT_SECONDS,
        "extra": {"feePayer": fee_payer, "memo": nonce},
    }


def payment_required(resource: Resource, requirements: Json, error: str) -> Json:
    """Return what asks for a payment, and why."""
    return {
        "x402Version": X402_VERSION,
        "error": error,
        "resource": dict(resource),
        "accepts": [requirements],
    }


def read_payment(text: str) -> Json:
    """Read a payment from base64.

    Raises:
        ValueError: It is none, or one of another version; the text is a reason in x402's manner.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError("invalid_payload")
    try:
        payload = orjson.loads(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise ValueError("invalid_payload") from None
    if isinstance(payload, dict) and payload.get("x402Version") != X402_VERSION:
        raise ValueError("invalid_x402_version")
    if isinstance(payload, dict) and isinstance(payload.get("accepted"), dict):
        return payload
    raise ValueError("invalid_payload")


def encoded(payload: Json) -> str:
    """Write a payment as base64."""
    return base64.b64encode(orjson.dumps(payload)).decode()


def receipt_of(requirements: Json, *, signature: str, payer: str) -> Receipt:
    """Return the receipt of a payment that arrived."""
    return {
        "success": True,
        "transaction": signature,
        "network": requirements["network"],
        "payer": payer,
        "amount": requirements["amount"],
    }
