"""Completions: what a model is asked, and what it answered. Whatever a model says is untrusted."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from accord.engine import Field, Untrusted

__all__ = [
    "MOST_CHARACTERS",
    "MOST_MESSAGES",
    "Completed",
    "FinishReason",
    "Message",
    "Messages",
    "Options",
    "PaymentReceipt",
    "Role",
    "TierName",
    "Usage",
]

MOST_MESSAGES = 50
MOST_CHARACTERS = 32_000
"""In all messages of a completion together (spec/deside.md 3, INPUT_TOO_LARGE)."""

MOST_PAYMENT_CHARACTERS = 16_384
"""A payment of x402 for Solana has about 1,600; a transaction at most 1,232 bytes."""

Role = Literal["system", "user", "assistant"]
TierName = Literal["free", "cheap", "balanced", "strong"]
FinishReason = Literal["stop", "length", "content_filter", "other", "already_answered"]


class Message(TypedDict):
    """One turn of a conversation with a model."""

    role: Role
    content: Annotated[str, Field(min_length=1)]


# Their number and length are judged by the service: too much has a code of its own.
Messages = Annotated[
    list[Message],
    Field(min_items=1, description=f"at most {MOST_MESSAGES}, and {MOST_CHARACTERS} characters in all"),
]


class Options(TypedDict, total=False):
    """What can be said beside the messages and the tier."""

    max_tokens: Annotated[int, Field(minimum=1, description="of the answer; above the tier's cap it counts as the cap")]
    temperature: Annotated[float, Field(minimum=0, maximum=2, description="1 if left out")]
    payment: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_PAYMENT_CHARACTERS,
            secret=True,
            description="base64 of the x402 PaymentPayload, signed for what PAYMENT_REQUIRED quoted",
        ),
    ]


class Usage(TypedDict):
    """The tokens of a completion, as its provider counts them; null where it does not."""

    inputTokens: int | None
    outputTokens: int | None


class PaymentReceipt(TypedDict):
    """That the money arrived: x402's SettlementResponse, `amount` in atomic units; `transaction` is the signature."""

    success: bool
    transaction: str
    network: str
    payer: str
    amount: str


class Completed(TypedDict):
    """What a model answered, and what it cost in USDC. `model` is the tier.

    `finishReason` is `already_answered`, and the text empty, where a payment is shown again that was answered before.
    """

    text: Untrusted
    model: TierName
    usage: Usage
    cost: float
    currency: Literal["USDC"]
    paymentReceipt: PaymentReceipt | None
    requestId: str
    finishReason: FinishReason
