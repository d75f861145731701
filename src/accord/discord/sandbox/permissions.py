"""Computes what a member may do, by the rules of https://discord.com/developers/docs/topics/permissions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from accord.discord.sandbox.channel_settings import PRIVATE_THREAD, STAGE, VOICE

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Channel, Guild, Member, Role, World

CREATE_INSTANT_INVITE = 1 << 0
KICK_MEMBERS = 1 << 1
BAN_MEMBERS = 1 << 2
ADMINISTRATOR = 1 << 3
MANAGE_CHANNELS = 1 << 4
MANAGE_GUILD = 1 << 5
ADD_REACTIONS = 1 << 6
VIEW_AUDIT_LOG = 1 << 7
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
SEND_TTS_MESSAGES = 1 << 12
MANAGE_MESSAGES = 1 << 13
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
READ_MESSAGE_HISTORY = 1 << 16
MENTION_EVERYONE = 1 << 17
USE_EXTERNAL_EMOJIS = 1 << 18
VIEW_GUILD_INSIGHTS = 1 << 19
CONNECT = 1 << 20
SPEAK = 1 << 21
MUTE_MEMBERS = 1 << 22
DEAFEN_MEMBERS = 1 << 23
MOVE_MEMBERS = 1 << 24
CHANGE_NICKNAME = 1 << 26
MANAGE_NICKNAMES = 1 << 27
MANAGE_ROLES = 1 << 28
MANAGE_WEBHOOKS = 1 << 29
MANAGE_GUILD_EXPRESSIONS = 1 << 30
USE_APPLICATION_COMMANDS = 1 << 31
REQUEST_TO_SPEAK = 1 << 32
MANAGE_EVENTS = 1 << 33
MANAGE_THREADS = 1 << 34
CREATE_PUBLIC_THREADS = 1 << 35
CREATE_PRIVATE_THREADS = 1 << 36
USE_EXTERNAL_STICKERS = 1 << 37
SEND_MESSAGES_IN_THREADS = 1 << 38
MODERATE_MEMBERS = 1 << 40
USE_SOUNDBOARD = 1 << 42
CREATE_GUILD_EXPRESSIONS = 1 << 43
CREATE_EVENTS = 1 << 44
SEND_VOICE_MESSAGES = 1 << 46
SET_VOICE_CHANNEL_STATUS = 1 << 48
SEND_POLLS = 1 << 49
PIN_MESSAGES = 1 << 51
EVERYTHING = (1 << 53) - 1

# What a time-out leaves, and what is lost with the right to speak or to connect.
LEFT_IN_TIMEOUT = VIEW_CHANNEL | READ_MESSAGE_HISTORY
NEEDS_SENDING = MENTION_EVERYONE | SEND_TTS_MESSAGES | ATTACH_FILES | EMBED_LINKS | SEND_POLLS
NEEDS_CONNECTING = MANAGE_CHANNELS | MANAGE_ROLES | SPEAK | MUTE_MEMBERS | DEAFEN_MEMBERS | MOVE_MEMBERS
IN_DIRECT_MESSAGES = (
    VIEW_CHANNEL | SEND_MESSAGES | READ_MESSAGE_HISTORY | EMBED_LINKS | ATTACH_FILES | ADD_REACTIONS | SEND_POLLS
    | PIN_MESSAGES | USE_EXTERNAL_EMOJIS | USE_EXTERNAL_STICKERS
)  # fmt: skip

SPOKEN_IN = (VOICE, STAGE)


def in_guild(guild: Guild, member: Member) -> int:
    """What the member's roles grant in the whole guild, before any channel's overwrites and any time-out."""
    if guild.owner_id == member.user_id:
        return EVERYTHING
    granted = guild.roles[guild.id].permissions
    for role_id in member.roles:
        granted |= guild.roles[role_id].permissions
    return EVERYTHING if granted & ADMINISTRATOR else granted


def in_channel(world: World, channel: Channel, user_id: str) -> int:
    """What the user may do in the channel, 0 for a channel that the user cannot see."""
    if channel.guild_id is None:
        return IN_DIRECT_MESSAGES if user_id in (world.me.id, channel.recipient_id) else 0
    guild = world.guilds[channel.guild_id]
    member = guild.members.get(user_id)
    if member is None:
        return 0
    granted = in_guild(guild, member)
    if granted == EVERYTHING:
        return EVERYTHING
    if channel.thread is not None:
        return _in_thread(world, channel, granted, member)
    return _with_implied_denials(channel, _timed_out(world, member, _overwritten(channel, guild, member, granted)))


def _overwritten(channel: Channel, guild: Guild, member: Member, granted: int) -> int:
    """The order is everyone, then all roles together, then the member; within a step, allow beats deny."""
    for step in ((guild.id,), tuple(member.roles), (member.user_id,)):
        rows = [channel.overwrites[target] for target in step if target in channel.overwrites]
        for row in rows:
            granted &= ~row.deny
        for row in rows:
            granted |= row.allow
    return granted


def _in_thread(world: World, thread: Channel, granted: int, member: Member) -> int:
    """A thread has its parent's permissions, with a right to send of its own."""
    parent = world.channels[str(thread.parent_id)]
    guild = world.guilds[str(thread.guild_id)]
    granted = _timed_out(world, member, _overwritten(parent, guild, member, granted))
    may_send = granted & SEND_MESSAGES_IN_THREADS
    granted = granted | SEND_MESSAGES if may_send else granted & ~SEND_MESSAGES
    outsider = thread.thread is not None and member.user_id not in thread.thread.members
    if thread.type == PRIVATE_THREAD and outsider and not granted & MANAGE_THREADS:
        return 0
    return _with_implied_denials(thread, granted)


def _timed_out(world: World, member: Member, granted: int) -> int:
    until = member.timed_out_until
    if until is None or datetime.fromisoformat(until).timestamp() <= world.clock():
        return granted
    return granted & LEFT_IN_TIMEOUT


def _with_implied_denials(channel: Channel, granted: int) -> int:
    if not granted & VIEW_CHANNEL:
        return 0
    if not granted & SEND_MESSAGES:
        granted &= ~NEEDS_SENDING
    if channel.type in SPOKEN_IN and not granted & CONNECT:
        granted &= ~NEEDS_CONNECTING
    return granted


def highest_role(guild: Guild, member: Member) -> Role:
    """The member's topmost role; of two at one position the older one stands higher."""
    mine = [guild.roles[guild.id], *(guild.roles[role_id] for role_id in member.roles)]
    return max(mine, key=lambda role: (role.position, -int(role.id)))


def stands_above_role(guild: Guild, member: Member, role: Role) -> bool:
    """Whether the member may manage this role: only what lies below its own highest one."""
    return guild.owner_id == member.user_id or highest_role(guild, member).position > role.position


def stands_above(guild: Guild, member: Member, other: Member) -> bool:
    """Whether the member may act on the other: nobody acts on the owner."""
    return guild.owner_id != other.user_id and stands_above_role(guild, member, highest_role(guild, other))
