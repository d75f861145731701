"""Webhooks as our tools show them, and what was posted by a token: never the token, nor an address that holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.messages import MessageObject
from accord.discord.models.values import Wire
from accord.discord.models.webhooks import Executed, GetWebhook, Webhook, WebhookMessage, Webhooks
from accord.discord.results.messages import ids_of, pinged_by
from accord.discord.results.picking import WHOLE, picked

__all__ = ["executed", "webhook", "webhook_message", "webhooks"]

Json: TypeAlias = Any


def webhook(sent: Wire) -> GetWebhook:
    """Return one webhook."""
    return picked(GetWebhook, sent, untrusted_name=sent.get("name") or "", **_told(sent))


def webhooks(sent: Sequence[Wire]) -> Webhooks:
    """Return the webhooks of one place, the oldest first."""
    ordered = sorted(sent, key=lambda one: int(one["id"]))
    return {"webhooks": [picked(Webhook, one, **_told(one)) for one in ordered], "count": len(ordered), **WHOLE}


def _told(sent: Wire) -> dict[str, Json]:
    """Return what is told in place of the token and of the creator's whole account."""
    creator = {"user_id": sent["user"]["id"]} if sent.get("user") else {}
    return {"has_token": bool(sent.get("token")), **creator}


def executed(sent: Sequence[MessageObject], webhook_id: str) -> Executed:
    """Return what was posted, as one message or several in their order, and who was pinged by it."""
    shown: dict[str, Json] = {
        "webhook_id": webhook_id,
        "message_id": sent[0]["id"],
        "channel_id": sent[0]["channel_id"],
        "timestamp": sent[0]["timestamp"],
        "pinged": pinged_by(*sent),
        **ids_of([one["id"] for one in sent]),
    }
    return cast("Executed", shown)


def webhook_message(sent: MessageObject) -> WebhookMessage:
    """Return a message by a webhook."""
    shown = cast("Mapping[str, Json]", sent)
    return picked(WebhookMessage, shown, message_id=sent["id"], untrusted_content=sent["content"])
