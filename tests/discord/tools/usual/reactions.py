"""Usual calls of reactions."""

from __future__ import annotations

from tests.discord.tools.usual.calling import (
    MISSING,
    Arguments,
    Examples,
    Refusals,
    not_found,
    own_message,
    somebodys_message,
)

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Reaction

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED"]

NOWHERE = {"channel_id": MISSING, "message_id": MISSING}
FISH = {"emoji": "🐟"}


def _liked(sandbox: Sandbox) -> Arguments:
    """A message of this call's own to which the bot and a person gave a fish."""
    return own_message(sandbox, reactions={"🐟": Reaction({"id": None, "name": "🐟"}, [demo.BOT, demo.LENA])})


EXAMPLES: Examples = {
    "reactions_create": lambda sandbox: {**somebodys_message(sandbox), **FISH},
    "reactions_delete_own": lambda sandbox: {**_liked(sandbox), **FISH},
    "reactions_delete_user": lambda sandbox: {**_liked(sandbox), **FISH, "user_id": demo.LENA},
    "reactions_list": lambda sandbox: {**_liked(sandbox), **FISH},
    "reactions_delete_all": lambda sandbox: {**_liked(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "reactions_create": not_found({**NOWHERE, **FISH}),
    "reactions_delete_own": not_found({**NOWHERE, **FISH}),
    "reactions_delete_user": not_found({**NOWHERE, **FISH, "user_id": demo.LENA}),
    "reactions_list": not_found({**NOWHERE, **FISH}),
    "reactions_delete_all": not_found({**NOWHERE, "__confirm": True}),
}

MORE = {
    "reactions_delete_all": [lambda sandbox: {**_liked(sandbox), **FISH, "__confirm": True}],
}

DEPARTURES = {
    "reactions_delete_user.audit_reason": "Discord's documentation lists no reason here, and the audit log shows none",
    "reactions_delete_all.audit_reason": "Discord's documentation lists no reason here, and the audit log shows none",
}
