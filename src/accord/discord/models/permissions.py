"""Permissions by name, and the bit sets that Discord makes of them.

https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal, TypeAlias, get_args

from accord.engine import Shaped

__all__ = ["BITS", "Permission", "PermissionSet", "bits_of"]

Permission: TypeAlias = Literal[
    "CREATE_INSTANT_INVITE",
    "KICK_MEMBERS",
    "BAN_MEMBERS",
    "ADMINISTRATOR",
    "MANAGE_CHANNELS",
    "MANAGE_GUILD",
    "ADD_REACTIONS",
    "VIEW_AUDIT_LOG",
    "PRIORITY_SPEAKER",
    "STREAM",
    "VIEW_CHANNEL",
    "SEND_MESSAGES",
    "SEND_TTS_MESSAGES",
    "MANAGE_MESSAGES",
    "EMBED_LINKS",
    "ATTACH_FILES",
    "READ_MESSAGE_HISTORY",
    "MENTION_EVERYONE",
    "USE_EXTERNAL_EMOJIS",
    "VIEW_GUILD_INSIGHTS",
    "CONNECT",
    "SPEAK",
    "MUTE_MEMBERS",
    "DEAFEN_MEMBERS",
    "MOVE_MEMBERS",
    "USE_VAD",
    "CHANGE_NICKNAME",
    "MANAGE_NICKNAMES",
    "MANAGE_ROLES",
    "MANAGE_WEBHOOKS",
    "MANAGE_GUILD_EXPRESSIONS",
    "USE_APPLICATION_COMMANDS",
    "REQUEST_TO_SPEAK",
    "MANAGE_EVENTS",
    "MANAGE_THREADS",
    "CREATE_PUBLIC_THREADS",
    "CREATE_PRIVATE_THREADS",
    "USE_EXTERNAL_STICKERS",
    "SEND_MESSAGES_IN_THREADS",
    "USE_EMBEDDED_ACTIVITIES",
    "MODERATE_MEMBERS",
    "VIEW_CREATOR_MONETIZATION_ANALYTICS",
    "USE_SOUNDBOARD",
    "CREATE_GUILD_EXPRESSIONS",
    "CREATE_EVENTS",
    "USE_EXTERNAL_SOUNDS",
    "SEND_VOICE_MESSAGES",
    "SET_VOICE_CHANNEL_STATUS",
    "SEND_POLLS",
    "USE_EXTERNAL_APPS",
    "PIN_MESSAGES",
    "BYPASS_SLOWMODE",
]

_NUMBERS = (*range(47), 48, 49, 50, 51, 52)
"""Bit 47 is not in use."""

BITS: dict[str, int] = {name: 1 << number for name, number in zip(get_args(Permission), _NUMBERS, strict=True)}
"""Every permission's bit by its name."""


def bits_of(names: list[str]) -> int:
    """Return the bit set of these permissions.

    Raises:
        KeyError: One of them does not exist.
    """
    bits = 0
    for name in names:
        bits |= BITS[name]
    return bits


class PermissionSet(Shaped):
    """A set of permissions as a decimal string; names separated by commas are taken too."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[0-9]{1,20}$"
    wants: ClassVar[str] = "a bit set as a decimal string, or names of permissions separated by commas"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the bit set of a list of names; anything else as it was given."""
        names = [name.upper() for name in re.split(r"[\s,|]+", raw.strip()) if name]
        return str(bits_of(names)) if names and all(name in BITS for name in names) else raw
