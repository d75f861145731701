"""What became of an answer to an interaction, as our tools show it: never the interaction's token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.interactions import Followup, InteractionMessage, Responded
from accord.discord.models.messages import MessageObject
from accord.discord.models.posting import FetchedMessage
from accord.discord.models.values import Wire
from accord.discord.results.messages import ids_of, pinged_by
from accord.discord.results.picking import picked, present

__all__ = ["followup", "interaction_message", "responded"]

Json: TypeAlias = Any

NAMES = {
    "response_message_id": "message_id",
    "response_message_ephemeral": "ephemeral",
    "activity_instance_id": "activity_instance_id",
}
"""What Discord tells of an answered interaction: its names, and ours."""


def responded(sent: Wire) -> Responded:
    """Return what a first answer led to."""
    interaction = sent["interaction"]
    shown: dict[str, Json] = {"acknowledged": True, "interaction_id": interaction["id"]}
    shown |= {NAMES[name]: value for name, value in present(interaction, NAMES).items()}
    if message := (sent.get("resource") or {}).get("message"):
        shown["message"] = picked(FetchedMessage, message, message_id=message["id"])
    return cast("Responded", shown)


def interaction_message(sent: MessageObject) -> InteractionMessage:
    """Return a message in answer to an interaction."""
    shown = cast("Mapping[str, Json]", sent)
    return picked(InteractionMessage, shown, message_id=sent["id"], untrusted_messages=sent["content"])


def followup(sent: Sequence[MessageObject]) -> Followup:
    """Return what followed the first answer, as one message or several in their order, and who was pinged by it."""
    shown = cast("Mapping[str, Json]", sent[0])
    several = ids_of([one["id"] for one in sent])
    return picked(Followup, shown, message_id=sent[0]["id"], pinged=pinged_by(*sent), **several)
