"""Discord's failures as rows, and which row an HTTP answer of Discord becomes.

What the row is depends on the status alone; Discord's own numeric code adds `reason` and a hint that fits:

    400, 422, other 4xx      VALIDATION_FAILED           with Discord's field errors as `issues`
    401                      DISCORD_AUTH_INVALID
    403                      DISCORD_PERMISSION_DENIED
    404, 410                 DISCORD_NOT_FOUND           gone is not there either
    405, 406, 411, 415       INTERNAL_ERROR              not retriable: the request's form is this program's doing
    408, 5xx                 DISCORD_SERVER_ERROR
    409                      VALIDATION_FAILED           reason `conflict`
    413                      VALIDATION_FAILED           reason `too_large`
    429                      DISCORD_RATE_LIMITED
    403, 429 from the edge   DISCORD_CLOUDFLARE_BLOCKED  a page, or a notice without `retry_after`
    anything else            INTERNAL_ERROR              reason `unexpected_status`

No row ever holds a URL, a route, a header, a request body or a token.
"""

from __future__ import annotations

import re
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, cast

import orjson

from accord.engine.errors import (
    ClientError,
    InternalError,
    Issue,
    Outcome,
    ScopeRejectedError,
    ServerError,
    ToolError,
    ValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    "error_of",
    "timed_out",
    "unknown_outcome",
    "unreachable",
]

DiscordError = ToolError
DiscordClientError = ClientError
DiscordServerError = ServerError

Json: TypeAlias = Any
Scope: TypeAlias = Literal["user", "shared", "global"]
ConsentFlaw: TypeAlias = Literal["missing", "expired", "replayed", "mismatch"]
Row = TypeVar("Row", bound=ToolError)
Hierarchy: TypeAlias = Literal["satisfied", "not_satisfied", "unknown"]

EDGE_BLOCK_MS: Final = 60 * 60 * 1000
"""How long an edge block is taken to last where it does not say so."""

LONGEST_WAIT_SECONDS: Final = 366 * 24 * 60 * 60
"""No limit of Discord's lasts longer; it keeps an absurd number from overflowing a date."""

MOST_ISSUES: Final = 50
DEEPEST_FIELD: Final = 24


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
    """Discord rejected the credential that this call used."""


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
    """`{tool}` would open a direct message to `{recipient_id}` and needs an approval of it. No action was taken."""

    tool: str
    recipient_id: str
    consent_hash: str
    consent_id: str
    consent_expires_at: str


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


# --- What Discord's numeric codes mean ------------------------------------------------------------------------------
# Source of the codes: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json


class Advice(NamedTuple):
    """Our stable word for a failure, and what to do about it (None: the row's own hint)."""

    reason: str | None = None
    hint: str | None = None


LISTED_BY: Final[Mapping[str, str]] = {
    "auto moderation rule": "automod_list_rules",
    "ban": "members_list_bans",
    "channel": "channels_list",
    "command": "commands_list_global",
    "emoji": "emojis_list_guild",
    "entitlement": "entitlements_list",
    "guild": "users_list_current_user_guilds",
    "integration": "guild_list_integrations",
    "invite": "invites_list_channel",
    "member": "members_search",
    "message": "messages_read",
    "role": "roles_list",
    "scheduled event": "events_list",
    "sku": "skus_list",
    "sound": "soundboard_list_guild_sounds",
    "sticker": "stickers_list_guild",
    "template": "templates_list",
    "webhook": "webhooks_list_guild",
}
"""The tool that lists the resources of a type."""

UNKNOWN: Final[Mapping[int, str]] = {
    10002: "application",
    10003: "channel",
    10004: "guild",
    10005: "integration",
    10006: "invite",
    10007: "member",
    10008: "message",
    10009: "permission overwrite",
    10011: "role",
    10013: "user",
    10014: "emoji",
    10015: "webhook",
    10026: "ban",
    10027: "sku",
    10029: "entitlement",
    10057: "template",
    10060: "sticker",
    10062: "interaction",
    10063: "command",
    10065: "voice state",
    10066: "command permissions",
    10067: "stage instance",
    10070: "scheduled event",
    10097: "sound",
}
"""Type of resource that Discord does not know, by code."""

LIMITS: Final[Mapping[int, str]] = {
    30001: "guilds",
    30003: "pinned messages in this channel",
    30005: "roles in this guild",
    30007: "webhooks in this channel",
    30008: "emojis in this guild",
    30010: "different reactions on this message",
    30013: "channels in this guild",
    30015: "attachments in one message",
    30016: "invites in this guild",
    30018: "animated emojis in this guild",
    30032: "application commands",
    30033: "members in this thread",
    30038: "scheduled events in this guild",
    30039: "stickers in this guild",
    30045: "soundboard sounds in this guild",
    30047: "pinned threads in this forum",
    30048: "tags in this forum",
    30056: "premium emojis in this guild",
    30058: "webhooks in this guild",
    30060: "permission overwrites in this channel",
    160006: "active threads in this guild",
    160007: "active announcement threads in this guild",
}
"""What there is already as much of as Discord allows, by code."""


def _unknown(kind: str) -> Advice:
    listing = LISTED_BY.get(kind)
    seen = f"; `{listing}` shows what there is" if listing else ""
    return Advice(
        f"unknown_{kind.replace(' ', '_')}", f"Verify that this {kind} exists and that the bot can see it{seen}."
    )


def _limit(what: str) -> Advice:
    return Advice("limit_reached", f"Remove or reuse one first: there can be no more {what}.")


_DM_REFUSED = Advice(
    "cannot_dm_user",
    "Do not retry: the user closed direct messages, blocked the bot or shares no server with it. "
    "Reach them in a channel, and go on with the rest of the task.",
)
_TOO_LARGE = Advice("too_large", "Send less: smaller or fewer files, shorter text, or a link instead of a file.")
_TRY_LATER = Advice("try_again_later", "Wait some minutes, then try once; this kind of change is limited strictly.")
_NOT_READY = Advice("not_ready", "Wait some seconds, then try again: Discord is not ready yet.")

CODE_ADVICE: Final[Mapping[int, Advice]] = {
    **{number: _unknown(kind) for number, kind in UNKNOWN.items()},
    **{number: _limit(what) for number, what in LIMITS.items()},
    10008: Advice(
        "unknown_message",
        "Verify both IDs: the message was deleted or lies in another channel; `messages_read` shows what there is.",
    ),
    10015: Advice(
        "unknown_webhook", "Stop using this webhook: it was deleted. `webhooks_list_guild` shows what there is."
    ),
    10062: Advice("unknown_interaction", "Wait for a new interaction: this one was not answered within 3 seconds."),
    20001: Advice("not_for_bots", "Leave this to a person: Discord keeps it from bots."),
    20009: Advice("explicit_content", "Send something else: Discord's filter takes this for explicit content."),
    20016: Advice(
        "slow_mode",
        "Wait until the channel's slow mode lets the bot write again, or have it granted Bypass Slowmode.",
    ),
    20018: Advice("owner_only", "Leave this to the owner: Discord lets nobody else do it."),
    20022: _TRY_LATER,
    20028: Advice("channel_write_rate", "Wait, then write less often to this channel."),
    20029: Advice("guild_write_rate", "Wait, then write less often in this guild."),
    30031: Advice("template_exists", "Use the guild's template (`templates_list`), or delete it first."),
    30034: Advice("daily_limit", "Wait until tomorrow: no more commands can be created today."),
    30035: Advice("ban_limit", "Wait until tomorrow: no more bans of users outside the guild are possible now."),
    30037: _TRY_LATER,
    30040: _TRY_LATER,
    30042: _TRY_LATER,
    30046: Advice(
        "try_again_later", "Wait, or send a new message: messages older than an hour can be edited only rarely."
    ),
    40001: Advice("unauthorized", "Have the owner check DISCORD_TOKEN, or use a credential with the right to do this."),
    40003: Advice(
        "dm_opened_too_fast",
        "Stop opening direct messages now, report how many were done, and go on later and slowly.",
    ),
    40004: _TRY_LATER,
    40005: _TOO_LARGE,
    40006: _TRY_LATER,
    40007: Advice("user_banned", "Lift the ban first (`members_unban`): the user is banned from this guild."),
    40032: Advice("not_in_voice", "Wait until the user has joined a voice channel."),
    40033: Advice("already_published", "Do nothing: the message is already published."),
    40041: Advice("name_taken", "Choose another name, or modify the command that has this one."),
    40058: Advice("forum_channel", "Create a post instead: a forum channel takes no plain messages."),
    40060: Advice("already_answered", "Send `interactions_create_followup`: the interaction is already answered."),
    40062: Advice("resource_rate_limited", "Wait some seconds, then make the call once."),
    40067: Advice("tag_required", "Give one of the `available_tags` that `channels_get` shows for this forum."),
    40333: Advice("user_agent_refused", "Have the owner look for a proxy that changes the User-Agent of requests."),
    50001: Advice(
        "missing_access",
        "Let the bot see the target: it must be in the guild and have View Channel there. Where members are listed, "
        "switch on the Server Members Intent instead (Developer Portal, Bot, Privileged Gateway Intents).",
    ),
    50003: Advice("dm_channel", "Name a channel of a guild: this cannot be done in a direct message."),
    50004: Advice("widget_disabled", "Enable the widget first (`guild_modify_widget`)."),
    50005: Advice("not_own_message", "Send a new message instead: a bot can edit only its own."),
    50006: Advice("empty_message", "Give the message content, an embed, a file, a poll, a sticker or components."),
    50007: _DM_REFUSED,
    50008: Advice("not_a_text_channel", "Name a channel that takes messages: this one does not."),
    50013: Advice(
        "missing_permissions",
        "Have an administrator grant the bot's role what this needs (in the guild, or in the channel's overwrites), or "
        "move that role above the target's.",
    ),
    50014: Advice("invalid_token", None),
    50016: Advice("bulk_delete_count", "Give 2 to 100 messages; delete a single one with `messages_delete`."),
    50019: Advice("other_channel", "Pin the message in the channel it was sent in."),
    50021: Advice("system_message", "Choose another message: this cannot be done to a system message."),
    50024: Advice("channel_type", "Name a channel of another type: this cannot be done in this one."),
    50025: Advice("invalid_oauth_token", "Get a fresh OAuth2 access token: this one is invalid."),
    50026: Advice("missing_oauth_scope", "Get an access token with the OAuth2 scope that this needs."),
    50027: Advice(
        "invalid_webhook_token", "Use the right token: this webhook or interaction token is wrong or has run out."
    ),
    50028: Advice(
        "invalid_role", "Verify the role ID: it is not a role of this guild that can be used here."
    ),
    50033: Advice("invalid_recipient", "Verify the user ID: a bot cannot open a direct message to itself or to a bot."),
    50034: Advice("too_old", "Leave out messages older than 14 days; delete those one by one with `messages_delete`."),
    50035: Advice("invalid_form", "Correct the fields named in `issues`, then call again."),
    50045: _TOO_LARGE,
    50055: Advice("invalid_guild", "Verify the guild ID (`users_list_current_user_guilds`)."),
    50074: Advice(
        "community_channel", "Choose another channel in the guild's Community settings first, then delete this one."
    ),
    50081: Advice("invalid_sticker", "Use a sticker of this guild (`stickers_list_guild`)."),
    50083: Advice("thread_archived", "Open the thread first: an archived one takes nothing."),
    50101: Advice("needs_boosts", "Do without this feature: the guild has too few boosts for it."),
    50278: _DM_REFUSED,
    60003: Advice(
        "two_factor_required", "Have the bot's owner switch on two-factor authentication: this guild asks for it."
    ),
    90001: Advice("reaction_blocked", "Do not retry: the message's author has blocked the bot."),
    110000: _NOT_READY,
    110001: _NOT_READY,
    130000: Advice("overloaded", "Wait some seconds, then try again with growing pauses: Discord is overloaded."),
    160002: Advice("reply_needs_history", "Have an administrator grant Read Message History, or send without a reply."),
    160004: Advice("thread_exists", "Use the thread that was already created for this message."),
    160005: Advice("thread_locked", "Have somebody with Manage Threads unlock the thread first."),
}
"""What Discord's code means and what to do about it."""

ROUTE_ADVICE: Final[Mapping[tuple[str, int], Advice]] = {
    ("/guilds/{}/members", 50001): Advice(
        "members_intent_required",
        "Have the owner switch on the Server Members Intent (Developer Portal, Bot, Privileged Gateway Intents), or "
        "use `members_get`, which does without.",
    ),
}
"""Codes that mean something else on one route."""

STATUS_ADVICE: Final[Mapping[int, Advice]] = {
    408: Advice("request_timeout"),
    409: Advice("conflict", "Read the target again: it changed meanwhile. Then decide whether to call again."),
    410: Advice("gone"),
    413: _TOO_LARGE,
}
"""What is said where Discord's code says nothing."""


# --- From an answer to a row ----------------------------------------------------------------------------------------

STATUS_ROWS: Final[Mapping[int, type[ToolError]]] = {
    401: DiscordAuthError,
    403: DiscordPermissionError,
    404: DiscordNotFoundError,
    408: DiscordUpstreamError,
    410: DiscordNotFoundError,
    429: DiscordRateLimitError,
}
CLASS_ROWS: Final[Mapping[int, type[ToolError]]] = {4: DiscordRequestError, 5: DiscordUpstreamError}
"""The row of a status that STATUS_ROWS does not name, by its first digit."""

FORBIDDEN: Final = 403
TOO_MANY: Final = 429
CLOUDFLARE_RATE_LIMITED: Final = 1015
"""Cloudflare's number for a rate limit of its own, in the JSON form of its pages.

Source: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1015/
"""

OWN_MISTAKES: Final = frozenset({405, 406, 411, 415})
"""Statuses that no argument can cause or mend."""


def error_of(status: int, headers: Mapping[str, str], body: bytes | None, *, route: str | None = None) -> ToolError:
    """Return the row of an answer that is not a success. Pure, and total: any status, headers and body have one.

    Args:
        status: HTTP status.
        headers: In any case.
        body: As it came; None where it was not kept, which then says nothing about who answered.
        route: The literal template of the request's path, such as `/guilds/{}/members`: there a code can mean more.
    """
    heads = {name.lower(): value for name, value in headers.items()}
    said = _json_object(body) if body and body.strip() else {}
    if body is not None and _is_edge_block(status, heads, said):
        return DiscordCloudflareBlocked(retry_after_ms=_wait_ms(heads, said or {}) or EDGE_BLOCK_MS)
    row = STATUS_ROWS.get(status) or CLASS_ROWS.get(status // 100)
    if row is None or status in OWN_MISTAKES:
        return _unexpected(status)
    facts = _facts(status, heads, said or {}, route)
    return row(**{name: value for name, value in facts.items() if name in {*row.fields, "recovery_hint"}})


def _unexpected(status: int) -> InternalError:
    own = status in OWN_MISTAKES
    return _made(
        InternalError,
        reason=f"http_{status}" if own else "unexpected_status",
        retriable=not own,
        recovery_hint="Have the owner look for a proxy in between and check DISCORD_API_BASE_URL; else report it.",
    )


def _made(row: type[Row], **facts: Any) -> Row:
    """Make a row with its own hint, which its signature does not list."""
    return row(**facts)


def _facts(status: int, heads: Mapping[str, str], said: Mapping[str, Json], route: str | None) -> dict[str, Any]:
    """Everything that an answer says, for whichever row."""
    code = _whole_number(said.get("code"))
    advice = _advice(status, code, route)
    return {
        "status": status,
        "discord_code": code,
        "discord_message": _text(said.get("message")),
        "reason": advice.reason,
        "recovery_hint": advice.hint,
        "issues": list(islice(_issues(said.get("errors"), ()), MOST_ISSUES)),
        "resource_type": None if code is None else UNKNOWN.get(code),
        "retry_after_ms": _wait_ms(heads, said),
        "bucket": heads.get("x-ratelimit-bucket"),
        "scope": _scope(heads, said),
    }


def _advice(status: int, code: int | None, route: str | None) -> Advice:
    found = None
    if code is not None:
        found = ROUTE_ADVICE.get((route or "", code)) or CODE_ADVICE.get(code)
    return found or STATUS_ADVICE.get(status) or Advice()


def _is_edge_block(status: int, heads: Mapping[str, str], said: Mapping[str, Json] | None) -> bool:
    """Whether the answer came from Cloudflare in front of Discord, and not from Discord.

    Discord's own 403 and 429 are JSON objects, or empty. Its own 429 says `retry_after`, or came through its gateway
    (`Via`, `X-RateLimit-*`); the notice of a ban is JSON without either.
    """
    if status not in {FORBIDDEN, TOO_MANY}:
        return False
    if said is None or said.get("error_code") == CLOUDFLARE_RATE_LIMITED:
        return True
    return status == TOO_MANY and "retry_after" not in said and not _came_from_discord(heads)


def _came_from_discord(heads: Mapping[str, str]) -> bool:
    return any(name == "via" or name.startswith("x-ratelimit-") for name in heads)


def _scope(heads: Mapping[str, str], said: Mapping[str, Json]) -> Scope | None:
    if said.get("global") is True or "x-ratelimit-global" in heads:
        return "global"
    named = heads.get("x-ratelimit-scope")
    return cast("Scope", named) if named in {"user", "shared", "global"} else None


def _wait_ms(heads: Mapping[str, str], said: Mapping[str, Json]) -> int | None:
    """The body's exact seconds, else the header's whole ones, in milliseconds rounded up."""
    seconds = said.get("retry_after")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        seconds = _whole_seconds(heads.get("retry-after", ""))
    return None if seconds is None else ceil(min(max(seconds, 0), LONGEST_WAIT_SECONDS) * 1000)


def _whole_seconds(header: str) -> int | None:
    return int(header) if re.fullmatch(r"[0-9]{1,9}", header) else None


def _json_object(body: bytes) -> dict[str, Json] | None:
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _whole_number(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _issues(tree: Json, path: tuple[str, ...]) -> Iterator[Issue]:
    """Flatten Discord's tree of field errors, whose leaves are `{"_errors": [{"code", "message"}]}`."""
    if not isinstance(tree, dict) or len(path) > DEEPEST_FIELD:
        return
    for name, below in tree.items():
        if name == "_errors":
            yield from _leaves(below, _dotted(path))
        else:
            yield from _issues(below, (*path, name))


def _leaves(errors: Json, path: str) -> Iterator[Issue]:
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict):
            message = _text(error.get("message")) or "is not valid"
            yield Issue(path=path, message=message, code=_text(error.get("code")) or "INVALID")


def _dotted(path: tuple[str, ...]) -> str:
    """Write `("embeds", "0", "title")` as `embeds[0].title`."""
    return "".join(f"[{name}]" if name.isdigit() else f".{name}" for name in path).removeprefix(".")


# --- Failures without an answer -------------------------------------------------------------------------------------


def timed_out(timeout_ms: int | None = None) -> InternalError:
    """Return the row of a call that took longer than `timeout_ms` (None where that is not known)."""
    hint = "Try again, or ask for less at once; its owner can raise MCP_TIMEOUT_DEFAULT_MS."
    return _made(InternalError, reason="timeout", timeout_ms=timeout_ms, recovery_hint=hint)


def unreachable(kind: str) -> DiscordUpstreamError:
    """Return the row of a request without an answer; `kind` is a word for why (`connection`, `reset`, `dns`, `tls`)."""
    hint = "Check the network between this server and Discord, then try again."
    return _made(DiscordUpstreamError, reason=kind, recovery_hint=hint)


def unknown_outcome(error: ToolError, *, nonce: str | None = None) -> ToolError:
    """Return the error of a write that is not harmless twice and whose answer was lost.

    Its code stays that of the cause, and it is not retriable: the write may have happened.

    Args:
        error: The cause, as a row that can be served.
        nonce: The nonce that the message was sent with, by which it can be found.
    """
    sought = f"look in the channel (`messages_read`) for the nonce `{nonce}`" if nonce else "read the target"
    hint = f"Do not repeat the call yet, it may have been carried out: first {sought}, and repeat only what is missing."
    lost = {"retriable": False, "outcome": "unknown", "recovery_hint": hint, "nonce": nonce}
    return type(error)(**(error.facts | lost))
