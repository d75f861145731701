"""What a completion comes back as."""

from __future__ import annotations

import secrets

from accord.deside.completions.provider import Answer
from accord.deside.completions.tiers import Tier
from accord.deside.models.completions import Completed
from accord.deside.payments import Receipt
from accord.engine import logger

__all__ = ["answered_before", "completed"]

_log = logger("accord.deside.completions")


def completed(tier: Tier, answer: Answer, receipt: Receipt | None = None) -> Completed:
    """Return an answer with what it cost, and log it without a word of it."""
    request_id = _request_id()
    _log.info(
        "completion",
        id=request_id,
        tier=tier.name,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost=tier.cost,
    )
    return {
        "text": answer.text,
        "model": tier.name,
        "usage": {"inputTokens": answer.input_tokens, "outputTokens": answer.output_tokens},
        "cost": tier.cost,
        "currency": "USDC",
        "paymentReceipt": None if receipt is None else {**receipt},
        "requestId": request_id,
        "finishReason": answer.finish_reason,
    }


def answered_before(tier: Tier, receipt: Receipt) -> Completed:
    """Say how a payment ended that was answered before: answers are not kept, so there is no text."""
    return {
        "text": "",
        "model": tier.name,
        "usage": {"inputTokens": 0, "outputTokens": 0},
        "cost": tier.cost,
        "currency": "USDC",
        "paymentReceipt": {**receipt},
        "requestId": _request_id(),
        "finishReason": "already_answered",
    }


def _request_id() -> str:
    return f"llm_{secrets.token_hex(12)}"
