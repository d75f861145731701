"""Usual calls of messages."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusals, not_found, own_message, somebodys_message

from accord.discord.sandbox import demo

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {
    "messages_read": lambda _: {"channel_id": demo.GENERAL},
    "messages_send": lambda _: {"channel_id": demo.GENERAL, "content": "hello"},
    "messages_edit": lambda sandbox: {**own_message(sandbox), "content": "after"},
    "messages_delete": lambda sandbox: {**somebodys_message(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "messages_read": not_found({"channel_id": MISSING}),
    "messages_send": not_found({"channel_id": MISSING, "content": "hello"}),
    "messages_edit": not_found({"channel_id": MISSING, "message_id": MISSING, "content": "after"}),
    "messages_delete": not_found({"channel_id": MISSING, "message_id": MISSING, "__confirm": True}),
}
