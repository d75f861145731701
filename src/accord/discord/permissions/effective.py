"""The effective permissions of a member, by Discord's algorithm.

https://discord.com/developers/docs/topics/permissions#permission-overwrites, and what follows there on implicit
permissions, threads and timed out members.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from accord.discord.models.permissions import BITS, bits_of
from accord.discord.permissions.facts import ChannelFacts, GuildFacts, MemberFacts, OverwriteFacts

__all__ = [
    "EVERYTHING",
    "IN_DIRECT_MESSAGES",
    "in_channel",
    "in_guild",
    "is_above_rules",
    "lacking",
    "names_of",
    "overwritten",
]

EVERYTHING = sum(BITS.values())
"""Every permission that is known; bits that are newer than this list are nobody's."""

ADMINISTRATOR = BITS["ADMINISTRATOR"]
VIEW_CHANNEL = BITS["VIEW_CHANNEL"]
SEND_MESSAGES = BITS["SEND_MESSAGES"]
SEND_IN_THREADS = BITS["SEND_MESSAGES_IN_THREADS"]
MANAGE_THREADS = BITS["MANAGE_THREADS"]
CONNECT = BITS["CONNECT"]

LEFT_IN_TIMEOUT = VIEW_CHANNEL | BITS["READ_MESSAGE_HISTORY"]

WITH_SENDING = bits_of(
    [
        "MENTION_EVERYONE",
        "SEND_TTS_MESSAGES",
        "ATTACH_FILES",
        "EMBED_LINKS",
        "SEND_VOICE_MESSAGES",
        "SEND_POLLS",
    ]
)
"""What who may not send has not either: "Denying Send Messages implicitly denies" these."""

WITH_CONNECTING = bits_of(
    [
        "MANAGE_CHANNELS",
        "MANAGE_ROLES",
        "SPEAK",
        "STREAM",
        "PRIORITY_SPEAKER",
        "MUTE_MEMBERS",
        "DEAFEN_MEMBERS",
        "MOVE_MEMBERS",
        "USE_VAD",
        "REQUEST_TO_SPEAK",
        "USE_SOUNDBOARD",
        "USE_EXTERNAL_SOUNDS",
        "SET_VOICE_CHANNEL_STATUS",
    ]
)
"""What who may not connect to a voice channel has not in it either."""

IN_DIRECT_MESSAGES = bits_of(
    [
        "VIEW_CHANNEL",
        "SEND_MESSAGES",
        "SEND_TTS_MESSAGES",
        "EMBED_LINKS",
        "ATTACH_FILES",
        "READ_MESSAGE_HISTORY",
        "ADD_REACTIONS",
        "USE_EXTERNAL_EMOJIS",
        "USE_EXTERNAL_STICKERS",
        "SEND_VOICE_MESSAGES",
        "SEND_POLLS",
        "PIN_MESSAGES",
        "MENTION_EVERYONE",
    ]
)
"""What both sides of a direct message may do: it has no permissions, and nothing in it to manage."""


def is_above_rules(guild: GuildFacts, member: MemberFacts) -> bool:
    """Whether nothing can be denied to the member: the owner, and who has ADMINISTRATOR."""
    return guild.owner_id == member.user_id or bool(_granted(guild, member) & ADMINISTRATOR)


def in_guild(guild: GuildFacts, member: MemberFacts, now: datetime) -> int:
    """Return what the member may do in the whole guild; a time-out leaves reading only."""
    if is_above_rules(guild, member):
        return EVERYTHING
    return _timed_out(member, _granted(guild, member), now)


def in_channel(guild: GuildFacts, member: MemberFacts, channel: ChannelFacts, now: datetime) -> int:
    """Return what the member may do in the channel: nothing where it cannot be seen.

    In a thread SEND_MESSAGES stands for whether messages can be sent there. A private thread is seen by its members and
    by who may manage threads; where nobody knows whether the member is in it, it is taken for unseen.
    """
    if is_above_rules(guild, member):
        return EVERYTHING
    granted = overwritten(guild, member, channel, _granted(guild, member))
    granted = _timed_out(member, granted, now)
    if channel.is_thread:
        granted = _in_thread(channel, granted)
    return _with_implied(channel, granted)


def _granted(guild: GuildFacts, member: MemberFacts) -> int:
    granted = guild.roles[guild.id].permissions
    for role_id in member.roles & guild.roles.keys():
        granted |= guild.roles[role_id].permissions
    return granted


def overwritten(guild: GuildFacts, member: MemberFacts, channel: ChannelFacts, granted: int) -> int:
    """Apply a channel's overwrites: @everyone's, then those of all roles together, then the member's own."""
    for targets in ((guild.id,), member.roles, (member.user_id,)):
        granted = _applied([channel.overwrites[one] for one in targets if one in channel.overwrites], granted)
    return granted


def _applied(overwrites: Iterable[OverwriteFacts], granted: int) -> int:
    """Within one step what one overwrite allows beats what another one denies."""
    allowed = denied = 0
    for one in overwrites:
        allowed |= one.allow
        denied |= one.deny
    return (granted & ~denied) | allowed


def _timed_out(member: MemberFacts, granted: int, now: datetime) -> int:
    runs = member.timed_out_until is not None and member.timed_out_until > now
    return granted & LEFT_IN_TIMEOUT if runs else granted


def _in_thread(channel: ChannelFacts, granted: int) -> int:
    if channel.is_private_thread and not channel.joined and not granted & MANAGE_THREADS:
        return 0
    return granted | SEND_MESSAGES if granted & SEND_IN_THREADS else granted & ~SEND_MESSAGES


def _with_implied(channel: ChannelFacts, granted: int) -> int:
    if not granted & VIEW_CHANNEL:
        return 0
    if not granted & SEND_MESSAGES:
        granted &= ~WITH_SENDING
    if channel.is_spoken_in and not granted & CONNECT:
        granted &= ~WITH_CONNECTING
    return granted


def lacking(granted: int, needed: Iterable[str]) -> list[str]:
    """Return which of the named permissions are not in the set, in their order."""
    return [name for name in needed if not granted & BITS[name]]


def names_of(granted: int) -> list[str]:
    """Return the names of the permissions in a set, lowest bit first."""
    return [name for name, bit in BITS.items() if granted & bit]
