"""Webhooks as our tools show them, and what was posted by a token: never the token, nor an address that holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.messages import MessageObject, Pinged
from accord.discord.models.values import Wire
from accord.discord.models.webhooks import Executed, GetWebhook, Webhook, WebhookMessage, Webhooks
from accord.discord.results.picking import WHOLE, picked

__all__ = ["executed", "pinged_by", "webhook", "webhook_message", "webhooks"]

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


def executed(sent: MessageObject, webhook_id: str) -> Executed:
    """Return what was posted, and who was pinged by it."""
    return {
        "webhook_id": webhook_id,
        "message_id": sent["id"],
        "channel_id": sent["channel_id"],
        "timestamp": sent["timestamp"],
        "pinged": pinged_by(sent),
    }


def pinged_by(sent: MessageObject) -> Pinged:
    """Return whom a message notified, as Discord says."""
    return {
        "everyone": sent["mention_everyone"],
        "users": [user["id"] for user in sent["mentions"]],
        "roles": sent["mention_roles"],
    }


def webhook_message(sent: MessageObject) -> WebhookMessage:
    """Return a message by a webhook."""
    shown = cast("Mapping[str, Json]", sent)
    return picked(WebhookMessage, shown, message_id=sent["id"], untrusted_content=sent["content"])
