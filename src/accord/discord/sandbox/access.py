"""Finds what a request names, and refuses it as Discord does when it is not there or not permitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import codes, permissions
from accord.discord.sandbox.codes import Refused

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Channel, Guild, Member, Message, Role, User, World


def guild(world: World, guild_id: str, needs: int = 0) -> Guild:
    """A guild that the bot is in; raises Refused 10004, or 50013 without every permission in `needs`."""
    found = world.guilds.get(guild_id)
    if found is None or world.me.id not in found.members:
        raise Refused(codes.UNKNOWN_GUILD)
    if needs & ~permissions.in_guild(found, found.members[world.me.id]):
        raise Refused(codes.MISSING_PERMISSIONS)
    return found


def application(world: World, application_id: str) -> None:
    """Raise Refused 10002 for an application that is not the bot's own."""
    if application_id != world.application_id:
        raise Refused(codes.UNKNOWN_APPLICATION)


def channel(world: World, channel_id: str, needs: int = 0) -> Channel:
    """A channel that the bot sees; raises Refused 10003, 50001 if it cannot, or 50013 without all of `needs`."""
    found = world.channels.get(channel_id)
    if found is None:
        raise Refused(codes.UNKNOWN_CHANNEL)
    granted = permissions.in_channel(world, found, world.me.id)
    if not granted & permissions.VIEW_CHANNEL:
        raise Refused(codes.MISSING_ACCESS)
    if needs & ~granted:
        raise Refused(codes.MISSING_PERMISSIONS)
    return found


def guild_channel(world: World, channel_id: str, needs: int = 0) -> tuple[Guild, Channel]:
    """A channel that is in a guild, with its guild; raises Refused as `channel` does, 50024 for a direct message."""
    found = channel(world, channel_id, needs)
    if found.guild_id is None:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    return world.guilds[found.guild_id], found


def may(world: World, channel: Channel, needs: int) -> bool:
    """Whether the bot has every permission in `needs` in the channel."""
    return not needs & ~permissions.in_channel(world, channel, world.me.id)


def message(channel: Channel, message_id: str) -> Message:
    """A message of the channel; raises Refused 10008."""
    if message_id not in channel.messages:
        raise Refused(codes.UNKNOWN_MESSAGE)
    return channel.messages[message_id]


def open_for_changes(channel: Channel) -> None:
    """Raise Refused 50083 for an archived thread, whose messages nobody can change."""
    if channel.thread is not None and channel.thread.metadata["archived"]:
        raise Refused(codes.ARCHIVED_THREAD)


def member(guild: Guild, user_id: str) -> Member:
    """A member of the guild; raises Refused 10007."""
    if user_id not in guild.members:
        raise Refused(codes.UNKNOWN_MEMBER)
    return guild.members[user_id]


def role(guild: Guild, role_id: str) -> Role:
    """A role of the guild; raises Refused 10011."""
    if role_id not in guild.roles:
        raise Refused(codes.UNKNOWN_ROLE)
    return guild.roles[role_id]


def role_below_me(world: World, guild: Guild, role_id: str) -> Role:
    """A role that the bot may manage; raises Refused 10011, or 50013 if it stands too high."""
    found = role(guild, role_id)
    if not permissions.stands_above_role(guild, guild.members[world.me.id], found):
        raise Refused(codes.MISSING_PERMISSIONS)
    return found


def user(world: World, user_id: str) -> User:
    """A user whom the sandbox knows; raises Refused 10013."""
    if user_id not in world.users:
        raise Refused(codes.UNKNOWN_USER)
    return world.users[user_id]
