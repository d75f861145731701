"""Voice: regions, states, and the status of a channel."""

# The rules: https://discord.com/developers/docs/resources/voice, and .../channel#set-voice-channel-status

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, permissions
from accord.discord.sandbox.audit import Deed
from accord.discord.sandbox.channel_settings import VOICE
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, read, text
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

MOST_STATUS_CHARACTERS = 500
REGIONS = (("rotterdam", "Rotterdam"), ("us-east", "US East"), ("sydney", "Sydney"), ("japan", "Japan"))
_status = form({"status": text(MOST_STATUS_CHARACTERS)})


def list_regions(_call: Call) -> list[JsonObject]:
    """The regions that voice can run in; the first is the nearest."""
    return [
        {"id": key, "name": name, "custom": False, "deprecated": False, "optimal": number == 0}
        for number, (key, name) in enumerate(REGIONS)
    ]


def get_state(call: Call, guild_id: str, user_id: str) -> JsonObject:
    """Where a user is in a guild's voice."""
    found = access.guild(call.world, guild_id).voice_states.get(user_id)
    if found is None:
        raise Refused(codes.UNKNOWN_VOICE_STATE)
    return found


def get_own_state(call: Call, guild_id: str) -> JsonObject:
    """Where the bot is in a guild's voice."""
    return get_state(call, guild_id, call.world.me.id)


def set_status(call: Call, channel_id: str) -> None:
    """Set or take away the line below a voice channel's name; from outside, only who manages the channel may."""
    guild, channel = access.guild_channel(call.world, channel_id, permissions.SET_VOICE_CHANNEL_STATUS)
    if channel.type != VOICE:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    if guild.voice_states.get(call.world.me.id, {}).get("channel_id") != channel_id:
        access.channel(call.world, channel_id, permissions.MANAGE_CHANNELS)
    status = read(_status, call.body).get("status") or None
    channel.settings["status"] = status
    deed = Deed.VOICE_CHANNEL_STATUS_CREATE if status else Deed.VOICE_CHANNEL_STATUS_DELETE
    call.record(guild, deed, channel_id, options={"status": status} if status else {})


ROUTES = (
    Route("GET", "/voice/regions", list_regions),
    Route("GET", "/guilds/{guild_id}/voice-states/@me", get_own_state),
    Route("GET", "/guilds/{guild_id}/voice-states/{user_id}", get_state),
    Route("PUT", "/channels/{channel_id}/voice-status", set_status),
)
