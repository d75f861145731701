"""What a bot token tells by itself: its first part is the bot's id."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accord.engine import Secret

__all__ = ["bot_id_of"]


def bot_id_of(token: Secret | None) -> str | None:
    """Return the bot's user id, or None for a token that does not tell it.

    It says whose messages are our own; who the bot really is, Discord alone can say.
    """
    if token is None:
        return None
    first = token.reveal().partition(".")[0]
    try:
        told = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return told if re.fullmatch(r"[0-9]{17,20}", told) else None
