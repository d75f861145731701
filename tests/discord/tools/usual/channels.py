"""Usual calls of channels."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.channel_settings import TEXT, settings_at_first
from accord.discord.sandbox.world import Channel, Overwrite

__all__ = ["EXAMPLES", "REFUSED"]


def own_channel(sandbox: Sandbox) -> str:
    """A text channel of this call's own, with an overwrite."""
    made = Channel(
        sandbox.world.new_id(), TEXT, "night-shift", demo.GUILD, demo.TEXT_CATEGORY, 9,
        overwrites={demo.MEMBER_ROLE: Overwrite(demo.MEMBER_ROLE, 0, allow=1 << 11, deny=1 << 14)},
        settings=settings_at_first(TEXT),
    )  # fmt: skip
    sandbox.world.channels[made.id] = made
    return made.id


def _overwrite(sandbox: Sandbox) -> Arguments:
    return {"channel_id": own_channel(sandbox), "overwrite_id": demo.MEMBER_ROLE}


ARCHIVE = {"channel_id": demo.GENERAL, "limit": 10}
POST = {"channel_id": demo.FORUM, "name": "It smokes", "message": {"content": "A lot."}, "applied_tags": [demo.BUG_TAG]}


def _group(sandbox: Sandbox) -> Arguments:
    """A group DM that the bot is in."""
    made = Channel(sandbox.world.new_id(), 3, settings={"recipient_ids": [demo.LENA, demo.THEO]})
    sandbox.world.channels[made.id] = made
    return {"channel_id": made.id, "user_id": demo.THEO, "__confirm": True}


EXAMPLES: Examples = {
    "channels_remove_recipient": _group,
    "channels_list": lambda _: {"guild_id": demo.GUILD},
    "channels_get": lambda _: {"channel_id": demo.GENERAL},
    "channels_create_guild_channel": lambda _: {
        "guild_id": demo.GUILD,
        "name": "night-shift",
        "topic": "After ten.",
        "parent_id": demo.TEXT_CATEGORY,
        "permission_overwrites": [{"id": demo.MEMBER_ROLE, "type": 0, "deny": "2048"}],
    },
    "channels_modify": lambda sandbox: {"channel_id": own_channel(sandbox), "name": "day-shift", "nsfw": True},
    "channels_modify_positions": lambda sandbox: {
        "guild_id": demo.GUILD,
        "positions": [{"id": own_channel(sandbox), "position": 3, "parent_id": demo.TEXT_CATEGORY}],
    },
    "channels_delete": lambda sandbox: {"channel_id": own_channel(sandbox), "__confirm": True},
    "channels_modify_permissions": lambda sandbox: {**_overwrite(sandbox), "allow": "2112", "__confirm": True},
    "channels_delete_permissions": lambda sandbox: {**_overwrite(sandbox), "__confirm": True},
    "channels_follow_announcement": lambda sandbox: {
        "channel_id": demo.ANNOUNCEMENTS,
        "webhook_channel_id": own_channel(sandbox),
    },
    "channels_trigger_typing": lambda _: {"channel_id": demo.GENERAL},
    "channels_list_active_threads_guild": lambda _: {"guild_id": demo.GUILD},
    "channels_list_public_archived_threads": lambda _: ARCHIVE,
    "channels_list_private_archived_threads": lambda _: ARCHIVE,
    "channels_list_joined_private_archived_threads": lambda _: ARCHIVE,
    "channels_forum_create_thread": lambda _: POST,
}

REFUSED: Refusals = {
    "channels_remove_recipient": not_found({"channel_id": MISSING, "user_id": demo.THEO, "__confirm": True}),
    "channels_list": not_found({"guild_id": MISSING}),
    "channels_get": not_found({"channel_id": MISSING}),
    "channels_create_guild_channel": not_found({"guild_id": MISSING, "name": "night-shift"}),
    "channels_modify": not_found({"channel_id": MISSING, "name": "day-shift"}),
    "channels_modify_positions": not_found({"guild_id": demo.GUILD, "positions": [{"id": MISSING, "position": 1}]}),
    "channels_delete": not_found({"channel_id": MISSING, "__confirm": True}),
    "channels_modify_permissions": not_found({"channel_id": MISSING, "overwrite_id": demo.MEMBER_ROLE, "allow": "0"}),
    "channels_delete_permissions": not_found({"channel_id": demo.GENERAL, "overwrite_id": MISSING, "__confirm": True}),
    "channels_follow_announcement": not_found({"channel_id": MISSING, "webhook_channel_id": demo.GENERAL}),
    "channels_trigger_typing": not_found({"channel_id": MISSING}),
    "channels_list_active_threads_guild": not_found({"guild_id": MISSING}),
    "channels_list_public_archived_threads": not_found({"channel_id": MISSING}),
    "channels_list_private_archived_threads": not_found({"channel_id": MISSING}),
    "channels_list_joined_private_archived_threads": not_found({"channel_id": MISSING}),
    "channels_forum_create_thread": not_found({**POST, "channel_id": MISSING}),
}
