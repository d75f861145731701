"""Usual calls of members."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_members import BANNED
from accord.discord.sandbox.world import Member, User

__all__ = ["EXAMPLES", "MORE", "REFUSED"]


def _member(sandbox: Sandbox, **more: object) -> Arguments:
    """Somebody who is there for this call alone."""
    world = sandbox.world
    one = User(world.new_id(), "passer_by", "Passer-by")
    world.users[one.id] = one
    world.guilds[demo.GUILD].members[one.id] = Member(one.id, world.now(), [demo.MEMBER_ROLE])
    return {"guild_id": demo.GUILD, "user_id": one.id, **more}


def _banned(sandbox: Sandbox) -> Arguments:
    """Somebody who is banned for this call alone."""
    place = _member(sandbox)
    guild = sandbox.world.guilds[demo.GUILD]
    del guild.members[place["user_id"]]
    guild.bans[place["user_id"]] = "Sells lamps that are none"
    return place


def _raid(sandbox: Sandbox) -> Arguments:
    raiders = [_member(sandbox)["user_id"] for _ in range(2)]
    return {"guild_id": demo.GUILD, "user_ids": raiders, "delete_message_seconds": 3600, "__confirm": True}


LENA = {"guild_id": demo.GUILD, "user_id": demo.LENA}
NOBODY = {"guild_id": demo.GUILD, "user_id": MISSING}
SURE = {"__confirm": True}

EXAMPLES: Examples = {
    "members_get": lambda _: LENA,
    "members_get_current_user": lambda _: {"guild_id": demo.GUILD},
    "members_search": lambda _: {"guild_id": demo.GUILD, "query": "le"},
    "members_list": lambda _: {"guild_id": demo.GUILD, "limit": 100},
    "members_modify": lambda sandbox: _member(sandbox, nick="Night shift", roles=[demo.MEMBER_ROLE], **SURE),
    "members_modify_current": lambda _: {"guild_id": demo.GUILD, "nick": "Lantern"},
    "members_add_role": lambda sandbox: _member(sandbox, role_id=demo.MEMBER_ROLE, **SURE),
    "members_remove_role": lambda sandbox: _member(sandbox, role_id=demo.MEMBER_ROLE, **SURE),
    "members_kick": lambda sandbox: _member(sandbox, audit_reason="Asked to leave twice", **SURE),
    "members_ban": lambda sandbox: _member(sandbox, delete_message_seconds=86_400, **SURE),
    "members_bulk_ban": _raid,
    "members_unban": _banned,
    "members_list_bans": lambda _: {"guild_id": demo.GUILD},
    "members_get_ban": lambda _: {"guild_id": demo.GUILD, "user_id": BANNED},
}

MORE = {"members_ban": [lambda sandbox: _member(sandbox, notify="You are banned.", **SURE)]}

REFUSED: Refusals = {
    "members_get": not_found({"guild_id": MISSING, "user_id": MISSING}),
    "members_get_current_user": not_found({"guild_id": MISSING}),
    "members_search": not_found({"guild_id": MISSING, "query": "le"}),
    "members_list": not_found({"guild_id": MISSING}),
    "members_modify": not_found({**NOBODY, "nick": "Night shift"}),
    "members_modify_current": not_found({"guild_id": MISSING, "nick": "Lantern"}),
    "members_add_role": not_found({**NOBODY, "role_id": demo.MEMBER_ROLE, **SURE}),
    "members_remove_role": not_found({**LENA, "role_id": MISSING, **SURE}),
    "members_kick": not_found({**NOBODY, **SURE}),
    "members_ban": not_found({**NOBODY, **SURE}),
    "members_bulk_ban": not_found({"guild_id": MISSING, "user_ids": [MISSING], **SURE}),
    "members_unban": not_found(NOBODY),
    "members_list_bans": not_found({"guild_id": MISSING}),
    "members_get_ban": not_found(LENA),
}
