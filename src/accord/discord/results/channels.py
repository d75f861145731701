"""Channels as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.channels import Channel, ChannelObject, Channels
from accord.discord.results.picking import present

__all__ = ["channel", "channels"]

Json: TypeAlias = Any

_CHANNEL_EXTRAS = (
    "position",
    "guild_id",
    "bitrate",
    "user_limit",
    "last_message_id",
    "owner_id",
    "flags",
    "available_tags",
    "applied_tags",
    "thread_metadata",
    "message_count",
    "member_count",
    "default_auto_archive_duration",
)
_OVERWRITE = ("id", "type", "allow", "deny")


def channel(sent_channel: ChannelObject) -> Channel:
    """Return one channel. Threads have no topic, DMs no name, and only guild channels have overwrites."""
    shown: dict[str, Json] = {
        "id": sent_channel["id"],
        "name": sent_channel.get("name"),
        "type": sent_channel["type"],
        "nsfw": sent_channel.get("nsfw", False),
        "topic": sent_channel.get("topic"),
        "rate_limit_per_user": sent_channel.get("rate_limit_per_user") or 0,
        "parent_id": sent_channel.get("parent_id"),
        **present(cast("Mapping[str, Json]", sent_channel), _CHANNEL_EXTRAS),
    }
    if overwrites := sent_channel.get("permission_overwrites"):
        shown["permission_overwrites"] = [present(overwrite, _OVERWRITE) for overwrite in overwrites]
    return cast("Channel", shown)


def channels(sent_channels: Sequence[ChannelObject]) -> Channels:
    """Return a guild's channels in the order in which people see them. Discord sends them all at once."""
    ordered = sorted(sent_channels, key=lambda one: (one.get("position", 0), int(one["id"])))
    return {
        "channels": [channel(one) for one in ordered],
        "count": len(ordered),
        "next_cursor": None,
        "has_more": False,
    }
