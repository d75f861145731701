"""Usual calls of soundboard."""

from __future__ import annotations

import base64
from typing import Final

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_voice import SOUND

__all__ = ["EXAMPLES", "OGG", "REFUSED"]

OGG: Final = "data:audio/ogg;base64," + base64.b64encode(b"OggS\0 a short sound").decode()


def _sound(sandbox: Sandbox, **more: object) -> Arguments:
    """A sound that the bot added, for this call alone."""
    sounds, made = sandbox.world.guilds[demo.GUILD].sounds, sandbox.world.new_id()
    sounds[made] = {**sounds[SOUND], "sound_id": made, "user_id": demo.BOT}
    return {"guild_id": demo.GUILD, "sound_id": made, **more}


def _new(sandbox: Sandbox) -> Arguments:
    """A sound to add, on a board on which there is room."""
    sounds = sandbox.world.guilds[demo.GUILD].sounds
    for sound_id in [each for each in sounds if each != SOUND]:
        del sounds[sound_id]
    return {"guild_id": demo.GUILD, "name": "gong", "sound": OGG, "volume": 0.5, "emoji_name": "🔔"}


def _connected(sandbox: Sandbox) -> Arguments:
    """A voice channel that the bot is connected to."""
    states = sandbox.world.guilds[demo.GUILD].voice_states
    states[demo.BOT] = {
        "guild_id": demo.GUILD, "channel_id": demo.VOICE, "user_id": demo.BOT, "session_id": f"{int(demo.BOT):032x}",
        "deaf": False, "mute": False, "self_deaf": False, "self_mute": False, "self_stream": False,
        "self_video": False, "suppress": False, "request_to_speak_timestamp": None,
    }  # fmt: skip
    return {"channel_id": demo.VOICE, "sound_id": "1"}


NOWHERE = {"guild_id": demo.GUILD, "sound_id": MISSING}

EXAMPLES: Examples = {
    "soundboard_list_default_sounds": lambda _: {},
    "soundboard_list_guild_sounds": lambda _: {"guild_id": demo.GUILD},
    "soundboard_get_guild_sound": lambda _: {"guild_id": demo.GUILD, "sound_id": SOUND},
    "soundboard_create_guild_sound": _new,
    "soundboard_modify_guild_sound": lambda sandbox: _sound(sandbox, name="second light", volume=1),
    "soundboard_delete_guild_sound": lambda sandbox: _sound(sandbox, __confirm=True),
    "soundboard_send_sound": _connected,
}

REFUSED: Refusals = {
    "soundboard_list_default_sounds": Refusal({"guild_id": demo.GUILD}, "VALIDATION_FAILED"),
    "soundboard_list_guild_sounds": not_found({"guild_id": MISSING}),
    "soundboard_get_guild_sound": not_found(NOWHERE),
    "soundboard_create_guild_sound": not_found({"guild_id": MISSING, "name": "gong", "sound": OGG}),
    "soundboard_modify_guild_sound": not_found({**NOWHERE, "name": "gong"}),
    "soundboard_delete_guild_sound": not_found({**NOWHERE, "__confirm": True}),
    "soundboard_send_sound": not_found({"channel_id": MISSING, "sound_id": "1"}),
}
