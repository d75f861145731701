"""What lies beside the demo's channels: archived threads, invites, and who is in voice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import payloads
from accord.discord.sandbox.channel_settings import ARCHIVE_MINUTES, PRIVATE_THREAD, PUBLIC_THREAD
from accord.discord.sandbox.routes.invites import OF_GUILD, part
from accord.discord.sandbox.routes.threads import opening_metadata
from accord.discord.sandbox.snowflakes import created_at, iso
from accord.discord.sandbox.world import Channel, Thread

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, World

OLD_THREAD = "1196398875773628948"
OLD_PRIVATE_THREAD = "1196399127432481124"
INVITE = "lantern42"


def add_ways(world: World, guild: Guild, channel_id: str, voice_id: str, *people: str) -> None:
    """Add what was talked over, a way in, and somebody at the workbench."""
    archived_thread(world, OLD_THREAD, channel_id, "Which glue holds paper?", *people)
    archived_thread(world, OLD_PRIVATE_THREAD, channel_id, "A present for Lena", *people, private=True)
    standing_invite(world, guild, INVITE, channel_id, people[0])
    in_voice(guild, voice_id, people[0])


def archived_thread(
    world: World, thread_id: str, parent_id: str, name: str, *member_ids: str, private: bool = False
) -> Channel:
    """Put an archived thread below a channel; its members are in it since the first of them opened it."""
    then = iso(created_at(thread_id))
    metadata = opening_metadata(then, ARCHIVE_MINUTES[0]) | {"archived": True}
    guild_id = world.channels[parent_id].guild_id
    world.channels[thread_id] = made = Channel(
        thread_id, PRIVATE_THREAD if private else PUBLIC_THREAD, name, guild_id, parent_id,
        settings={"rate_limit_per_user": 0}, thread=Thread(member_ids[0], metadata, dict.fromkeys(member_ids, then)),
    )  # fmt: skip
    return made


def standing_invite(world: World, guild: Guild, code: str, channel_id: str, inviter_id: str) -> JsonObject:
    """Put an invite that never ends into the world."""
    channel = world.channels[channel_id]
    world.invites[code] = made = {
        "type": 0, "code": code, "guild_id": guild.id, "guild": part(payloads.guild(world, guild), OF_GUILD),
        "channel": {"id": channel.id, "name": channel.name, "type": channel.type},
        "inviter": payloads.user(world.users[inviter_id]), "uses": 12, "max_uses": 0, "max_age": 0, "temporary": False,
        "created_at": iso(created_at(channel_id)), "expires_at": None, "flags": 0,
    }  # fmt: skip
    return made


def in_voice(guild: Guild, channel_id: str, user_id: str) -> JsonObject:
    """Let somebody be in a voice channel, with the microphone on."""
    guild.voice_states[user_id] = state = {
        "guild_id": guild.id, "channel_id": channel_id, "user_id": user_id,
        "session_id": f"{int(user_id):032x}", "deaf": False, "mute": False, "self_deaf": False, "self_mute": False,
        "self_stream": False, "self_video": False, "suppress": False, "request_to_speak_timestamp": None,
    }  # fmt: skip
    return state
