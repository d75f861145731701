"""A gate that asks a person, and what a client may answer: for the tests of asking in both eras."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from mcp import types
from mcp.client.session import ClientRequestContext
from tests.engine.small_server import Desk, tool_of

from accord.engine import Call, ClientError, Context, Effect, Next, Question, Reply

__all__ = ["ACCEPT", "ANSWERS", "TOOLS", "Answering", "NotConfirmedError", "answering", "sure"]

Answering: TypeAlias = Callable[
    [ClientRequestContext, types.ElicitRequestParams], Awaitable[types.ElicitResult | types.ErrorData]
]

ACCEPT = types.ElicitResult(action="accept", content={"confirm": True})

ANSWERS: dict[str, types.ElicitResult] = {
    "declines": types.ElicitResult(action="decline"),
    "cancels": types.ElicitResult(action="cancel"),
    "accepts with a no": types.ElicitResult(action="accept", content={"confirm": False}),
    "accepts with a word": types.ElicitResult(action="accept", content={"confirm": "true"}),
    "accepts with nothing": types.ElicitResult(action="accept"),
    "declines with a yes": types.ElicitResult(action="decline", content={"confirm": True}),
}
"""What is no yes."""


class NotConfirmedError(ClientError, code="NOT_CONFIRMED"):
    """Nobody said yes."""

    action: str


async def sure(call: Call, following: Next) -> Reply:
    """Let what destroys through only when the person accepts."""
    if not call.tool.effect.destroys:
        return await following(call)
    schema = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}
    answer = await call.ask(Question(key="sure", message=f"Run {call.tool.name}?", schema=schema))
    if answer.action != "accept" or answer.content.get("confirm") is not True:
        raise NotConfirmedError(action=answer.action)
    return await following(call)


def answering(result: types.ElicitResult | types.ErrorData) -> Answering:
    """Return a client's callback that always answers this."""

    async def answer(_: ClientRequestContext, __: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        return result

    return answer


async def delete(desk: Desk, what: str) -> dict[str, Any]:
    """Delete something."""
    desk.done.append(what)
    return {"deleted": what}


async def delete_both(desk: Desk, context: Context, one: str, two: str) -> dict[str, Any]:
    """Delete two things, one after the other."""
    replies = [await context.reply("delete", {"what": what}) for what in (one, two)]
    return {"deleted": [what for what, reply in zip((one, two), replies, strict=True) if not reply.is_error]}


TOOLS = [tool_of(delete, Effect.DELETE), tool_of(delete_both)]
