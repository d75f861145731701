"""What a tool's arguments become in a request's body."""

from __future__ import annotations

import secrets
from typing import Any, TypeAlias

from accord.discord.models.mentions import mentions_of
from accord.discord.models.messages import MessageChanges, NewMessage

__all__ = ["changes_of", "message_of", "nonce_of"]

Json: TypeAlias = Any

OWN_WORDS = frozenset({"reply_to", "nonce", "clear"})
"""Arguments that are ours and not Discord's."""

_EMPTY: dict[str, Json] = {"content": "", "embeds": [], "components": [], "attachments": []}


def nonce_of(message: NewMessage) -> str:
    """Return the caller's nonce, or a new one: Discord takes at most 25 characters."""
    return message.get("nonce") or secrets.token_hex(12)


def message_of(message: NewMessage) -> dict[str, Json]:
    """Return the body of a new message. Its nonce is the client's to add."""
    body: dict[str, Json] = {name: value for name, value in message.items() if name not in OWN_WORDS}
    body["allowed_mentions"] = mentions_of(message.get("allowed_mentions"))
    if "reply_to" in message:
        body["message_reference"] = {"message_id": message["reply_to"]}
    return body


def changes_of(changes: MessageChanges) -> dict[str, Json]:
    """Return the body of an edit: what is given, and emptied what is to be cleared."""
    body: dict[str, Json] = {name: value for name, value in changes.items() if name not in OWN_WORDS}
    body["allowed_mentions"] = mentions_of(changes.get("allowed_mentions"))
    return body | {name: _EMPTY[name] for name in changes.get("clear", ())}
