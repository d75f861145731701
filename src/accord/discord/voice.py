"""How a failure is worded: one envelope for programs, one Markdown text for models and people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from accord.discord.rest.answers import error_of, timed_out, unreachable
from accord.discord.rest.errors import DiscordRetryableError, DiscordUpstreamError
from accord.engine.errors import (
    BulkheadFullError,
    CancelledError,
    CircuitOpenError,
    InternalError,
    Issue,
    ServerError,
    ToolError,
)
from accord.engine.nouns import Reply
from accord.engine.tools.fence import fenced, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

__all__ = ["FormatErrorContext", "format_error_for_user", "quoted", "recognised", "voice"]

MOST_QUOTED_CHARACTERS: Final = 300
MOST_BULLETS: Final = 20

ASIDE: Final = re.compile(r"(?: \(|[;.] )`([a-z]+_\w+)`(?:\)| shows what there is)")
"""How a hint names a tool that would help: it can be left out, and the rest still holds."""


@dataclass(frozen=True, slots=True)
class FormatErrorContext:
    """Where a failure happened; `sentry_event_id` becomes the `trace_id` of the answer."""

    tool_name: str
    transport: Literal["stdio", "http"]
    sentry_event_id: str | None = None


def voice(error: ToolError, tool_name: str, available: Container[str] | None = None) -> Reply:
    """Word an error for the tool of that name; only an available tool is suggested (None: all are)."""
    row = _row_of(error)
    facts, step = row.facts, row.next_step
    if available is not None:
        step = ASIDE.sub(lambda aside: aside[0] if aside[1] in available else "", step)
        if facts.get("suggested_tool") not in available:
            facts.pop("suggested_tool", None)
    return _reply(row, facts, step, tool_name)


def recognised(thrown: Exception) -> ToolError | None:
    """Return the row of what others throw (an HTTP library's failures, time-outs); None for what is not known here."""
    row = _row_of(thrown)
    return row if type(row) is not InternalError or row.reason else None


def format_error_for_user(e: object, ctx: FormatErrorContext) -> dict[str, Any]:
    """Return the CallToolResult of anything that was thrown; what is not known here is told without its message."""
    row = _row_of(e)
    trace = {"trace_id": ctx.sentry_event_id} if ctx.sentry_event_id else {}
    reply = _reply(row, row.facts | trace, row.next_step, ctx.tool_name)
    return {
        "isError": True,
        "content": [{"type": "text", "text": reply.text}],
        "structuredContent": reply.structured,
    }


def quoted(words: str) -> str:
    """Return somebody else's words as one line of code, at most 300 characters, that cannot end its own quotation."""
    return f"`{_short(words).replace('`', chr(39))}`"


def _short(words: str) -> str:
    line = _one_line(words)
    return line if len(line) <= MOST_QUOTED_CHARACTERS else line[: MOST_QUOTED_CHARACTERS - 1] + "…"


def _one_line(words: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in words).split())


# --- From anything thrown to a row ----------------------------------------------------------------------------------

FOREIGN: Final[Mapping[str, Callable[[Any], ToolError]]] = {
    "accord.discord.rest.resilience.failures.BulkheadRejected": lambda _: BulkheadFullError(),
    "accord.discord.rest.resilience.failures.CircuitBroken": lambda e: CircuitOpenError(
        retry_after_ms=e.retry_after_ms
    ),
    "aiohttp.client_exceptions.ClientConnectionError": lambda _: unreachable("connection"),
    "aiohttp.client_exceptions.ClientPayloadError": lambda _: unreachable("reset"),
    "aiohttp.client_exceptions.ClientResponseError": lambda e: error_of(e.status, e.headers or {}, None),
    "aiohttp.client_exceptions.ServerTimeoutError": lambda _: timed_out(),
    "asyncio.exceptions.CancelledError": lambda _: CancelledError(),
    "builtins.TimeoutError": lambda _: timed_out(),
}
"""What others throw, by the full name of its class, so that nothing is imported to tell it."""


def _row_of(thrown: object) -> ToolError:
    if isinstance(thrown, DiscordRetryableError):
        return _row_of(thrown.original)
    if type(thrown) is ServerError:
        return DiscordUpstreamError(**thrown.facts, **_own_words(thrown))
    if isinstance(thrown, ToolError):
        return thrown
    names = (f"{base.__module__}.{base.__qualname__}" for base in type(thrown).__mro__)
    rows = (FOREIGN[name](thrown) for name in names if name in FOREIGN)
    return next(rows, None) or InternalError()


def _own_words(error: ToolError) -> dict[str, Any]:
    return {"retriable": error.retriable, "recovery_hint": error.recovery_hint}


# --- From a row to an answer ----------------------------------------------------------------------------------------


def _reply(row: ToolError, facts: Mapping[str, Any], step: str, tool_name: str) -> Reply:
    always = {
        "code": row.code,
        "retriable": row.retriable,
        "category": row.category,
        "recovery_hint": step,
    }
    return Reply(structured={**always, **facts}, text=_text(row, facts, step, tool_name), is_error=True)


def _text(row: ToolError, facts: Mapping[str, Any], step: str, tool_name: str) -> str:
    blocks = (
        f"**{_heading(row.code)}**",
        " ".join((_statement(row, tool_name), *_said(SENTENCES, facts))),
        *_said(PARAGRAPHS, facts),
        f"**Recovery:** {step}",
    )
    return "\n\n".join(filter(None, blocks))


def _said(wordings: Mapping[str, Callable[[Any], str]], facts: Mapping[str, Any]) -> Iterator[str]:
    """The wording of each fact that there is, in the table's order."""
    return (word(facts[name]) for name, word in wordings.items() if name in facts)


def _heading(code: str) -> str:
    """Write `DISCORD_PERMISSION_DENIED` as `Permission Denied`."""
    words = code.removeprefix("DISCORD_").split("_")
    return " ".join(ABBREVIATIONS.get(word, word.capitalize()) for word in words)


def _statement(row: ToolError, tool_name: str) -> str:
    """What happened, and to which tool, where the row does not name it itself."""
    named = f"{quoted(tool_name)}: " if tool_name and "tool" not in row.facts else ""
    return named + _one_line(row.message)


def _labelled(label: str) -> Callable[[Any], str]:
    return lambda value: f"{label}: {quoted(str(value))}."


def _listed(label: str) -> Callable[[Sequence[str]], str]:
    return lambda names: f"{label}: {', '.join(map(quoted, names)) or '_none_'}."


def _wait(retry_after_ms: int) -> str:
    until = datetime.now(UTC) + timedelta(milliseconds=retry_after_ms)
    return f"Wait {retry_after_ms} ms, until {until.isoformat(timespec='seconds')}."


def _bullets(issues: Sequence[Issue]) -> str:
    lines = [f"- {quoted(issue['path'] or 'arguments')}: {_short(issue['message'])}" for issue in issues[:MOST_BULLETS]]
    more = [f"- and {len(issues) - MOST_BULLETS} more"] if len(issues) > MOST_BULLETS else []
    return "\n".join(lines + more)


def _previewed(preview: Mapping[str, Any]) -> str:
    """The caller's own arguments as a block, and apart from them, between tags, what others named and wrote."""
    read = {name: value for name, value in preview.items() if name in READ_FROM_DISCORD}
    own = {name: value for name, value in preview.items() if name not in read}
    # JSON escapes line breaks, so no line of the preview's texts can close the fence.
    block = f"```json\n{visible(_indented(own))}\n```"
    return f"{block}\n\n{fenced(_indented(read), 'untrusted_discord')}" if read else block


def _indented(value: Mapping[str, Any]) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


READ_FROM_DISCORD: Final = ("targets", "counts", "changes")
"""What a preview has beside the arguments, from Discord."""


ABBREVIATIONS: Final[Mapping[str, str]] = {"DM": "DM"}

SENTENCES: Final[Mapping[str, Callable[[Any], str]]] = {
    "resource": _labelled("Resource"),
    "missing": _listed("Missing"),
    "have": _listed("Held"),
    "missing_permissions": _listed("Missing permissions"),
    "missing_intents": _listed("Missing intents"),
    "hierarchy": _labelled("Role hierarchy"),
    "resource_type": _labelled("Type"),
    "id": _labelled("ID"),
    "granted": _listed("Enabled"),
    "nearest": _listed("Nearest names"),
    "risk_flags": _listed("Risks"),
    "bucket": _labelled("Bucket"),
    "scope": _labelled("Scope"),
    "retry_after_ms": _wait,
    "timeout_ms": lambda limit: f"It took longer than {limit} ms.",
    "suggested_tool": lambda tool: f"Try {quoted(tool)}.",
    "status": lambda status: f"HTTP status {status}.",
    "discord_code": lambda code: f"Discord's code {code}.",
    "outcome": lambda outcome: f"Outcome: {outcome}.",
    "done": _listed("Done"),
    "trace_id": _labelled("Trace"),
}
"""What a fact adds to the statement, by its name."""

PARAGRAPHS: Final[Mapping[str, Callable[[Any], str]]] = {
    "discord_message": lambda words: f"Discord said: {quoted(words)}",
    "issues": _bullets,
    "preview": _previewed,
}
"""What a fact adds as a paragraph of its own, by its name."""
