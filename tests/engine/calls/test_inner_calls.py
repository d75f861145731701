"""A tool that calls a tool: every inner call is a whole call."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.small_server import CALLER, Desk, body, calls_of, events, tool_of

from accord.engine import Call, Context, Effect, InputRequired, Next, Question, Reply, ToolError, confirm, validate


async def note(desk: Desk, text: str) -> dict[str, Any]:
    """Note a text."""
    desk.done.append(text)
    return {"text": text}


async def delete(desk: Desk, what: str) -> dict[str, Any]:
    """Delete something."""
    desk.done.append(f"deleted {what}")
    return {"what": what}


async def break_down(desk: Desk) -> None:
    """Have a bug."""
    raise RuntimeError("canary-1b645389")


async def invoking(desk: Desk, context: Context, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """Call a tool and return what it returned."""
    return {"got": await context.invoke(name, arguments)}


async def replying(desk: Desk, context: Context, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """Call a tool and return how it went."""
    reply = await context.reply(name, arguments)
    return {"error": reply.is_error, "text": reply.text, **body(reply)}


class WaitingBackchannel:
    """A client that has to be asked first."""

    samples = False

    async def ask(self, call: Call, question: object) -> Any:
        raise InputRequired({call.tool.name: {}}, "sealed")

    async def sample(self, call: Call, key: str, request: object) -> None:
        """Have no model."""

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell nobody."""

    def when_answered(self, hear: object) -> bool:
        """Say that nobody can tell."""
        return False


async def asking(desk: Desk, context: Context) -> None:
    """Ask first."""
    await context.ask(QUESTION)
    desk.done.append("asked")


QUESTION = Question(key="sure", message="Sure?", schema={"type": "object", "properties": {}})

TOOLS = [
    *(tool_of(function) for function in (note, break_down, invoking, replying, asking)),
    tool_of(delete, Effect.DELETE),
]


async def answer(outer: str, name: str, arguments: dict[str, Any] | None = None) -> tuple[dict[str, Any], list[str]]:
    """Call a tool through another; return the outer body and what was done."""
    desk = Desk()
    entry = calls_of(TOOLS, validate, confirm(armed=False), desk=desk)
    reply = await entry.enter(CALLER, outer, {"name": name, "arguments": arguments})
    return body(reply), desk.done


async def test_invoke_returns_the_structured_result() -> None:
    assert await answer("invoking", "note", {"text": "hi"}) == ({"got": {"text": "hi"}}, ["hi"])


async def test_reply_returns_the_whole_reply() -> None:
    told, _ = await answer("replying", "note", {"text": "hi"})

    assert (told["error"], told["text"]) == (False, "hi")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("note", {"text": 5}, "VALIDATION_FAILED"),
        ("notes", {}, "TOOL_NOT_AVAILABLE"),
        ("break_down", {}, "INTERNAL_ERROR"),
        ("delete", {"what": "all"}, "DRY_RUN_PREVIEW"),
    ],
)
async def test_an_inner_failure_is_a_reply_to_reply_and_raised_to_invoke(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    replied, nothing = await answer("replying", name, arguments)
    invoked, nothing_either = await answer("invoking", name, arguments)

    assert (replied["error"], replied["code"], nothing) == (True, code, [])
    assert (invoked["code"], nothing_either) == (code, [])


async def test_an_outer_confirmation_does_not_confirm_an_inner_call() -> None:
    desk = Desk()
    entry = calls_of(TOOLS, validate, confirm(armed=False), desk=desk)

    reply = await entry.enter(CALLER, "invoking", {"name": "delete", "arguments": {"what": "all"}, "__confirm": True})

    assert (body(reply)["code"], desk.done) == ("DRY_RUN_PREVIEW", [])


async def test_an_inner_call_is_confirmed_by_its_own_arguments() -> None:
    told, done = await answer("invoking", "delete", {"what": "one", "__confirm": True})

    assert (told, done) == ({"got": {"what": "one"}}, ["deleted one"])


@pytest.mark.parametrize("outer", ["invoking", "replying"])
async def test_an_inner_bug_is_logged_once_and_leaks_nothing(outer: str, caplog: pytest.LogCaptureFixture) -> None:
    told, _ = await answer(outer, "break_down")

    assert len(events(caplog)) == 1
    assert "canary" not in str(told)


async def test_an_inner_call_has_its_parents_id_deadline_caller_client_and_backchannel() -> None:
    seen: list[Call] = []

    async def look(call: Call, following: Next) -> Reply:
        seen.append(call)
        return await following(call)

    desk = Desk()
    entry = calls_of(TOOLS, look, validate, desk=desk)
    await entry.enter(CALLER, "invoking", {"name": "note", "arguments": {"text": "hi"}})

    outer, inner = seen
    for fact in ("id", "deadline", "caller", "client", "backchannel", "door"):
        assert getattr(inner, fact) is getattr(outer, fact)
    assert inner.parent is not None
    assert inner.parent.tool.name == "invoking"
    assert len(desk.deadlines) == 1


async def test_an_inner_call_leaves_its_facts_to_itself() -> None:
    seen: list[Call] = []

    async def look(call: Call, following: Next) -> Reply:
        call.facts["tool"] = call.tool.name
        seen.append(call)
        return await following(call)

    await calls_of(TOOLS, look, validate).enter(CALLER, "invoking", {"name": "note", "arguments": {"text": "hi"}})

    assert [call.facts["tool"] for call in seen] == ["invoking", "note"]


@pytest.mark.parametrize("outer", ["invoking", "replying"])
async def test_what_an_inner_call_needs_first_the_whole_call_needs_first(outer: str) -> None:
    desk = Desk()

    needed = await calls_of(TOOLS, desk=desk).enter(CALLER, outer, {"name": "asking"}, backchannel=WaitingBackchannel())

    assert isinstance(needed, InputRequired)
    assert (needed.requests, needed.state, desk.done) == ({"asking": {}}, "sealed", [])


async def test_a_tool_that_calls_itself_ends_as_a_bug_and_not_as_a_crash() -> None:
    async def again(desk: Desk, context: Context) -> Any:
        """Call this very tool."""
        return await context.invoke("again")

    reply = await calls_of([tool_of(again)]).enter(CALLER, "again", {})

    assert body(reply)["code"] == "INTERNAL_ERROR"


async def test_a_tool_may_go_on_after_an_inner_failure() -> None:
    async def tries(desk: Desk, context: Context) -> dict[str, Any]:
        """Try twice."""
        try:
            await context.invoke("notes")
        except ToolError as error:
            return {"first": error.code, "second": await context.invoke("note", {"text": "hi"})}
        return {}

    reply = await calls_of([*TOOLS, tool_of(tries)]).enter(CALLER, "tries", {})

    assert body(reply) == {"first": "TOOL_NOT_AVAILABLE", "second": {"text": "hi"}}
