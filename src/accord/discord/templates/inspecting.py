"""A template in numbers, and the permissions in it that deserve a second look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from accord.discord.models.permissions import BITS, Permission
from accord.discord.models.templates import Blueprint, RiskyPermission
from accord.discord.models.values import Json

__all__ = ["MOST_NAMES", "RISKY", "inspected"]

MOST_NAMES = 25
"""How many names a list has at most."""

RISKY: tuple[Permission, ...] = (
    "ADMINISTRATOR",
    "MANAGE_GUILD",
    "MANAGE_ROLES",
    "MANAGE_CHANNELS",
    "MANAGE_WEBHOOKS",
    "KICK_MEMBERS",
    "BAN_MEMBERS",
    "MENTION_EVERYONE",
)
"""With one of these somebody can change the guild for all, remove others, or disturb everybody."""

TEXT, VOICE, CATEGORY, FORUM = 0, 2, 4, 15
"""https://discord.com/developers/docs/resources/channel#channel-object-channel-types: those that templates hold."""


def inspected(source: Mapping[str, Json]) -> Blueprint:
    """Count what a template's guild holds."""
    channels = source["channels"]
    kinds = Counter(channel["type"] for channel in channels)
    return {
        "roles": len(source["roles"]),
        "channels": len(channels),
        "categories": kinds[CATEGORY],
        "text_channels": kinds[TEXT],
        "voice_channels": kinds[VOICE],
        "forum_channels": kinds[FORUM],
        "nsfw_channels": sum(bool(channel.get("nsfw")) for channel in channels),
        "overwrites": sum(len(channel["permission_overwrites"]) for channel in channels),
        "risky_permissions": list(_risks(source)),
    }


def _risks(source: Mapping[str, Json]) -> Iterator[RiskyPermission]:
    """Name each risky permission that something in the template grants."""
    overwrites = [row for channel in source["channels"] for row in channel["permission_overwrites"]]
    for permission in RISKY:
        roles = [role["name"] for role in source["roles"] if _has(role["permissions"], permission)]
        allowing = sum(_has(row["allow"], permission) for row in overwrites)
        if roles or allowing:
            yield {"permission": permission, "roles": roles[:MOST_NAMES], "overwrites": allowing}


def _has(permissions: Json, permission: Permission) -> bool:
    return bool(int(permissions) & BITS[permission])
