"""One whole call, from a name and arguments to a reply. Serving comes in here, and so does a tool that calls a tool."""

from __future__ import annotations

import asyncio
import secrets
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from accord.engine.calls.chain import chain
from accord.engine.calls.redaction import hush, without_secrets
from accord.engine.errors import (
    BulkheadFullError,
    CircuitOpenError,
    InternalError,
    ServerError,
    ToolError,
    ToolNotAvailableError,
)
from accord.engine.logs import logger
from accord.engine.nouns import (
    Backchannel,
    Call,
    Caller,
    ClientFor,
    Gate,
    InputRequired,
    Next,
    NoBackchannel,
    Outcome,
    Reply,
    Tool,
    Voice,
)
from accord.engine.telemetry import trace_id
from accord.engine.tools.check import as_sent, nearest

__all__ = ["Calls"]

_log = logger("accord.calls")

Json: TypeAlias = Any
Arguments: TypeAlias = Mapping[str, Json] | None
Recognise: TypeAlias = Callable[[Exception], ToolError | None]
Refused: TypeAlias = Callable[[Caller, ToolError], None]

CALL_SECONDS = 45.0
"""How long a call may take: most hosts give up after 60 seconds, and a late answer is a lost one."""

GRACE_SECONDS = 1.0
"""What a tool has beyond the deadline to say itself that it was passed, and what became of a write."""

NEVER_SENT = (BulkheadFullError, CircuitOpenError)
"""Failures of a service that was not even asked."""

LOOK_FIRST = (
    "Do not repeat the call yet, it may have been carried out: first read its target, and repeat only what is missing."
)

SHOWN_NAME_CHARACTERS = 64
"""No tool's name is longer."""

HOST_KEYS = frozenset({"_meta"})
"""Bookkeeping that some hosts leave among the arguments."""


def _nothing(_: Exception) -> None:
    return None


def _nobody(_caller: Caller, _error: ToolError) -> None:
    return None


class Calls:
    """All tools of a server behind its gates.

    Args:
        tools: The tools by name.
        gates: The server's gates, outermost first; a tool's own gates come after them.
        client_for: Makes what tools work with, for one caller and deadline.
        voice: Words an error.
        recognise: Returns the row of an exception that is not ours, such as an HTTP library's; None for a bug.
        refused: Hears of calls that no gate sees, since there is no such tool; it may raise another row instead.
        seconds: How long a call may take.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        gates: Iterable[Gate],
        client_for: ClientFor,
        voice: Voice,
        *,
        recognise: Recognise = _nothing,
        refused: Refused = _nobody,
        seconds: float = CALL_SECONDS,
    ) -> None:
        self.tools = tools
        self._gates = tuple(gates)
        self._client_for = client_for
        self._voice = voice
        self._recognise = recognise
        self._refused = refused
        self._seconds = seconds
        self._steps: dict[str, Next] = {}

    async def enter(
        self,
        caller: Caller,
        name: str,
        arguments: Arguments,
        *,
        parent: Call | None = None,
        backchannel: Backchannel | None = None,
    ) -> Outcome:
        """Make the call and return its reply, or what the client must bring first. Failures are replies too."""
        try:
            return await self._walk(caller, name, arguments, parent, backchannel)
        except InputRequired as needed:
            if parent is not None:
                raise
            return needed
        except ToolError as error:
            return self._voice(error, name)
        except Exception as error:  # noqa: BLE001 - a bug must not end the connection; it is logged whole
            return self._voice(self._recognise(error) or self._bug(name), name)  # before any gate

    async def reply(self, parent: Call, name: str, arguments: Arguments) -> Reply:
        """Call another tool from a running call; a failure is a reply too."""
        reply = await self.enter(parent.caller, name, arguments, parent=parent, backchannel=parent.backchannel)
        assert isinstance(reply, Reply)  # noqa: S101 - with a parent, enter raises what is required
        return reply

    async def invoke(self, parent: Call, name: str, arguments: Arguments) -> Json:
        """Call another tool from a running call and return its structured result.

        Raises:
            ToolError: The row with which that call failed.
        """
        reply = await self._walk(parent.caller, name, arguments, parent, parent.backchannel)
        return reply.structured

    async def _walk(
        self, caller: Caller, name: str, arguments: Arguments, parent: Call | None, backchannel: Backchannel | None
    ) -> Reply:
        call = self._call(caller, self._known(caller, name), arguments, parent, backchannel)
        steps = self._steps_of(call.tool)
        try:
            return await (steps(call) if parent else self._in_time(call, steps))
        except ToolError as error:
            hush(error, call)
            raise
        except InputRequired:
            raise
        except Exception as error:
            raise self._recognise(error) or self._bug(call.tool.name, call) from error  # a gate's own

    async def _in_time(self, call: Call, steps: Next) -> Reply:
        """Walk the call, and give up on a tool that does not keep to the deadline itself."""
        try:
            async with asyncio.timeout_at(call.deadline + GRACE_SECONDS) as limit:
                return await steps(call)
        except TimeoutError:
            if not limit.expired():
                raise
            late = InternalError(reason="timeout", timeout_ms=round(self._seconds * 1000))
            raise (late.left_open(LOOK_FIRST) if _may_be_done(call) else late) from None

    def _call(
        self, caller: Caller, tool: Tool, arguments: Arguments, parent: Call | None, backchannel: Backchannel | None
    ) -> Call:
        given, reserved = _split(as_sent(arguments or {}) if parent else arguments or {})
        deadline = parent.deadline if parent else asyncio.get_running_loop().time() + self._seconds
        return Call(
            tool=tool,
            arguments=given,
            reserved=reserved,
            caller=caller,
            client=parent.client if parent else self._client_for(caller, deadline),
            door=self,
            id=parent.id if parent else secrets.token_hex(16),
            deadline=deadline,
            parent=parent,
            backchannel=backchannel or NoBackchannel(),
        )

    def _known(self, caller: Caller, name: str) -> Tool:
        try:
            return self._tool(name)
        except ToolNotAvailableError as error:
            self._refused(caller, error)
            raise

    def _tool(self, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is None:
            near = nearest(name, self.tools, most=3)
            hint = f"Did you mean `{near[0]}`? tools/list has all names." if near else None
            shown = name[:SHOWN_NAME_CHARACTERS].encode(errors="replace").decode()
            _log.debug("no such tool", nearest=near, code=ToolNotAvailableError.code)  # the name may be anything
            raise ToolNotAvailableError(tool=shown, nearest=near or None, recovery_hint=hint)
        return tool

    def _steps_of(self, tool: Tool) -> Next:
        steps = self._steps.get(tool.name)
        if steps is None:
            steps = self._steps[tool.name] = chain((*self._gates, *tool.gates), self._reach)
        return steps

    async def _reach(self, call: Call) -> Reply:
        """Run the tool, and leave word that no gate stopped the call.

        Raises:
            ToolError: Whatever the tool raised, as its row: gates see how the call ended as its caller does.
        """
        call.facts["reached"] = True
        try:
            return await call.tool.run(call)
        except InputRequired:
            raise
        except Exception as error:
            row = self._row_of(error, call)
            if row is error:
                raise
            raise row from error

    def _row_of(self, error: Exception, call: Call) -> ToolError:
        row = self._recognise(error)
        if isinstance(error, ToolError):
            return row or error
        row = row or self._bug(call.tool.name, call)
        # What is no row does not tell what was done before it, but for a plain no of the service.
        is_open = isinstance(row, ServerError) and not isinstance(row, NEVER_SENT) and _may_be_done(call)
        return row.left_open(LOOK_FIRST) if is_open else row

    def _bug(self, name: str, call: Call | None = None) -> InternalError:
        trace = trace_id()
        told = traceback.format_exc()
        told = told if call is None else without_secrets(told, call)
        _log.error("tool raised what is no ToolError", tool=name, trace_id=trace, exception=told)
        return InternalError(trace_id=trace)


def _may_be_done(call: Call) -> bool:
    """Whether it is a write that is not harmless twice, and no gate stopped it."""
    return "reached" in call.facts and call.tool.effect.writes and not call.tool.idempotent


def _split(arguments: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Part the caller's arguments from the reserved `__` keys, which gates read and no tool sees."""
    given: dict[str, Json] = {}
    reserved: dict[str, Json] = {}
    for name, value in arguments.items():
        if name.startswith("__"):
            reserved[name] = value
        elif name not in HOST_KEYS:
            given[name] = value
    return given, reserved
