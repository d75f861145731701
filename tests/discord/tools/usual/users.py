"""Usual calls of users."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Guild, Member, Role

__all__ = ["EXAMPLES", "REFUSED"]


def _guild(sandbox: Sandbox) -> Arguments:
    """A guild of this call's own, with the bot in it."""
    world = sandbox.world
    made = Guild(world.new_id(), "Lantern Workshop (old)", demo.MAYA)
    made.roles[made.id] = Role(made.id, "@everyone", 0, 0)
    made.members = {one: Member(one, world.now()) for one in (demo.MAYA, demo.BOT)}
    world.guilds[made.id] = made
    return {"guild_id": made.id, "__confirm": True}


EXAMPLES: Examples = {
    "users_get_current": lambda _: {},
    "users_get": lambda _: {"user_id": demo.THEO},
    "users_modify_current": lambda _: {"username": "Lantern Bot"},
    "users_list_current_user_guilds": lambda _: {},
    "users_leave_guild": _guild,
    "users_create_dm": lambda _: {"recipient_id": demo.LENA},
}

REFUSED: Refusals = {
    "users_get_current": Refusal({"user_id": demo.BOT}, "VALIDATION_FAILED"),
    "users_get": not_found({"user_id": MISSING}),
    "users_modify_current": Refusal({"avatar": "data:text/plain;base64,eA=="}, "VALIDATION_FAILED"),
    "users_list_current_user_guilds": Refusal({"limit": 0}, "VALIDATION_FAILED"),
    "users_leave_guild": not_found({"guild_id": MISSING, "__confirm": True}),
    "users_create_dm": not_found({"recipient_id": MISSING}),
}
