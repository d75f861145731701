"""What each way to fail of an OpenAI-compatible endpoint is called on our wire (spec/wallet-findings.md 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import httpx2
import openai

from accord.deside.completions.provider import ProviderFailed
from accord.deside.errors import ModelUnavailableError, ProviderError, ProviderTimeoutError
from accord.engine import ToolError, logger

__all__ = ["failed"]

_log = logger("accord.deside.completions")

BY_STATUS: Final[Mapping[int, type[ToolError]]] = {
    400: ModelUnavailableError,  # the model's context may be too short for the prompt, or an option unknown to it
    401: ModelUnavailableError,  # our key
    403: ModelUnavailableError,
    404: ModelUnavailableError,  # no such model
    408: ProviderTimeoutError,
    422: ModelUnavailableError,
    504: ProviderTimeoutError,
}
"""Every other status is PROVIDER_ERROR: 429 is the provider's limit on us, not the caller's."""

NEVER_CONNECTED = (httpx2.ConnectError, httpx2.ConnectTimeout)


def failed(error: Exception) -> ProviderFailed:
    """Return the failure that an exception of the SDK is. Its words are dropped: providers quote prompts and keys."""
    status = error.status_code if isinstance(error, openai.APIStatusError) else None
    row = _row_of(error, status)
    _log.warning("provider failed", code=row.code, status=status, cause=type(error).__name__)
    return ProviderFailed(row, reached=not isinstance(error.__cause__, NEVER_CONNECTED))


def _row_of(error: Exception, status: int | None) -> ToolError:
    if isinstance(error, openai.APITimeoutError):
        return ProviderTimeoutError()
    return BY_STATUS.get(status or 0, ProviderError)()
