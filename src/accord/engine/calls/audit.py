"""The audit gate: one record for every call that is not a read, and for every refusal: who, what, and how it ended.

A gate that issues, uses or denies an approval says so in `call.facts["approval"]`; one of consent, which the same call
can need besides, in `call.facts["consent"]`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Protocol, TextIO, TypeAlias

import orjson

from accord.engine.calls.redaction import redacted
from accord.engine.errors import AuditUnavailableError, CancelledError, InternalError, ToolError
from accord.engine.logs import logger
from accord.engine.nouns import Call, Caller, Gate, InputRequired, Next, Reply
from accord.engine.telemetry import trace_id

__all__ = ["AuditSink", "NoAudit", "Record", "StderrAudit", "audit", "intend", "refuse_unknown"]

Record: TypeAlias = dict[str, Any]

_log = logger("accord.audit")

STATUSES = {"success": "success", "intended": "intended"}
"""What is no failure; any other outcome is one."""


class AuditSink(Protocol):
    """Where records go. `emit` must not block; what it raises is logged and does not fail the call."""

    def emit(self, record: Record) -> None:
        """Write one record."""

    async def close(self) -> None:
        """Write what is still held back, and release what is open."""


class StderrAudit:
    """Each record a JSON line on stderr, marked `level: audit`."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def emit(self, record: Record) -> None:
        """Write the record as one line."""
        stream = self._stream or sys.stderr
        stream.write(orjson.dumps({"level": "audit", **record}).decode() + "\n")
        stream.flush()

    async def close(self) -> None:
        """Leave stderr open: it is the process's."""


class NoAudit:
    """Records that nobody keeps."""

    def emit(self, record: Record) -> None:
        """Forget the record."""

    async def close(self) -> None:
        """Have nothing to release."""


def audit(sink: AuditSink, *, reads: bool = False) -> Gate:
    """Record every write and every refusal, with the outcome as its caller saw it; with `reads`, each read too."""

    async def audited(call: Call, following: Next) -> Reply:
        """Run the call and emit its record, however it ends."""
        start = perf_counter()
        ending: tuple[str, str | None] | None = ("failed", InternalError.code)
        try:
            reply = await following(call)
            ending = _ending_of(reply)
        except InputRequired:
            ending = None  # the call is repeated with the answer, and that one is recorded
            raise
        except asyncio.CancelledError:
            ending = _given_up(call)
            raise
        except ToolError as error:
            ending = (_outcome(call, error), error.code)
            raise
        else:
            return reply
        finally:
            if ending is not None and (reads or call.tool.effect.writes or ending[0] == "refused"):
                _emit(sink, call, *ending, perf_counter() - start)

    return audited


def intend(sink: AuditSink, *, required: bool) -> Gate:
    """Where a record is required, write down what is going to be done before anything is done."""

    async def intended(call: Call, following: Next) -> Reply:
        """Refuse a write whose record cannot be kept."""
        if required and call.tool.effect.writes:
            try:
                sink.emit(_record(call, "intended", None, 0.0))
            except Exception as error:  # noqa: BLE001 - whatever keeps a record from being kept
                _log.error("audit sink failed, so writes are refused", error=type(error).__name__)
                raise AuditUnavailableError(tool=call.tool.name) from None
        return await following(call)

    return intended


def refuse_unknown(sink: AuditSink) -> Callable[[Caller, ToolError], None]:
    """Return what records a call of a tool that there is not: of its name and arguments nothing may be kept."""

    def record(caller: Caller, error: ToolError) -> None:
        with suppress(Exception):
            sink.emit(
                {
                    "timestamp": _now(),
                    "caller": caller.id,
                    "transport": caller.transport,
                    "tool": "[UNKNOWN]",
                    "status": "tool_error",
                    "outcome": "refused",
                    "result_code": error.code,
                }
            )

    return record


def _ending_of(reply: Reply) -> tuple[str, str | None]:
    return ("failed", (reply.structured or {}).get("code")) if reply.is_error else ("success", None)


def _given_up(call: Call) -> tuple[str, str]:
    """Tell a call that was given up by its caller from one that did not keep to its deadline."""
    is_late = asyncio.get_running_loop().time() >= call.deadline
    unknown = call.facts.get("reached") and not call.tool.idempotent
    return ("unknown" if unknown else "failed", InternalError.code if is_late else CancelledError.code)


def _outcome(call: Call, error: ToolError) -> str:
    if error.outcome is not None:
        return error.outcome
    return "failed" if call.facts.get("reached") else "refused"


def _record(call: Call, outcome: str, code: str | None, seconds: float) -> Record:
    record = {
        "timestamp": _now(),
        "request_id": call.id,
        "caller": call.caller.id,
        "transport": call.caller.transport,
        "tool": call.tool.name,
        "category": call.tool.category,
        "idempotent": call.tool.idempotent,
        "args_redacted": redacted(call.tool, call.facts.get("checked", call.arguments)),
        "status": STATUSES.get(outcome, "tool_error"),
        "outcome": outcome,
        "result_code": code,
        "approval": call.facts.get("approval"),
        "consent": call.facts.get("consent"),
        "duration_ms": round(seconds * 1000, 3),
        "trace_id": trace_id(),
    }
    return {name: value for name, value in record.items() if value is not None}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _emit(sink: AuditSink, call: Call, outcome: str, code: str | None, seconds: float) -> None:
    try:
        sink.emit(_record(call, outcome, code, seconds))
    except Exception as error:  # noqa: BLE001 - a completed write must not fail because it could not be recorded
        _log.warning("audit sink failed", error=type(error).__name__)
