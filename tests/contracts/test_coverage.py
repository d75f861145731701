"""Every operation of Discord's API is a tool's, or stands with its reason in the table of what is left out."""

from __future__ import annotations

import pytest
from tests.discord.tools.usual_calls import MORE, TOOLS, example
from tests.judge import NO_FILE, Judge, JudgedExchanges
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.left_out import LEFT_OUT
from accord.discord.sandbox import Sandbox


async def test_every_operation_is_exercised_by_a_tool_or_left_out_for_a_reason(discords_file: Judge | None) -> None:
    judge = Judge.load()
    if judge is None:
        pytest.skip(NO_FILE)
    judged = JudgedExchanges(judge)

    failed = await _everything(judged)

    assert failed == {}
    missing = sorted(judge.operations - judge.seen - LEFT_OUT.keys())
    assert missing == [], missing
    assert sorted(judge.seen & LEFT_OUT.keys()) == []
    assert sorted(LEFT_OUT.keys() - judge.operations) == []
    judged.assert_clean()


async def _everything(judged: JudgedExchanges) -> dict[str, str]:
    """Call every tool in one sandbox, those that destroy last; return what came of those that failed."""
    tools = own_tools()
    failed = {}
    async with Sandbox.start(on_exchange=judged, limits=False) as sandbox, desk(sandbox) as served:
        sandbox.fail("*", "headers", times=None, set={"X-RateLimit-Limit": None})  # or the client would keep to it
        for name in sorted(TOOLS, key=lambda name: tools[name].effect.destroys):
            for arguments in (example(sandbox, name), *(make(sandbox) for make in MORE.get(name, ()))):
                reply = await served.call(name, arguments)
                if reply.failed:
                    failed[name] = reply.text
    return failed


def test_what_is_left_out_has_a_reason_in_words() -> None:
    assert [name for name, reason in LEFT_OUT.items() if len(reason.split()) < 4] == []
