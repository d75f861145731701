"""Soundboard: a guild's sounds, and the default ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import between, form, read, snowflake, text
from accord.discord.sandbox.pictures import SOUNDS, content_of
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MOST_SOUNDS = 8  # without boosts: https://support.discord.com/hc/en-us/articles/12612888127767
EITHER = permissions.CREATE_GUILD_EXPRESSIONS, permissions.MANAGE_GUILD_EXPRESSIONS
SILENCED = ("deaf", "self_deaf", "mute", "suppress")
_changes = {
    "name": text(32, least=2), "volume": between(0, 1), "emoji_id": snowflake, "emoji_name": text(32, least=1),
}  # fmt: skip
_new = form(_changes | {"sound": content_of(*SOUNDS, most=512 * 1024)}, required=("name", "sound"))
_change = form(_changes)
_playing = form({"sound_id": snowflake, "source_guild_id": snowflake}, required=("sound_id",))
# What every guild has.
DEFAULTS: tuple[JsonObject, ...] = tuple(
    {"name": name, "sound_id": str(number), "volume": 1.0, "emoji_id": None, "emoji_name": emoji, "available": True}
    for number, (name, emoji) in enumerate((("quack", "🦆"), ("airhorn", "🔊"), ("cricket", "🦗")), 1)
)


def list_default_sounds(_call: Call) -> list[JsonObject]:
    """The sounds that every guild has."""
    return [dict(each) for each in DEFAULTS]


def list_sounds(call: Call, guild_id: str) -> JsonObject:
    """A guild's own sounds."""
    guild = access.guild(call.world, guild_id)
    return {"items": [_shown(call, guild, each) for each in guild.sounds.values()]}


def get_sound(call: Call, guild_id: str, sound_id: str) -> JsonObject:
    """One sound."""
    guild = access.guild(call.world, guild_id)
    return _shown(call, guild, _sound(guild, sound_id))


def create_sound(call: Call, guild_id: str) -> JsonObject:
    """Add a sound."""
    guild = access.guild(call.world, guild_id, permissions.CREATE_GUILD_EXPRESSIONS)
    fields = read(_new, call.body)
    if len(guild.sounds) >= MOST_SOUNDS:
        raise Refused(codes.MAXIMUM_SOUNDS)
    made: JsonObject = {
        "name": fields["name"], "sound_id": call.world.new_id(), "volume": 1.0, "emoji_id": None, "emoji_name": None,
        "guild_id": guild.id, "available": True, "user_id": call.world.me.id,
    }  # fmt: skip
    made |= _settings(fields)
    guild.sounds[made["sound_id"]] = made
    call.record(guild, Deed.SOUND_CREATE, made["sound_id"], changes=changes_between({}, made))
    return _shown(call, guild, made)


def update_sound(call: Call, guild_id: str, sound_id: str) -> JsonObject:
    """Change a sound; null puts a field back."""
    guild, sound = _manageable(call, guild_id, sound_id)
    before = dict(sound)
    sound |= _settings(read(_change, call.body))
    call.record(guild, Deed.SOUND_UPDATE, sound_id, changes=changes_between(before, sound))
    return _shown(call, guild, sound)


def delete_sound(call: Call, guild_id: str, sound_id: str) -> None:
    """Delete a sound."""
    guild, sound = _manageable(call, guild_id, sound_id)
    del guild.sounds[sound_id]
    call.record(guild, Deed.SOUND_DELETE, sound_id, changes=changes_between(sound, {}))


def play_sound(call: Call, channel_id: str) -> None:
    """Play a sound where the bot is connected and can be heard."""
    fields = read(_playing, call.body)
    needs = permissions.SPEAK | permissions.USE_SOUNDBOARD
    guild, _ = access.guild_channel(call.world, channel_id, needs)
    state = guild.voice_states.get(call.world.me.id, {})
    if state.get("channel_id") != channel_id:
        raise Refused(codes.NOT_IN_VOICE)
    if any(state.get(name) for name in SILENCED):
        raise Refused(codes.MISSING_PERMISSIONS)
    source = access.guild(call.world, fields.get("source_guild_id") or guild.id)
    if not any(each["sound_id"] == fields["sound_id"] for each in (*DEFAULTS, *source.sounds.values())):
        raise Refused(codes.UNKNOWN_SOUND)


def _settings(fields: JsonObject) -> JsonObject:
    """What a form says of a sound; without a volume it is as loud as can be."""
    told = {name: value for name, value in fields.items() if name != "sound"}
    return told | {"volume": 1.0} if told.get("volume", 1.0) is None else told


def _sound(guild: Guild, sound_id: str) -> JsonObject:
    if sound_id not in guild.sounds:
        raise Refused(codes.UNKNOWN_SOUND)
    return guild.sounds[sound_id]


def _granted(call: Call, guild: Guild) -> int:
    return permissions.in_guild(guild, guild.members[call.world.me.id])


def _manageable(call: Call, guild_id: str, sound_id: str) -> tuple[Guild, JsonObject]:
    """A sound that the bot may change: its own with either permission, others' with the one that manages."""
    guild = access.guild(call.world, guild_id)
    sound = _sound(guild, sound_id)
    allowing = EITHER if sound["user_id"] == call.world.me.id else EITHER[1:]
    if not any(_granted(call, guild) & one for one in allowing):
        raise Refused(codes.MISSING_PERMISSIONS)
    return guild, sound


def _shown(call: Call, guild: Guild, sound: JsonObject) -> JsonObject:
    """A sound, with who added it for those who may add or manage."""
    shown = {name: value for name, value in sound.items() if name != "user_id"}
    if not any(_granted(call, guild) & one for one in EITHER):
        return shown
    return shown | {"user": payloads.user(call.world.users[sound["user_id"]])}


ROUTES = (
    Route("GET", "/soundboard-default-sounds", list_default_sounds),
    Route("GET", "/guilds/{guild_id}/soundboard-sounds", list_sounds),
    Route("GET", "/guilds/{guild_id}/soundboard-sounds/{sound_id}", get_sound),
    Route("POST", "/guilds/{guild_id}/soundboard-sounds", create_sound, status=201),
    Route("PATCH", "/guilds/{guild_id}/soundboard-sounds/{sound_id}", update_sound),
    Route("DELETE", "/guilds/{guild_id}/soundboard-sounds/{sound_id}", delete_sound),
    Route("POST", "/channels/{channel_id}/send-soundboard-sound", play_sound),
)
