"""The audit gate: one record for every call that is not a read, with who, what, and how it ended."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Protocol, TextIO, TypeAlias

import orjson

from accord.engine.calls.redaction import redacted
from accord.engine.errors import CancelledError, InternalError, ToolError
from accord.engine.logs import logger
from accord.engine.nouns import Call, Gate, InputRequired, Next, Reply
from accord.engine.telemetry import trace_id

__all__ = ["AuditSink", "NoAudit", "Record", "StderrAudit", "audit"]

Record: TypeAlias = dict[str, Any]

_log = logger("accord.audit")


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


def audit(sink: AuditSink) -> Gate:
    """Record every write, with its outcome as its caller saw it."""

    async def audited(call: Call, following: Next) -> Reply:
        """Run the call and emit its record, however it ends."""
        if not call.tool.effect.writes:
            return await following(call)
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
            if ending is not None:
                _emit(sink, call, *ending, perf_counter() - start)

    return audited


def _ending_of(reply: Reply) -> tuple[str, str | None]:
    return ("failed", (reply.structured or {}).get("code")) if reply.is_error else ("success", None)


def _given_up(call: Call) -> tuple[str, str]:
    """Tell a call that was given up by its caller from one that did not keep to its deadline."""
    is_late = asyncio.get_running_loop().time() >= call.deadline
    unknown = call.facts.get("reached") and not call.tool.idempotent
    return ("unknown" if unknown else "failed", InternalError.code if is_late else CancelledError.code)


def _outcome(call: Call, error: ToolError) -> str:
    if error.outcome == "unknown":
        return "unknown"
    return "failed" if call.facts.get("reached") else "refused"


def _record(call: Call, outcome: str, code: str | None, seconds: float) -> Record:
    record = {
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "request_id": call.id,
        "caller": call.caller.id,
        "transport": call.caller.transport,
        "tool": call.tool.name,
        "category": call.tool.category,
        "idempotent": call.tool.idempotent,
        "args_redacted": redacted(call.tool, call.facts.get("checked", call.arguments)),
        "status": "success" if outcome == "success" else "tool_error",
        "outcome": outcome,
        "result_code": code,
        "duration_ms": round(seconds * 1000, 3),
        "trace_id": trace_id(),
    }
    return {name: value for name, value in record.items() if value is not None}


def _emit(sink: AuditSink, call: Call, outcome: str, code: str | None, seconds: float) -> None:
    try:
        sink.emit(_record(call, outcome, code, seconds))
    except Exception as error:  # noqa: BLE001 - a completed write must not fail because it could not be recorded
        _log.warning("audit sink failed", error=type(error).__name__)
