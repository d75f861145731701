"""A small server for the tests of the engine: the tools that a test brings, a plain voice and one caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from accord.engine import (
    Caller,
    Calls,
    Effect,
    Gate,
    Reply,
    Resource,
    State,
    Subscriptions,
    Tool,
    ToolError,
    Toolset,
    catalogue,
    listing,
    open_state,
    serve,
    validate,
)
from accord.engine.calls.enter import GRACE_SECONDS

if TYPE_CHECKING:
    import pytest
    from mcp.server.lowlevel import Server

__all__ = ["CALLER", "OVERDUE", "Desk", "Function", "body", "calls_of", "events", "server_of", "tool_of", "worded"]

Function: TypeAlias = Callable[..., Awaitable[Any]]

CALLER = Caller(id="tester", transport="memory")

OVERDUE = -GRACE_SECONDS
"""The time for a call that has passed its deadline, and its grace, before it began."""


@dataclass
class Desk:
    """What tools work with here: it remembers what was done, until when, and whether a tool waits."""

    done: list[Any] = field(default_factory=list)
    deadlines: list[float] = field(default_factory=list)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)

    def until(self, _caller: Caller, deadline: float) -> Desk:
        """Serve one call."""
        self.deadlines.append(deadline)
        return self


def worded(error: ToolError, tool: str) -> Reply:
    """Word an error as an envelope of its four fields and its facts."""
    envelope = {
        "code": error.code,
        "retriable": error.retriable,
        "category": error.category,
        "recovery_hint": error.next_step,
    }
    return Reply(structured={**envelope, **error.facts}, text=f"{tool}: {error.message}", is_error=True)


def tool_of(function: Function, effect: Effect = Effect.READ, **options: Any) -> Tool:
    """Make a tool of one function."""
    toolset = Toolset("tests")
    toolset.tool(effect, **options)(function)
    return toolset.tools[0]


def calls_of(tools: Iterable[Tool], *gates: Gate, desk: Desk | None = None, seconds: float = 45.0) -> Calls:
    """Put tools behind gates; behind validation alone where none are named."""
    return Calls(catalogue([tools]), gates or (validate,), (desk or Desk()).until, worded, seconds=seconds)


def server_of(
    calls: Calls,
    *,
    state: State | None = None,
    caller: Caller = CALLER,
    resources: Iterable[Resource] = (),
    subscriptions: Subscriptions | None = None,
) -> Server[Any]:
    """Put calls behind the protocol."""
    return serve(
        "small",
        "1.0.0",
        calls,
        listing(calls.tools.values(), {}),
        state or open_state(None),
        local=caller,
        resources=resources,
        subscriptions=subscriptions,
    )


def events(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """Return what the engine logged, each line as its facts."""
    return [record.msg for record in caplog.records if isinstance(record.msg, dict)]


def body(reply: object) -> dict[str, Any]:
    """Return the structured part of a reply that must have one."""
    assert isinstance(reply, Reply)
    assert reply.structured is not None
    return dict(reply.structured)
