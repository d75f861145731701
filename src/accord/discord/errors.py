"""The error classes of the contract, by its names, in one place."""

from __future__ import annotations

from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordClientError,
    DiscordCloudflareBlocked,
    DiscordError,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordRateLimitError,
    DiscordRetryableError,
    DiscordServerError,
    GuildNotAllowedError,
)
from accord.engine import (
    BulkheadFullError,
    CancelledError,
    CircuitOpenError,
    DryRunPreview,
    InternalError,
    ScopeRejectedError,
    ValidationError,
)

__all__ = [
    "BulkheadFullError",
    "CancelledError",
    "CircuitOpenError",
    "DiscordAuthError",
    "DiscordClientError",
    "DiscordCloudflareBlocked",
    "DiscordError",
    "DiscordNotFoundError",
    "DiscordPermissionError",
    "DiscordRateLimitError",
    "DiscordRetryableError",
    "DiscordServerError",
    "DryRunPreview",
    "GuildNotAllowedError",
    "InternalError",
    "ScopeRejectedError",
    "ValidationError",
]
