"""One whole call, from a name and arguments to a reply: failures are replies, and reveal nothing."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import orjson
import pytest
from tests.engine.small_server import CALLER, OVERDUE, Desk, body, calls_of, events, tool_of, worded

from accord.engine import (
    BulkheadFullError,
    Call,
    Caller,
    Calls,
    CircuitOpenError,
    Credential,
    Effect,
    InternalError,
    Next,
    Reply,
    ServerError,
    ToolError,
    ValidationError,
    catalogue,
)

CANARY = "canary-7d793037a076"


class Key(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = "^key-[a-z]+$"


async def note(desk: Desk, text: str = "nothing") -> dict[str, Any]:
    """Note a text."""
    desk.done.append(text)
    return {"text": text}


async def break_down(desk: Desk) -> None:
    """Have a bug."""
    raise RuntimeError(CANARY)


async def give_up(desk: Desk) -> None:
    """Fail with a row."""
    raise ValidationError(issues=[{"path": "x", "message": "is wrong", "code": "custom"}])


async def wait(desk: Desk) -> None:
    """Wait for ever."""
    desk.waiting.set()
    await asyncio.get_running_loop().create_future()


TOOLS = [tool_of(function) for function in (note, break_down, give_up, wait)]


async def reply_to(name: str, arguments: dict[str, Any] | None = None, desk: Desk | None = None) -> Reply:
    reply = await calls_of(TOOLS, desk=desk).enter(CALLER, name, arguments)
    assert isinstance(reply, Reply)
    return reply


@pytest.mark.parametrize("arguments", [None, {}])
async def test_no_arguments_are_empty_ones(arguments: dict[str, Any] | None) -> None:
    assert body(await reply_to("note", arguments)) == {"text": "nothing"}


async def test_a_hosts_bookkeeping_is_dropped() -> None:
    assert body(await reply_to("note", {"_meta": {"progressToken": 1}, "text": "hi"})) == {"text": "hi"}


async def test_reserved_keys_reach_the_gates_and_not_the_tool() -> None:
    seen: list[Call] = []

    async def look(call: Call, following: Next) -> Reply:
        seen.append(call)
        return await following(call)

    await calls_of(TOOLS, look).enter(CALLER, "note", {"text": "hi", "__confirm": True, "__other": 1})

    assert seen[0].arguments == {"text": "hi"}
    assert seen[0].reserved == {"__confirm": True, "__other": 1}


async def test_the_callers_arguments_are_not_changed() -> None:
    given = {"text": "hi", "__confirm": True, "_meta": {}}

    await calls_of(TOOLS).enter(CALLER, "note", given)

    assert given == {"text": "hi", "__confirm": True, "_meta": {}}


async def test_an_unknown_tool_is_told_its_nearest_names() -> None:
    told = body(await reply_to("notes"))

    assert (told["code"], told["retriable"], told["category"]) == ("TOOL_NOT_AVAILABLE", False, "client")
    assert told["nearest"][0] == "note"
    assert "`note`" in told["recovery_hint"]


async def test_an_unknown_tool_without_near_names_is_sent_to_the_list() -> None:
    told = body(await reply_to("zzz"))

    assert "nearest" not in told
    assert "tools/list" in told["recovery_hint"]


async def test_a_tool_name_of_a_megabyte_is_not_repeated() -> None:
    reply = await reply_to("n" * 1_000_000)

    assert len(body(reply)["tool"]) == 64


async def test_a_row_is_worded_by_the_voice() -> None:
    reply = await reply_to("give_up")

    assert reply.is_error
    assert reply.text == "give_up: The arguments are not valid."
    assert body(reply)["issues"] == [{"path": "x", "message": "is wrong", "code": "custom"}]


@pytest.mark.parametrize("field", ["code", "retriable", "category", "recovery_hint"])
async def test_a_failure_always_has_four_fields(field: str) -> None:
    for name in ("nobody", "give_up", "break_down"):
        assert field in body(await reply_to(name))


async def test_a_bug_is_an_internal_error_that_leaks_nothing_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reply = await reply_to("break_down")

    assert body(reply)["code"] == "INTERNAL_ERROR"
    assert CANARY not in str(reply)
    (line,) = events(caplog)
    assert (line["tool"], line["level"]) == ("break_down", "error")
    assert line["exception"].count(CANARY) == 1


async def test_a_gates_bug_is_an_internal_error_too() -> None:
    async def broken(call: Call, following: Next) -> Reply:
        raise LookupError(CANARY)

    reply = await calls_of(TOOLS, broken).enter(CALLER, "note", {})

    assert body(reply)["code"] == "INTERNAL_ERROR"
    assert CANARY not in str(reply)


async def test_every_call_has_an_id_and_a_deadline_of_its_own() -> None:
    calls: list[Call] = []

    async def look(call: Call, following: Next) -> Reply:
        calls.append(call)
        return await following(call)

    desk = Desk()
    entry = calls_of(TOOLS, look, desk=desk, seconds=10)
    before = asyncio.get_running_loop().time()
    await entry.enter(CALLER, "note", {})
    await entry.enter(CALLER, "note", {})

    assert calls[0].id != calls[1].id
    assert before + 10 <= calls[0].deadline <= calls[1].deadline
    assert desk.deadlines == [call.deadline for call in calls]


async def test_the_client_is_made_for_the_caller_of_each_call() -> None:
    callers: list[str] = []

    class PerCaller(Desk):
        def until(self, _caller: Caller, deadline: float) -> Desk:
            callers.append(_caller.id)
            return self

    entry = calls_of(TOOLS, desk=PerCaller())
    for name in ("one", "two"):
        await entry.enter(Caller(id=name, transport="memory"), "note", {})

    assert callers == ["one", "two"]


async def test_a_cancelled_call_is_no_reply() -> None:
    desk = Desk()
    call = asyncio.ensure_future(calls_of(TOOLS, desk=desk).enter(CALLER, "wait", {}))
    await desk.waiting.wait()

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call


async def test_many_calls_at_once_do_not_mix() -> None:
    entry = calls_of(TOOLS)

    replies = await asyncio.gather(*(entry.enter(CALLER, "note", {"text": str(n)}) for n in range(50)))

    assert [body(reply)["text"] for reply in replies] == [str(n) for n in range(50)]


async def test_a_row_of_its_own_is_raised_by_a_tools_own_gate() -> None:
    class ClosedError(ToolError, code="CLOSED"):
        """`{tool}` is closed."""

        tool: str

    async def closed(call: Call, following: Next) -> Reply:
        raise ClosedError(tool=call.tool.name)

    desk = Desk()
    tool = tool_of(note, Effect.READ, gates=(closed,))
    reply = await calls_of([tool], desk=desk).enter(CALLER, "note", {})

    assert body(reply)["code"] == "CLOSED"
    assert desk.done == []


TIMED_OUT = [
    (Effect.READ, True, None),
    (Effect.UPDATE, True, None),
    (Effect.DELETE, True, None),
    (Effect.CREATE, False, "unknown"),
]


@pytest.mark.parametrize(("effect", "retriable", "outcome"), TIMED_OUT)
async def test_a_tool_that_passes_the_deadline_is_given_up(
    effect: Effect, retriable: bool, outcome: str | None
) -> None:
    reply = await calls_of([tool_of(wait, effect)], seconds=OVERDUE).enter(CALLER, "wait", {})

    told = body(reply)
    assert (told["code"], told["reason"]) == ("INTERNAL_ERROR", "timeout")
    assert (told["retriable"], told.get("outcome")) == (retriable, outcome)
    assert ("first read its target" in told["recovery_hint"]) == (outcome is not None)


@pytest.mark.parametrize(("effect", "retriable", "outcome"), TIMED_OUT)
async def test_a_bug_may_come_after_the_write(effect: Effect, retriable: bool, outcome: str | None) -> None:
    reply = await calls_of([tool_of(break_down, effect)]).enter(CALLER, "break_down", {})

    told = body(reply)
    assert (told["code"], told["retriable"], told.get("outcome")) == ("INTERNAL_ERROR", retriable, outcome)
    assert ("first read its target" in told["recovery_hint"]) == (outcome is not None)


RECOGNISED: list[tuple[ToolError, bool]] = [
    (ServerError(), True),
    (InternalError(reason="timeout"), True),
    (CircuitOpenError(), False),
    (BulkheadFullError(), False),
    (ValidationError(issues=[]), False),
]


@pytest.mark.parametrize(("row", "open_"), RECOGNISED, ids=lambda value: getattr(value, "code", str(value)))
async def test_what_a_library_raised_in_a_write_leaves_its_outcome_open_unless_it_was_refused(
    row: ToolError, open_: bool
) -> None:
    tools = catalogue([[tool_of(break_down, Effect.CREATE)]])
    entry = Calls(tools, (), Desk().until, worded, recognise=lambda _: row)

    told = body(await entry.enter(CALLER, "break_down", {}))

    assert told["code"] == row.code
    assert told.get("outcome") == ("unknown" if open_ else None)
    assert told["retriable"] == (row.retriable and not open_)


async def test_the_log_of_a_bug_holds_no_credential_of_the_call(caplog: pytest.LogCaptureFixture) -> None:
    async def open_up(desk: Desk, key: Key, keys: list[Key]) -> None:
        """Put keys where they do not belong."""
        raise LookupError(f"{key.reveal()} {keys}")

    arguments = {"key": "key-geheim", "keys": ["key-verborgen"]}
    await calls_of([tool_of(open_up)]).enter(CALLER, "open_up", arguments)

    (line,) = events(caplog)
    assert "LookupError: [SECRET] ['[SECRET]']" in line["exception"]
    assert "geheim" not in str(line)
    assert "verborgen" not in str(line)


async def test_a_tool_that_is_not_there_leaves_a_log_line_without_what_was_called(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", "accord")

    await calls_of(TOOLS).enter(CALLER, CANARY, {})

    (line,) = events(caplog)
    assert (line["event"], line["code"]) == ("no such tool", "TOOL_NOT_AVAILABLE")
    assert CANARY not in str(line)


async def test_a_name_that_cannot_be_sent_back_is_told_as_far_as_it_can() -> None:
    told = body(await calls_of(TOOLS).enter(CALLER, "no\ud800te" * 20, {}))

    assert told["code"] == "TOOL_NOT_AVAILABLE"
    assert orjson.loads(orjson.dumps(told))["tool"].startswith("no?te")


async def test_a_write_that_was_never_reached_has_no_unknown_outcome() -> None:
    async def never(call: Call, following: Next) -> Reply:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    reply = await calls_of([tool_of(note, Effect.CREATE)], never, seconds=OVERDUE).enter(CALLER, "note", {})

    assert body(reply)["retriable"] is True


async def test_a_tools_own_time_out_is_not_the_calls() -> None:
    async def impatient(desk: Desk) -> None:
        """Give up on something of one's own."""
        raise TimeoutError

    reply = await calls_of([tool_of(impatient)]).enter(CALLER, "impatient", {})

    assert "reason" not in body(reply)


async def test_an_exception_that_is_recognised_becomes_its_row(caplog: pytest.LogCaptureFixture) -> None:
    def recognise(error: Exception) -> ToolError | None:
        return ValidationError(issues=[]) if isinstance(error, LookupError) else None

    async def look_up(desk: Desk) -> None:
        """Raise what a library would."""
        raise KeyError(CANARY)

    tools = catalogue([[tool_of(look_up)], [tool_of(break_down)]])
    entry = Calls(tools, (), Desk().until, worded, recognise=recognise)

    assert body(await entry.enter(CALLER, "look_up", {}))["code"] == "VALIDATION_FAILED"
    assert events(caplog) == []
    assert body(await entry.enter(CALLER, "break_down", {}))["code"] == "INTERNAL_ERROR"
