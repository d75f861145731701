"""Usual calls of onboarding."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusals, not_found

from accord.discord.sandbox import demo

__all__ = ["EXAMPLES", "REFUSED"]

PROMPTS = [{"title": "Where do you live?", "options": [{"title": "By the sea"}, {"title": "Elsewhere"}]}]

EXAMPLES: Examples = {
    "onboarding_get": lambda _: {"guild_id": demo.GUILD},
    "onboarding_modify": lambda _: {"guild_id": demo.GUILD, "prompts": PROMPTS, "mode": 1, "__confirm": True},
    "onboarding_get_new_member_welcome": lambda _: {"guild_id": demo.GUILD},
}

REFUSED: Refusals = {
    "onboarding_get": not_found({"guild_id": MISSING}),
    "onboarding_modify": not_found({"guild_id": MISSING, "mode": 0}),
    "onboarding_get_new_member_welcome": not_found({"guild_id": MISSING}),
}
