"""The audit gate: one record for each write, with who, what and how it ended, and nothing that is private."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from typing import Any

import orjson
import pytest
from tests.engine.small_server import CALLER, OVERDUE, Desk, Function, body, calls_of, events, tool_of, worded

from accord.engine import (
    Call,
    Calls,
    ClientError,
    Context,
    Effect,
    InputRequired,
    Next,
    NoAudit,
    Record,
    Reply,
    ServerError,
    Shape,
    Slot,
    StderrAudit,
    audit,
    catalogue,
    confirm,
    preview_writes,
    validate,
)


class Kept:
    """A sink that keeps its records."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def emit(self, record: Record) -> None:
        self.records.append(record)

    async def close(self) -> None:
        """Have nothing to release."""


class Full(Kept):
    """A sink that has no room."""

    def emit(self, record: Record) -> None:
        raise OSError("canary-53234b56: no space left on device")


class RefusedUpstreamError(ClientError, code="REFUSED_UPSTREAM"):
    """The service said no."""


class LostError(ServerError, code="LOST"):
    """The answer was lost."""


async def write(desk: Desk, text: str = "") -> dict[str, Any]:
    """Write something."""
    return {"text": text}


async def be_refused(desk: Desk) -> None:
    """Be refused by the service."""
    raise RefusedUpstreamError


async def be_lost(desk: Desk) -> None:
    """Lose the answer."""
    raise LostError(outcome="unknown", retriable=False)


async def be_cut_short(desk: Desk) -> None:
    """Do a part, and be refused the rest."""
    raise RefusedUpstreamError().left_partial("do the rest", ["1"])


async def break_down(desk: Desk) -> None:
    """Have a bug."""
    raise RuntimeError("canary-0cc175b9")


async def answer_an_error(desk: Desk) -> Reply:
    """Answer an error without raising one."""
    return Reply(structured={"code": "OWN"}, text="no", is_error=True)


async def need_input(desk: Desk) -> None:
    """Need something first."""
    raise InputRequired({}, "sealed")


async def wait(desk: Desk) -> None:
    """Wait for ever."""
    desk.waiting.set()
    await asyncio.get_running_loop().create_future()


async def recorded(function: Function, effect: Effect = Effect.CREATE, **arguments: object) -> list[Record]:
    """Return the records of one call behind audit, validation, write mode and confirmation."""
    sink = Kept()
    tool = tool_of(function, effect)
    gates = (audit(sink), validate, confirm(armed=True))
    await calls_of([tool], *gates).enter(CALLER, tool.name, arguments)
    return sink.records


ENDINGS: list[tuple[Function, Effect, dict[str, object], str, str | None]] = [
    (write, Effect.CREATE, {}, "success", None),
    (write, Effect.UPDATE, {}, "success", None),
    (write, Effect.CREATE, {"text": 5}, "refused", "VALIDATION_FAILED"),
    (write, Effect.DELETE, {}, "refused", "DRY_RUN_PREVIEW"),
    (be_refused, Effect.CREATE, {}, "failed", "REFUSED_UPSTREAM"),
    (be_lost, Effect.CREATE, {}, "unknown", "LOST"),
    (be_cut_short, Effect.CREATE, {}, "partial", "REFUSED_UPSTREAM"),
    (break_down, Effect.CREATE, {}, "unknown", "INTERNAL_ERROR"),
    (break_down, Effect.UPDATE, {}, "failed", "INTERNAL_ERROR"),
    (answer_an_error, Effect.CREATE, {}, "failed", "OWN"),
]


@pytest.mark.parametrize(("function", "effect", "arguments", "outcome", "code"), ENDINGS)
async def test_a_write_leaves_one_record_of_how_it_ended(
    function: Function, effect: Effect, arguments: dict[str, object], outcome: str, code: str | None
) -> None:
    (record,) = await recorded(function, effect, **arguments)

    assert (record["outcome"], record.get("result_code")) == (outcome, code)
    assert record["status"] == ("success" if outcome == "success" else "tool_error")


async def test_a_round_that_asks_for_input_leaves_none_for_the_call_comes_again() -> None:
    assert await recorded(need_input, Effect.CREATE) == []


async def test_a_read_leaves_none() -> None:
    assert await recorded(write, Effect.READ) == []


async def test_a_record_says_who_what_and_when() -> None:
    (record,) = await recorded(write, text="private words")

    assert record["caller"] == "tester"
    assert record["transport"] == "memory"
    assert (record["tool"], record["category"], record["idempotent"]) == ("write", "tests", False)
    assert record["timestamp"].endswith("Z")
    assert record["duration_ms"] >= 0
    assert len(record["request_id"]) == 32
    assert record["args_redacted"] == {"text": "[REDACTED:13ch]"}


async def test_a_bug_is_recorded_without_its_message() -> None:
    assert "canary" not in str(await recorded(break_down))


@pytest.mark.parametrize(("effect", "outcome"), [(Effect.CREATE, "unknown"), (Effect.UPDATE, "failed")])
async def test_a_cancelled_write_is_recorded_as_one_that_may_have_been_done(effect: Effect, outcome: str) -> None:
    sink, desk = Kept(), Desk()
    calls = calls_of([tool_of(wait, effect)], audit(sink), desk=desk)
    call = asyncio.ensure_future(calls.enter(CALLER, "wait", {}))
    await desk.waiting.wait()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    (record,) = sink.records
    assert (record["outcome"], record["result_code"]) == (outcome, "CANCELLED")


async def test_a_write_that_was_cancelled_before_it_was_reached_was_not_done() -> None:
    waiting = asyncio.Event()

    async def hold(call: Call, following: Next) -> Reply:
        waiting.set()
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    sink = Kept()
    calls = calls_of([tool_of(write, Effect.CREATE)], audit(sink), hold)
    call = asyncio.ensure_future(calls.enter(CALLER, "write", {}))
    await waiting.wait()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert sink.records[0]["outcome"] == "failed"


async def test_a_record_has_the_code_that_the_caller_was_told_of_what_a_library_raised() -> None:
    sink = Kept()
    tools = catalogue([[tool_of(break_down, Effect.UPDATE)]])
    calls = Calls(tools, (audit(sink),), Desk().until, worded, recognise=lambda _: LostError())

    reply = await calls.enter(CALLER, "break_down", {})

    assert sink.records[0]["result_code"] == body(reply)["code"] == "LOST"


async def test_a_record_has_the_arguments_as_they_were_carried_out() -> None:
    async def place(desk: Desk, spot: int, times: int = 3) -> dict[str, Any]:
        """Place something."""
        return {"spot": spot}

    async def fill_in(call: Call, following: Next) -> Reply:
        return await following(replace(call, arguments={**call.arguments, "spot": "7"}))

    sink = Kept()
    await calls_of([tool_of(place, Effect.CREATE)], audit(sink), fill_in, validate).enter(CALLER, "place", {})

    assert sink.records[0]["args_redacted"] == {"spot": 7, "times": 3}


async def test_a_record_that_cannot_be_made_does_not_fail_the_call(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> dict[str, Slot]:
        raise LookupError

    tool = replace(tool_of(write, Effect.CREATE), shape=Shape(broken, lambda: None))

    reply = await calls_of([tool], audit(Kept())).enter(CALLER, "write", {})

    assert body(reply) == {"text": ""}
    assert [line["event"] for line in events(caplog)] == ["audit sink failed"]


async def test_a_sink_that_fails_does_not_fail_the_call(caplog: pytest.LogCaptureFixture) -> None:
    reply = await calls_of([tool_of(write, Effect.CREATE)], audit(Full())).enter(CALLER, "write", {"text": "hi"})

    assert body(reply) == {"text": "hi"}
    (line,) = events(caplog)
    assert (line["event"], line["error"]) == ("audit sink failed", "OSError")
    assert "canary" not in str(line)


async def test_a_sink_that_fails_does_not_hide_how_the_call_failed() -> None:
    reply = await calls_of([tool_of(be_refused, Effect.CREATE)], audit(Full())).enter(CALLER, "be_refused", {})

    assert body(reply)["code"] == "REFUSED_UPSTREAM"


async def test_a_gate_inside_that_refuses_is_recorded_as_a_refusal() -> None:
    sink = Kept()

    await calls_of([tool_of(write, Effect.CREATE)], audit(sink), preview_writes(active=True)).enter(CALLER, "write", {})

    assert sink.records[0]["outcome"] == "refused"


async def test_a_tools_own_gate_that_refuses_is_recorded_as_a_refusal() -> None:
    async def closed(call: Call, following: Next) -> Reply:
        raise RefusedUpstreamError

    sink = Kept()
    tool = tool_of(write, Effect.CREATE, gates=(closed,))
    await calls_of([tool], audit(sink)).enter(CALLER, "write", {})

    assert sink.records[0]["outcome"] == "refused"


async def test_an_inner_write_has_a_record_of_its_own_under_the_same_request() -> None:
    async def twice(desk: Desk, context: Context) -> dict[str, Any]:
        """Write twice."""
        return {"got": [await context.invoke("write", {"text": text}) for text in ("a", "b")]}

    sink = Kept()
    tools = [tool_of(write, Effect.CREATE), tool_of(twice, Effect.CREATE)]
    await calls_of(tools, audit(sink), validate).enter(CALLER, "twice", {})

    assert [record["tool"] for record in sink.records] == ["write", "write", "twice"]
    assert len({record["request_id"] for record in sink.records}) == 1


async def test_stderr_gets_a_json_line_a_record() -> None:
    stream = io.StringIO()
    sink = StderrAudit(stream)

    await calls_of([tool_of(write, Effect.CREATE)], audit(sink)).enter(CALLER, "write", {"text": "a\nb"})
    await sink.close()

    (line,) = stream.getvalue().splitlines()
    record = orjson.loads(line)
    assert (record["level"], record["tool"], record["outcome"]) == ("audit", "write", "success")


async def test_stderr_is_found_when_a_record_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    StderrAudit().emit({"tool": "write"})

    assert orjson.loads(capsys.readouterr().err) == {"level": "audit", "tool": "write"}


async def test_records_that_nobody_keeps_are_gone() -> None:
    sink = NoAudit()
    reply = await calls_of([tool_of(write, Effect.CREATE)], audit(sink)).enter(CALLER, "write", {})
    await sink.close()

    assert not body(reply)["text"]


@pytest.mark.parametrize(("effect", "outcome"), [(Effect.CREATE, "unknown"), (Effect.UPDATE, "failed")])
async def test_a_write_that_passed_its_deadline_is_recorded_as_its_caller_saw_it(effect: Effect, outcome: str) -> None:
    sink = Kept()

    reply = await calls_of([tool_of(wait, effect)], audit(sink), seconds=OVERDUE).enter(CALLER, "wait", {})

    (record,) = sink.records
    assert (record["outcome"], record["result_code"]) == (outcome, "INTERNAL_ERROR")
    assert body(reply).get("outcome", "failed") == outcome
