"""How a failure is worded: the contract's code, status and facts, in the text as in the structured content."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from accord.deside import errors
from accord.deside.voice import body_of, voice
from accord.engine import (
    BulkheadFullError,
    InternalError,
    Issue,
    ToolError,
    ToolNotAvailableError,
    ValidationError,
    rows,
)

ISSUES = [Issue(path="text", message="is required", code="required")]
QUOTE = {"x402Version": 2, "accepts": [{"scheme": "exact"}]}
CANDIDATES = {"candidates": [{"assetId": "a"}, {"assetId": "b"}]}
CHALLENGE = 'Bearer error="insufficient_scope", scope="dm:write"'

CONTRACT: list[tuple[ToolError, str, int, dict[str, Any]]] = [
    (errors.AuthRequiredError(), "AUTH_REQUIRED", 401, {}),
    (
        errors.InsufficientScopeError(required_scope="dm:write", www_authenticate=CHALLENGE),
        "insufficient_scope",
        403,
        {"requiredScope": "dm:write", "wwwAuthenticate": CHALLENGE},
    ),
    (errors.RateLimitError(retry_after_ms=9), "RATE_LIMIT", 429, {"retry_after_ms": 9}),
    (errors.BlockedError(), "BLOCKED", 403, {}),
    (errors.PolicyBlockedError(), "POLICY_BLOCKED", 403, {}),
    (errors.CooldownError(retry_after_ms=9), "COOLDOWN", 403, {"retry_after_ms": 9}),
    (errors.CannotDmSelfError(), "cannot_dm_self", 400, {}),
    (errors.RichContentInvalidError(issues=ISSUES), "rich_content_invalid", 400, {"issues": ISSUES}),
    (errors.InvalidInputError(issues=ISSUES), "INVALID_INPUT", 400, {"issues": ISSUES}),
    (errors.InvalidMeaningError(issues=ISSUES), "INVALID_INPUT", 422, {"issues": ISSUES}),
    (errors.InputTooLargeError(), "INPUT_TOO_LARGE", 400, {}),
    (errors.RateLimitedError(retry_after_ms=9), "RATE_LIMITED", 429, {"retry_after_ms": 9}),
    (
        errors.BudgetExceededError(resets_at="2026-07-06T00:00:00.000Z"),
        "BUDGET_EXCEEDED",
        402,
        {"resetsAt": "2026-07-06T00:00:00.000Z"},
    ),
    (errors.PaymentRequiredError(data=QUOTE), "PAYMENT_REQUIRED", 402, {"data": QUOTE}),
    (errors.PaymentInvalidError(), "PAYMENT_INVALID", 402, {}),
    (errors.PaymentInvalidError(reason="memo_mismatch"), "PAYMENT_INVALID", 402, {"reason": "memo_mismatch"}),
    (errors.PaymentFailedError(), "PAYMENT_FAILED", 402, {}),
    (errors.PaymentUncheckedError(), "UNKNOWN", 503, {}),
    (errors.ModelUnavailableError(), "MODEL_UNAVAILABLE", 400, {}),
    (errors.ProviderTimeoutError(), "PROVIDER_TIMEOUT", 504, {}),
    (errors.ProviderError(), "PROVIDER_ERROR", 502, {}),
    (
        errors.PassportSelectionRequiredError(data=CANDIDATES),
        "passport_selection_required",
        409,
        {"data": CANDIDATES},
    ),
    (errors.PassportStateUnavailableError(), "passport_state_unavailable", 503, {}),
    (errors.NotFoundError(resource="agent"), "NOT_FOUND", 404, {"resource": "agent"}),
    (errors.ConflictError(reason="it is revoked"), "CONFLICT", 409, {"reason": "it is revoked"}),
    (errors.UnknownError(), "UNKNOWN", 500, {}),
    (ValidationError(issues=ISSUES), "INVALID_INPUT", 400, {"issues": ISSUES}),
    (ToolNotAvailableError(tool="send"), "NOT_FOUND", 404, {"tool": "send"}),
    (BulkheadFullError(), "UNKNOWN", 503, {}),
    (
        InternalError(reason="timeout", timeout_ms=45_000),
        "UNKNOWN",
        500,
        {"reason": "timeout", "timeout_ms": 45_000},
    ),
]
"""Every row of the contract and the engine's that come here; with its code, its status, and what it says besides."""


@pytest.mark.parametrize(("error", "code", "status", "facts"), CONTRACT, ids=lambda one: getattr(one, "code", ""))
def test_a_row_says_its_code_its_status_and_its_facts(
    error: ToolError, code: str, status: int, facts: dict[str, Any]
) -> None:
    body = body_of(error)
    message = body.pop("message")

    assert body == {"error": code, "status": status, **facts}
    assert message.startswith(error.message)


@pytest.mark.parametrize("error", [row[0] for row in CONTRACT], ids=lambda one: one.code)
def test_the_text_is_the_structured_content(error: ToolError) -> None:
    reply = voice(error, "send_dm")

    assert reply.is_error
    assert orjson.loads(reply.text) == reply.structured


def test_every_row_of_the_contract_stands_in_the_table() -> None:
    own = {row for row in rows() if row.__module__ == errors.__name__}

    assert own == {type(error) for error, *_ in CONTRACT} & own
    assert {row.code for row in own} == errors.CODES


def test_whatever_else_the_engine_knows_is_unknown_with_a_status_of_500_or_above() -> None:
    for row in (row for row in rows() if row.__module__ == ToolError.__module__):
        error = row(**dict.fromkeys(row.fields, "x"))
        body = body_of(error)

        assert body["error"] in {"INVALID_INPUT", "NOT_FOUND"} or (body["error"], body["status"] >= 500) == (
            "UNKNOWN",
            True,
        )
