"""Usual calls of polls."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_polls import add_poll

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED"]

NOWHERE = {"channel_id": MISSING, "message_id": MISSING}


def _poll(sandbox: Sandbox) -> Arguments:
    """A poll of this call's own, with a vote for each of its first two answers."""
    made = add_poll(sandbox.world, demo.GENERAL, (demo.LENA, demo.OMAR))
    return {"channel_id": demo.GENERAL, "message_id": made.id}


EXAMPLES: Examples = {
    "polls_get_voters": lambda sandbox: {**_poll(sandbox), "answer_id": 1},
    "polls_end": lambda sandbox: {**_poll(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "polls_get_voters": not_found({**NOWHERE, "answer_id": 1}),
    "polls_end": not_found({**NOWHERE, "__confirm": True}),
}

DEPARTURES = {
    "polls_end.audit_reason": "Discord's documentation lists no reason here, and the audit log shows none",
}
