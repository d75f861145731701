"""The rows of deside-mcp: what a tool can fail with, as the contract names it.

A code's name and status are the contract's, exact. Engine rows never reach the wire under their own codes: `voice.py`
says which of these each becomes.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from accord.engine.errors import ClientError, Issue, ServerError, rows

__all__ = [
    "CODES",
    "AuthRequiredError",
    "BlockedError",
    "BudgetExceededError",
    "CannotDmSelfError",
    "ConflictError",
    "CooldownError",
    "InputTooLargeError",
    "InsufficientScopeError",
    "InvalidInputError",
    "InvalidMeaningError",
    "ModelUnavailableError",
    "NotFoundError",
    "PassportSelectionRequiredError",
    "PassportStateUnavailableError",
    "PaymentFailedError",
    "PaymentInvalidError",
    "PaymentRequiredError",
    "PaymentUncheckedError",
    "PolicyBlockedError",
    "ProviderError",
    "ProviderTimeoutError",
    "RateLimitError",
    "RateLimitedError",
    "RichContentInvalidError",
    "UnknownError",
]

Json: TypeAlias = Any


# --- Who may call ---------------------------------------------------------------------------------------------------


class AuthRequiredError(
    ClientError,
    code="AUTH_REQUIRED",
    hint="Refresh the access token or sign in again, then repeat the call in the same session.",
    status=401,
):
    """This needs an access token that is valid, and none came along."""


class InsufficientScopeError(
    ClientError,
    code="insufficient_scope",
    hint="Sign in again and ask for this scope.",
    status=403,
):
    """The access token lacks the scope `{required_scope}`."""

    required_scope: str
    www_authenticate: str


# --- What was asked for ---------------------------------------------------------------------------------------------


class InvalidInputError(ClientError, code="INVALID_INPUT", hint="Correct what `issues` names.", status=400):
    """The arguments do not have the form that this tool takes."""

    issues: list[Issue]


class InvalidMeaningError(ClientError, code="INVALID_INPUT", hint="Correct what `issues` names.", status=422):
    """The arguments have the right form, and cannot mean anything here."""

    issues: list[Issue]


class CannotDmSelfError(ClientError, code="cannot_dm_self", hint="Name another wallet.", status=400):
    """A wallet cannot write to itself."""


class RichContentInvalidError(
    ClientError, code="rich_content_invalid", hint="Correct what `issues` names.", status=400
):
    """The blocks are not valid rich content."""

    issues: list[Issue]


class NotFoundError(ClientError, code="NOT_FOUND", hint="Check the id, or list what there is.", status=404):
    """There is no such {resource} for you."""

    resource: Literal["agent", "contact request", "conversation", "link", "message", "tool", "wallet"]


class ConflictError(ClientError, code="CONFLICT", hint="Read how things stand, then decide anew.", status=409):
    """This cannot be done as things stand: {reason}."""

    reason: str


# --- What the recipient or the limits refuse ------------------------------------------------------------------------


class RateLimitError(
    ClientError, code="RATE_LIMIT", hint="Send nothing before `retry_after_ms` has passed.", retriable=True, status=429
):
    """This wallet has sent as many messages as it may within an hour."""

    retry_after_ms: int


class CooldownError(
    ClientError, code="COOLDOWN", hint="Wait for `retry_after_ms` before the next.", retriable=True, status=403
):
    """Messages to this recipient come too fast."""

    retry_after_ms: int


class BlockedError(ClientError, code="BLOCKED", hint="Do not try again: it is for good.", status=403):
    """The recipient has blocked you."""


class PolicyBlockedError(ClientError, code="POLICY_BLOCKED", hint="Do not try again: it is for good.", status=403):
    """The recipient takes no direct messages."""


# --- Completions and what they cost ---------------------------------------------------------------------------------


class InputTooLargeError(ClientError, code="INPUT_TOO_LARGE", hint="Send fewer or shorter messages.", status=400):
    """The messages are too many or too long for a completion."""


class RateLimitedError(ClientError, code="RATE_LIMITED", hint="Wait for `retry_after_ms`.", retriable=True, status=429):
    """This wallet has asked for as many completions as it may within a minute."""

    retry_after_ms: int


class BudgetExceededError(
    ClientError, code="BUDGET_EXCEEDED", hint="Sign no payment; wait for the next day (UTC) or use less.", status=402
):
    """The day's budget of this wallet would be exceeded."""

    resets_at: str


class PaymentRequiredError(
    ClientError,
    code="PAYMENT_REQUIRED",
    hint="Sign one of `data.accepts` and repeat the same call with it as `payment`.",
    status=402,
):
    """This completion is paid for with x402; `data` is the PaymentRequired of its version 2."""

    data: dict[str, Json]


class PaymentInvalidError(
    ClientError, code="PAYMENT_INVALID", hint="Ask for a fresh quote; do not send this payment again.", status=402
):
    """The payment does not pay what was asked for."""

    reason: str | None = None


class PaymentFailedError(
    ClientError, code="PAYMENT_FAILED", hint="Ask for a fresh quote, if your rules let you try again.", status=402
):
    """The payment could not be settled, so no text is returned."""


class PaymentUncheckedError(
    ServerError,
    code="UNKNOWN",
    hint="Nothing was charged; repeat the same call with the same payment in a moment.",
    retriable=True,
    status=503,
):
    """Payments cannot be checked now."""


class ModelUnavailableError(
    ClientError, code="MODEL_UNAVAILABLE", hint="Try another tier, or wait.", retriable=True, status=400
):
    """This tier cannot be served now."""


class ProviderTimeoutError(
    ServerError, code="PROVIDER_TIMEOUT", hint="Try again later, or with less `max_tokens`.", status=504
):
    """The provider of the model did not answer in time. Nothing was paid."""


class ProviderError(ServerError, code="PROVIDER_ERROR", hint="Try again later, or with less `max_tokens`.", status=502):
    """The provider of the model failed. Nothing was paid."""


# --- Passports ------------------------------------------------------------------------------------------------------


class PassportSelectionRequiredError(
    ClientError,
    code="passport_selection_required",
    hint="Choose one of `data.candidates` with select_passport, then repeat the call.",
    status=409,
):
    """This wallet has several passports, and none is chosen."""

    data: dict[str, Json]


class PassportStateUnavailableError(
    ServerError, code="passport_state_unavailable", hint="Try again in a moment.", status=503
):
    """It is not known now which passports this wallet has."""


# --- Anything else --------------------------------------------------------------------------------------------------


class UnknownError(ServerError, code="UNKNOWN", hint="Try again; if it goes on, tell the server's owner.", status=500):
    """Something unexpected went wrong inside this server."""


CODES = frozenset(row.code for row in rows() if row.__module__ == __name__)
"""Every code of the contract."""
