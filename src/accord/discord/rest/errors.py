"""Discord's failures and those of this server's gates, as rows.

No row ever holds a URL, a route, a header, a request body or a token.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from accord.discord.rest.codes import LISTED_BY
from accord.engine.errors import (
    ClientError,
    Outcome,
    ScopeRejectedError,
    ServerError,
    ToolError,
    ValidationError,
)

__all__ = [
    "BotScopeUnresolvedError",
    "CatalogOnlyError",
    "DiscordAuthError",
    "DiscordClientError",
    "DiscordCloudflareBlocked",
    "DiscordError",
    "DiscordNotFoundError",
    "DiscordPermissionError",
    "DiscordRateLimitError",
    "DiscordRequestError",
    "DiscordRetryableError",
    "DiscordServerError",
    "DiscordUpstreamError",
    "DmConsentRejectedError",
    "DmConsentRequiredError",
    "DmOutcomeUnknownError",
    "ExternalServiceError",
    "GuildNotAllowedError",
    "GuildScopeUnresolvedError",
    "NotGrantedError",
    "RuntimeAccessDeniedError",
    "RuntimeAccessUnknownError",
    "code_of",
]

DiscordError = ToolError
DiscordClientError = ClientError
DiscordServerError = ServerError

Scope: TypeAlias = Literal["user", "shared", "global"]
ConsentFlaw: TypeAlias = Literal["missing", "expired", "replayed", "mismatch"]
Hierarchy: TypeAlias = Literal["satisfied", "not_satisfied", "unknown"]

EDGE_BLOCK_MS: Final = 60 * 60 * 1000
"""How long an edge block is taken to last where it does not say so."""


# --- What Discord answered ------------------------------------------------------------------------------------------


class _AnsweredError(ClientError):
    """Discord refused the call.

    `discord_code` is Discord's JSON error code, `discord_message` its own sentence, `reason` our stable word for both.
    """

    status: int | None = None
    discord_code: int | None = None
    discord_message: str | None = None
    reason: str | None = None


class DiscordPermissionError(
    _AnsweredError,
    code="DISCORD_PERMISSION_DENIED",
    hint="Have an administrator grant what is missing to the bot's role, in the guild or in this channel.",
):
    """Discord does not let the bot do this."""

    missing: list[str] | None = None
    have: list[str] | None = None
    resource: str | None = None


class DiscordRateLimitError(
    _AnsweredError,
    code="DISCORD_RATE_LIMITED",
    hint="Wait for `retry_after_ms`, then make the call once; prefer one bulk call to many single ones.",
    retriable=True,
):
    """Discord limits how often this may be done, and the limit is reached."""

    retry_after_ms: int | None = None
    bucket: str | None = None
    scope: Scope | None = None
    suggested_tool: str | None = None


class DiscordNotFoundError(
    _AnsweredError,
    code="DISCORD_NOT_FOUND",
    hint="Verify the ID, resource visibility, and credential scope.",
):
    """It does not exist, or the bot cannot see it."""

    resource_type: str | None = None
    id: str | None = None
    suggested_tool: str | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """The facts; `suggested_tool` is the tool that lists this type, unless another was given."""
        listing = LISTED_BY.get((self.resource_type or "").lower())
        return ({"suggested_tool": listing} if listing else {}) | super().facts


class DiscordAuthError(
    _AnsweredError,
    code="DISCORD_AUTH_INVALID",
    hint="Have the owner set a valid DISCORD_TOKEN (Developer Portal, Bot, Reset Token) and restart the server.",
):
    """There is no credential for this call that Discord accepts."""


class DiscordRequestError(
    ValidationError, hint="Correct the arguments named in `issues`, or what Discord's message names, then call again."
):
    """Discord did not accept the request as it stands."""

    status: int | None = None
    discord_code: int | None = None
    discord_message: str | None = None
    reason: str | None = None


class DiscordCloudflareBlocked(  # noqa: N818 - the contract's name
    ClientError,
    code="DISCORD_CLOUDFLARE_BLOCKED",
    hint=(
        "Make no Discord call before `retry_after_ms` has passed: calling on lengthens the block. "
        "Have the owner find what caused many 401, 403 or 429 answers."
    ),
    retriable=True,
):
    """STOP: Discord's edge (Cloudflare) blocks the address of this server."""

    retry_after_ms: int = EDGE_BLOCK_MS


class DiscordUpstreamError(
    ServerError,
    code="DISCORD_SERVER_ERROR",
    hint="Wait some seconds, then try again with growing pauses; if it goes on, look at discordstatus.com.",
):
    """Discord failed, or could not be reached."""

    status: int | None = None
    discord_code: int | None = None
    discord_message: str | None = None
    reason: str | None = None
    retry_after_ms: int | None = None


class DiscordRetryableError(ServerError, code="DISCORD_RETRYABLE", hint="Try again."):
    """The attempt failed in a way that another attempt may mend.

    A marker between an attempt and the retry around it, never served: the voice words `original`.
    """

    original: Exception
    retry_after_ms: int | None = None


def code_of(error: ToolError) -> int | None:
    """Return Discord's JSON error code, None where it said none."""
    code: int | None = error.facts.get("discord_code")
    return code


# --- What the gates of this server answer ---------------------------------------------------------------------------


class NotGrantedError(
    ScopeRejectedError,
    hint="Use what is granted, or have the owner give out an access token that grants `{required}`.",
):
    """`{tool}` needs `{required}`, which this caller was not granted. No action was taken."""


class GuildNotAllowedError(
    ClientError, code="GUILD_NOT_ALLOWED", hint="Use a guild listed in ALLOWED_GUILDS, or have the owner add this one."
):
    """The guild `{guild_id}` is not allowed here."""

    guild_id: str


class GuildScopeUnresolvedError(
    ClientError,
    code="GUILD_SCOPE_UNRESOLVED",
    hint="Name a guild or channel that the bot can see and ALLOWED_GUILDS lists, so that the guild can be proven.",
):
    """ALLOWED_GUILDS is set, and the guild of this call could not be proven. No action was taken."""

    resource: str


class BotScopeUnresolvedError(
    ClientError,
    code="BOT_SCOPE_UNRESOLVED",
    hint="Omit `application_id` or use the bot's own; the owner must set DISCORD_EXPECTED_BOT_ID to the bot's ID.",
):
    """This call changes an application, and it could not be proven to be the bot's own. No action was taken."""

    resource: str


class RuntimeAccessDeniedError(
    ClientError,
    code="RUNTIME_ACCESS_DENIED",
    hint="Have an administrator grant what is missing, or move the bot's role above its target; then call again.",
):
    """`{tool}` needs access that the bot does not have. No action was taken."""

    tool: str
    missing_permissions: list[str]
    missing_intents: list[str]
    hierarchy: Hierarchy = "unknown"


class RuntimeAccessUnknownError(
    ClientError,
    code="RUNTIME_ACCESS_UNKNOWN",
    hint=(
        "Check the bot's access to the target; "
        "its owner can set MCP_ACCESS_MODE=warn or MCP_ACCESS_MODE=advisory to call without proof."
    ),
):
    """It could not be proven that the bot has the access that `{tool}` needs. No action was taken."""

    tool: str
    reason: str


class DmConsentRequiredError(
    ClientError,
    code="DM_CONSENT_REQUIRED",
    hint=(
        "Have this recipient approved, then repeat the call before {consent_expires_at} with `__consent: true`, "
        "`__consent_hash: {consent_hash}` and `__consent_id: {consent_id}`."
    ),
):
    """`{tool}` would turn to `{recipient_id}` by direct message and needs an approval of it. No action was taken."""

    tool: str
    recipient_id: str
    consent_hash: str
    consent_id: str
    consent_expires_at: str
    approval: str | None = None


class DmConsentRejectedError(
    ClientError,
    code="DM_CONSENT_REJECTED",
    hint="Call again without the `__consent` keys for a fresh approval of exactly this recipient.",
):
    """The approval given to `{tool}` cannot be used ({reason}). No action was taken."""

    tool: str
    reason: ConsentFlaw


class DmOutcomeUnknownError(
    ClientError,
    code="DM_OUTCOME_UNKNOWN",
    hint="See first whether the direct message was opened; do not retry with the approval that was used.",
):
    """Discord's answer about the direct message to `{recipient_id}` was lost: it may have been opened."""

    recipient_id: str
    outcome: Outcome | None = "unknown"


class CatalogOnlyError(
    ClientError, code="CATALOG_ONLY", hint="Start `discord-mcp serve` with a DISCORD_TOKEN to call tools."
):
    """This server only lists its tools; it calls none."""


class ExternalServiceError(
    ServerError,
    code="EXTERNAL_SERVICE_UNAVAILABLE",
    hint="Wait a moment, then try again; Discord itself is not concerned.",
):
    """The service {provider} did not answer as it should."""

    provider: str
    status: int | None = None
