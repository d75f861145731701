"""Usual calls of invites."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo, demo_channels

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED", "own_invite"]

DEPARTURES = {
    "invites_get.with_expiration": "Discord has no such parameter any more: every invite says when it ends",
}


def own_invite(sandbox: Sandbox) -> Arguments:
    """An invite of this call's own."""
    code = f"own{sandbox.world.new_id()}"
    guild = sandbox.world.guilds[demo.GUILD]
    demo_channels.standing_invite(sandbox.world, guild, code, demo.GENERAL, demo.BOT)
    return {"code": code}


NOWHERE = {"code": "nowhere"}

EXAMPLES: Examples = {
    "invites_get": lambda _: {"code": f"https://discord.gg/{demo_channels.INVITE}", "with_counts": True},
    "invites_list_channel": lambda _: {"channel_id": demo.GENERAL},
    "invites_list_guild": lambda _: {"guild_id": demo.GUILD},
    "invites_create_channel": lambda _: {"channel_id": demo.GENERAL, "max_age": 3600, "max_uses": 5, "unique": True},
    "invites_delete": lambda sandbox: {**own_invite(sandbox), "__confirm": True},
    "invites_get_target_users": own_invite,
    "invites_update_target_users": lambda sandbox: {
        **own_invite(sandbox),
        "user_ids": [demo.LENA, demo.OMAR],
        "__confirm": True,
    },
    "invites_get_target_users_job": own_invite,
}

REFUSED: Refusals = {
    "invites_get": not_found(NOWHERE),
    "invites_list_channel": not_found({"channel_id": MISSING}),
    "invites_list_guild": not_found({"guild_id": MISSING}),
    "invites_create_channel": not_found({"channel_id": MISSING}),
    "invites_delete": not_found({**NOWHERE, "__confirm": True}),
    "invites_get_target_users": not_found(NOWHERE),
    "invites_update_target_users": not_found({**NOWHERE, "user_ids": [demo.LENA], "__confirm": True}),
    "invites_get_target_users_job": not_found(NOWHERE),
}
