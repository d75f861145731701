"""Usual calls of interactions."""

from __future__ import annotations

from typing import Any, Final

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Message

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED", "answered", "fresh", "original"]

COMMAND = 2

INERT = "Discord reads it in multipart forms only, where the client writes it itself; `files` uploads"

DEPARTURES: Final[dict[str, str]] = {
    "interactions_create_followup.attachments": "without files it did nothing; `files` uploads and describes them",
    "interactions_create_followup.payload_json": INERT,
    "interactions_edit_followup.payload_json": INERT,
    "interactions_edit_original_response.payload_json": INERT,
}


def fresh(sandbox: Sandbox, kind: int = COMMAND, **more: Any) -> Arguments:
    """An interaction of this call's own that waits for its answer, with a token as long as Discord's; `more` are
    fields of it."""
    world = sandbox.world
    interaction_id = world.new_id()
    token = f"aW50ZXJhY3Rpb246{interaction_id}".ljust(236, "x")
    world.interactions[token] = {"id": interaction_id, "type": kind, "channel_id": demo.GENERAL, **more}
    return {"interaction_id": interaction_id, "interaction_token": token}


def answered(sandbox: Sandbox, **more: Any) -> Arguments:
    """What names an interaction of this call's own that was answered; `more` are fields of it."""
    token = fresh(sandbox, answered=True, **more)["interaction_token"]
    return {"application_id": sandbox.world.application_id, "interaction_token": token}


def original(sandbox: Sandbox, **more: Any) -> Arguments:
    """The same with the message that answered it; `more` are fields of the message."""
    message = _message(sandbox, **more)
    return answered(sandbox, original=message.id)


def _followup(sandbox: Sandbox) -> Arguments:
    return {**answered(sandbox), "message_id": _message(sandbox).id}


def _message(sandbox: Sandbox, **more: Any) -> Message:
    made = Message(
        sandbox.world.new_id(), demo.GENERAL, demo.BOT, "before", webhook_id=sandbox.world.application_id, **more
    )
    return sandbox.world.channels[demo.GENERAL].add(made)


GONE = {"application_id": MISSING, "interaction_token": "x" * 236}

EXAMPLES: Examples = {
    "interactions_create_response": lambda sandbox: {**fresh(sandbox), "type": 4, "data": {"content": "Six works"}},
    "interactions_get_original_response": original,
    "interactions_edit_original_response": lambda sandbox: {**original(sandbox), "content": "after"},
    "interactions_delete_original_response": lambda sandbox: {**original(sandbox), "__confirm": True},
    "interactions_create_followup": lambda sandbox: {**answered(sandbox), "content": "And bring tea"},
    "interactions_get_followup": _followup,
    "interactions_edit_followup": lambda sandbox: {**_followup(sandbox), "content": "after"},
    "interactions_delete_followup": lambda sandbox: {**_followup(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "interactions_create_response": not_found({"interaction_id": MISSING, "interaction_token": "x" * 236, "type": 5}),
    "interactions_get_original_response": not_found(GONE),
    "interactions_edit_original_response": not_found({**GONE, "content": "after"}),
    "interactions_delete_original_response": not_found({**GONE, "__confirm": True}),
    "interactions_create_followup": not_found({**GONE, "content": "And bring tea"}),
    "interactions_get_followup": not_found({**GONE, "message_id": MISSING}),
    "interactions_edit_followup": not_found({**GONE, "message_id": MISSING, "content": "after"}),
    "interactions_delete_followup": not_found({**GONE, "message_id": MISSING, "__confirm": True}),
}
