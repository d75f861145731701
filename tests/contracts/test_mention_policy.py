"""Every write that carries text for people says whom it may ping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.asked import bodies
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.app import own_tools

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

SPEAKING = [name for name, tool in own_tools().items() if tool.effect.writes and "content" in tool.shape.slots]


def test_the_tools_that_speak_are_known() -> None:
    assert {"messages_send", "messages_edit"} <= set(SPEAKING)


@pytest.mark.parametrize("tool", SPEAKING)
async def test_a_text_goes_out_with_nobody_to_ping(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        await served.call(tool, example(sandbox, tool) | {"content": "@everyone"})

    assert [body["allowed_mentions"] for body in bodies(sandbox)] == [{"parse": [], "replied_user": False}]


@pytest.mark.parametrize("tool", SPEAKING)
def test_whom_to_ping_is_the_callers_to_open(tool: str) -> None:
    assert "allowed_mentions" in own_tools()[tool].shape.published["properties"]
