"""Which row a failed request becomes: by what Discord answered, or by how its answer was lost.

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
from collections.abc import Iterator, Mapping
from itertools import islice
from math import ceil
from typing import Any, Final, TypeAlias, cast

import orjson

from accord.discord.rest.codes import CODE_ADVICE, ROUTE_ADVICE, STATUS_ADVICE, UNKNOWN, Advice
from accord.discord.rest.errors import (
    EDGE_BLOCK_MS,
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordRateLimitError,
    DiscordRequestError,
    DiscordUpstreamError,
    Scope,
)
from accord.engine.errors import InternalError, Issue, ToolError

__all__ = ["error_of", "timed_out", "unknown_outcome", "unreachable"]

Json: TypeAlias = Any

LONGEST_WAIT_SECONDS: Final = 366 * 24 * 60 * 60
"""No limit of Discord's lasts longer; it keeps an absurd number from overflowing a date."""

MOST_ISSUES: Final = 50
DEEPEST_FIELD: Final = 24

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
    return InternalError(
        reason=f"http_{status}" if own else "unexpected_status",
        retriable=not own,
        recovery_hint="Have the owner look for a proxy in between and check DISCORD_API_BASE_URL; else report it.",
    )


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

    Discord's own 403 and 429 are JSON objects, or empty; what cannot be read and came through its gateway (`Via`,
    `X-RateLimit-*`) was cut off on the way, which is no reason to stop everything. Its own 429 says `retry_after`, or
    came through its gateway; the notice of a ban is JSON without either.
    """
    if status not in {FORBIDDEN, TOO_MANY}:
        return False
    if said is None:
        return not _came_from_discord(heads)
    if said.get("error_code") == CLOUDFLARE_RATE_LIMITED:
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


def timed_out(timeout_ms: int | None = None) -> InternalError:
    """Return the row of a call that took longer than `timeout_ms` (None where that is not known)."""
    hint = "Try again, or ask for less at once; its owner can raise MCP_TIMEOUT_DEFAULT_MS."
    return InternalError(reason="timeout", timeout_ms=timeout_ms, recovery_hint=hint)


def unreachable(kind: str) -> DiscordUpstreamError:
    """Return the row of a request without an answer; `kind` is a word for why (`connection`, `reset`, `dns`, `tls`)."""
    hint = "Check the network between this server and Discord, then try again."
    return DiscordUpstreamError(reason=kind, recovery_hint=hint)


def unknown_outcome(error: ToolError, *, nonce: str | None = None) -> ToolError:
    """Return the error of a write that is not harmless twice and whose answer was lost.

    Its code stays that of the cause, and it is not retriable: the write may have happened.

    Args:
        error: The cause, as a row that can be served.
        nonce: The nonce that the message was sent with. Discord shows it in no history; it only keeps a repeat with
            it, within some minutes, from being a second message.
    """
    sought = "see in the channel (`messages_read`) whether it is there" if nonce else "read the target"
    again = f"; within some minutes a repeat with `nonce: {nonce}` sends nothing twice" if nonce else ""
    hint = f"Do not repeat the call as it is, it may have been carried out: first {sought}, and repeat only what is"
    return error.left_open(f"{hint} missing{again}.", nonce=nonce)
