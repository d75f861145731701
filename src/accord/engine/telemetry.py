"""The active trace, for records and answers that a person may want to find again."""

from __future__ import annotations

import sys

__all__ = ["trace_id"]


def trace_id() -> str | None:
    """Return the active trace's id as 32 hex digits, or None where nothing is traced."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None
