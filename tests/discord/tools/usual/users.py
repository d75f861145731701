"""Usual calls of users."""

from __future__ import annotations

from tests.discord.tools.usual.calling import Examples, Refusal, Refusals

__all__ = ["EXAMPLES", "REFUSED"]

EXAMPLES: Examples = {
    "users_list_current_user_guilds": lambda _: {},
}

REFUSED: Refusals = {
    "users_list_current_user_guilds": Refusal({"limit": 0}, "VALIDATION_FAILED"),
}
