"""Usual calls of lobbies."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_hooks import LOBBY
from accord.discord.sandbox.routes.lobbies import lobby

__all__ = ["EXAMPLES", "REFUSED", "own_lobby"]


def own_lobby(sandbox: Sandbox) -> Arguments:
    """A lobby of this call's own, linked to #general, with Lena in it."""
    one = lobby(sandbox.world.new_id(), sandbox.world.application_id)
    one["members"] = {demo.LENA: {"id": demo.LENA, "metadata": {"lantern": "fish"}, "flags": 0}}
    sandbox.world.lobbies[one["id"]] = one | {"linked_channel": demo.GENERAL}
    return {"lobby_id": one["id"]}


GONE = {"lobby_id": MISSING}
NOBODY = {**GONE, "user_id": demo.THEO}

EXAMPLES: Examples = {
    "lobbies_create": lambda _: {"members": [{"id": demo.OMAR}], "metadata": {"map": "Old bridge"}},
    "lobbies_get": lambda _: {"lobby_id": LOBBY},
    "lobbies_modify": lambda sandbox: {**own_lobby(sandbox), "metadata": {"map": "Night market"}},
    "lobbies_delete": lambda sandbox: {**own_lobby(sandbox), "__confirm": True},
    "lobbies_add_member": lambda sandbox: {**own_lobby(sandbox), "user_id": demo.THEO, "flags": 1},
    "lobbies_update_members": lambda sandbox: {**own_lobby(sandbox), "members": [{"id": demo.THEO}]},
    "lobbies_remove_member": lambda sandbox: {**own_lobby(sandbox), "user_id": demo.LENA, "__confirm": True},
    "lobbies_create_invite_for_user": lambda sandbox: {**own_lobby(sandbox), "user_id": demo.LENA},
    "lobbies_moderate_message": lambda sandbox: {
        **own_lobby(sandbox), "message_id": sandbox.world.new_id(), "metadata": {"action": "hide"},
    },
}  # fmt: skip

REFUSED: Refusals = {
    "lobbies_create": not_found({"members": [{"id": MISSING}]}),
    "lobbies_get": not_found(GONE),
    "lobbies_modify": not_found({**GONE, "flags": 1}),
    "lobbies_delete": Refusal({"lobby_id": "no-lobby"}, "VALIDATION_FAILED"),  # one that is gone is no mistake
    "lobbies_add_member": not_found(NOBODY),
    "lobbies_update_members": not_found({**GONE, "members": [{"id": demo.THEO}]}),
    "lobbies_remove_member": not_found({**NOBODY, "__confirm": True}),
    "lobbies_create_invite_for_user": not_found(NOBODY),
    "lobbies_moderate_message": not_found({**GONE, "message_id": MISSING, "metadata": {"action": "hide"}}),
}
