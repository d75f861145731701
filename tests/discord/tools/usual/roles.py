"""Usual calls of roles."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Role

__all__ = ["EXAMPLES", "REFUSED"]


def _role(sandbox: Sandbox) -> Arguments:
    """A role of this call's own."""
    made = Role(sandbox.world.new_id(), "Night shift", 0, 1)
    sandbox.world.guilds[demo.GUILD].roles[made.id] = made
    return {"guild_id": demo.GUILD, "role_id": made.id}


def _place(sandbox: Sandbox) -> Arguments:
    return {"guild_id": demo.GUILD, "positions": [{"id": _role(sandbox)["role_id"], "position": 1}]}


NOWHERE = {"guild_id": demo.GUILD, "role_id": MISSING}

EXAMPLES: Examples = {
    "roles_list": lambda _: {"guild_id": demo.GUILD},
    "roles_get": lambda _: {"guild_id": demo.GUILD, "role_id": demo.MODERATOR_ROLE},
    "roles_count_members": lambda _: {"guild_id": demo.GUILD},
    "roles_create": lambda _: {"guild_id": demo.GUILD, "name": "Night shift", "color": 0x1ABC9C, "hoist": True},
    "roles_modify": lambda sandbox: {**_role(sandbox), "permissions": "3072"},
    "roles_modify_positions": _place,
    "roles_delete": lambda sandbox: {**_role(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "roles_list": not_found({"guild_id": MISSING}),
    "roles_get": not_found(NOWHERE),
    "roles_count_members": not_found({"guild_id": MISSING}),
    "roles_create": not_found({"guild_id": MISSING, "name": "Night shift"}),
    "roles_modify": not_found({**NOWHERE, "name": "Night shift"}),
    "roles_modify_positions": not_found({"guild_id": demo.GUILD, "positions": [{"id": MISSING, "position": 1}]}),
    "roles_delete": not_found({**NOWHERE, "__confirm": True}),
}
