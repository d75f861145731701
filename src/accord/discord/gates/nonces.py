"""A message's own nonce, with which a call may be made again."""

from __future__ import annotations

from accord.engine import Call, Next, Reply, ToolError

__all__ = ["own_nonce"]


async def own_nonce(call: Call, following: Next) -> Reply:
    """Let a call be repeated that brought its own nonce: Discord takes that one only once, for some minutes.

    Raises:
        ToolError: What came, and where the outcome is unknown that the same call may be made again.
    """
    try:
        return await following(call)
    except ToolError as error:
        nonce = call.arguments.get("nonce")
        if error.outcome is None or nonce is None:
            raise
        hint = "Repeat the same call with the same `nonce` within a few minutes: Discord then sends it only once."
        raise error.left_open(hint, nonce=nonce, retriable=True) from error
