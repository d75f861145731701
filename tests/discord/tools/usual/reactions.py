"""Usual calls of reactions."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusals, not_found, somebodys_message

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {
    "reactions_create": lambda sandbox: {**somebodys_message(sandbox), "emoji": "🐟"},
}

REFUSED: Refusals = {
    "reactions_create": not_found({"channel_id": MISSING, "message_id": MISSING, "emoji": "🐟"}),
}
