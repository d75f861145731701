"""The engine's gates. Each is `(call, following) -> Reply`; a server lists those it wants, outermost first."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from logging import DEBUG, getLogger
from time import perf_counter

from accord.engine.errors import CancelledError, ScopeRejectedError, ToolError, WritePreview
from accord.engine.logs import logger
from accord.engine.nouns import Call, Gate, Next, Reply

__all__ = ["limit_categories", "preview_writes", "trace", "validate"]

_log = logger("accord.calls")
_is_debugged = getLogger("accord.calls").isEnabledFor  # each call asks


async def trace(call: Call, following: Next) -> Reply:
    """Time the call and log how it went, without a word of its content."""
    start = perf_counter()
    code = None
    try:
        reply = await following(call)
        code = _code(reply)
    except ToolError as error:
        code = error.code
        raise
    except asyncio.CancelledError:
        code = CancelledError.code
        raise
    else:
        return reply
    finally:
        ms = (perf_counter() - start) * 1000
        if _is_debugged(DEBUG):
            _log.debug("call", tool=call.tool.name, id=call.id, ms=round(ms, 2), code=code)


def _code(reply: Reply) -> str | None:
    return (reply.structured or {}).get("code") if reply.is_error else None


async def validate(call: Call, following: Next) -> Reply:
    """Replace the caller's arguments by checked ones, and leave them with the call's facts for its record.

    Raises:
        ValidationError: They are not valid.
    """
    checked = call.tool.shape.check(call.arguments, call.reserved)
    call.facts["checked"] = checked
    return await following(replace(call, arguments=checked))


def limit_categories(allowed: Collection[str] | None, *, always: Collection[str] = ("meta",)) -> Gate:
    """Let through only tools of the allowed categories; None allows all."""
    granted = sorted(allowed) if allowed is not None else []

    async def categories(call: Call, following: Next) -> Reply:
        """Refuse a tool whose category is not enabled."""
        category = call.tool.category
        if allowed is not None and category not in allowed and category not in always:
            raise ScopeRejectedError(tool=call.tool.name, required=category, granted=granted)
        return await following(call)

    return categories


def preview_writes(*, active: bool) -> Gate:
    """While active, answer every write with its preview."""

    async def write_mode(call: Call, following: Next) -> Reply:
        """Refuse a write where writes are only previewed."""
        if active and call.tool.effect.writes:
            raise WritePreview(tool=call.tool.name, preview=call.preview())
        return await following(call)

    return write_mode
