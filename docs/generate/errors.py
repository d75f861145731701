# ruff: noqa: INP001 - a script, no package
"""Write docs/errors.md from the error rows themselves: `python docs/generate/errors.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from accord.discord.rest import errors as discord
from accord.discord.rest.answers import error_of
from accord.discord.rest.codes import CODE_ADVICE, ROUTE_ADVICE
from accord.discord.rest.errors import DiscordRetryableError
from accord.engine import errors as engine
from accord.engine.errors import ToolError, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGE = Path(__file__).parents[1] / "errors.md"

SERVED_ALWAYS = ("code", "retriable", "category", "recovery_hint")

STATUSES = (304, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 418, 429, 500, 502, 503, 504)

OLDER = {
    "DISCORD_PERMISSION": "DISCORD_PERMISSION_DENIED",
    "DISCORD_RATE_LIMIT": "DISCORD_RATE_LIMITED",
    "DISCORD_AUTH": "DISCORD_AUTH_INVALID",
    "DISCORD_CF_BANNED": "DISCORD_CLOUDFLARE_BLOCKED",
    "DISCORD_SERVER": "DISCORD_SERVER_ERROR",
    "VALIDATION": "VALIDATION_FAILED",
    "UPSTREAM_TIMEOUT": "INTERNAL_ERROR",
}
"""Code strings that earlier versions of the contract used, and what is served instead."""

INTRODUCTION = """\
# Errors

<!-- Written by docs/generate/errors.py; change the rows, not this page. -->

A tool that fails answers with a tool result, never with a broken JSON-RPC exchange: `isError` is true, the text says
what happened and what to do, and `structuredContent` says the same for programs. Four fields are always there:

| field | meaning |
| --- | --- |
| `code` | stable word for the kind of failure; branch on it |
| `retriable` | whether the same call may succeed later, unchanged |
| `category` | `client`: the call, its rights or its approval are the reason; `server`: what is behind the tool |
| `recovery_hint` | the next step |

The other fields depend on the code; those with a question mark may be missing. Any failure can also have

- `outcome: "unknown"`: a write was sent and its answer was lost, so it may have been carried out. It is not
  retriable, and the hint says what to read first. `nonce` is the nonce of the message, if it had one; a call that
  brought its own is retriable, for within some minutes Discord takes a nonce only once.
- `trace_id`: where the operator finds the call in traces and logs.

`discord_message` is Discord's own sentence, raw; in the text it is quoted on one line. No failure holds a URL,
a route, a header, a request body or a credential.

## Codes

"""

STATUS_WORDS = """
## HTTP statuses of Discord

The status alone decides the code.

"""

REASON_WORDS = """
A 403 or 429 that is a page and not JSON, or a 429 without `retry_after` that did not pass Discord's own gateway, comes
from Cloudflare in front of Discord and is `DISCORD_CLOUDFLARE_BLOCKED`. A request without any answer is
`DISCORD_SERVER_ERROR` with the kind of failure as `reason`; a call that takes too long is `INTERNAL_ERROR` with
`reason: "timeout"` and `timeout_ms`.

## Reasons

Discord's numeric code (`discord_code`) adds a `reason` and a hint that fits. What a hint says of a tool that the server
does not have is left out.

"""

OLDER_WORDS = """
## Older code strings

Earlier descriptions of the contract used other strings; only the new ones are served.

"""


def document() -> str:
    """Return the page."""
    return "".join(
        (
            INTRODUCTION,
            _table("code | class | category | retriable | fields | meaning | what to do", map(_row, _served())),
            STATUS_WORDS,
            _table("status | code | retriable | reason", _statuses()),
            REASON_WORDS,
            _table("discord_code | reason | what to do", _reasons()),
            OLDER_WORDS,
            _table("older | served", ((f"`{old}`", f"`{new}`") for old, new in OLDER.items())),
        )
    )


def _served() -> Iterator[type[ToolError]]:
    modules = {engine.__name__, discord.__name__}
    return (row for row in rows() if row.__module__ in modules and row is not DiscordRetryableError)


def _row(row: type[ToolError]) -> tuple[str, ...]:
    fields = (
        f"`{name}`{'?' if getattr(row, name, True) is None else ''}" for name in row.fields if name not in SERVED_ALWAYS
    )
    meaning = (row.__doc__ or "").split("\n\n")[0]
    retriable = "yes" if row.retriable else "no"
    return f"`{row.code}`", f"`{row.__name__}`", row.category, retriable, ", ".join(fields), meaning, row.hint


def _statuses() -> Iterator[tuple[str, ...]]:
    for status in STATUSES:
        error = error_of(status, {"Via": "1.1 google"}, b"{}")
        reason = error.facts.get("reason")
        yield str(status), f"`{error.code}`", "yes" if error.retriable else "no", f"`{reason}`" if reason else ""


def _reasons() -> Iterator[tuple[str, ...]]:
    for code, advice in sorted(CODE_ADVICE.items()):
        yield str(code), f"`{advice.reason}`", advice.hint or "as for its status"
    for (route, code), advice in ROUTE_ADVICE.items():
        yield f"{code} on `{route}`", f"`{advice.reason}`", advice.hint or "as for its status"


def _table(heads: str, lines: Iterable[tuple[str, ...]]) -> str:
    rules = " | ".join("---" for _ in heads.split(" | "))
    return "".join(f"| {line} |\n" for line in (heads, rules, *(" | ".join(map(_cell, cells)) for cells in lines)))


def _cell(words: str) -> str:
    return " ".join(words.replace("|", "\\|").split())


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
