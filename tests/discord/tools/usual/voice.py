"""Usual calls of voice."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo, demo_channels

__all__ = ["EXAMPLES", "REFUSED"]


def _bot_in_voice(sandbox: Sandbox) -> Arguments:
    demo_channels.in_voice(sandbox.world.guilds[demo.GUILD], demo.VOICE, demo.BOT)
    return {"guild_id": demo.GUILD}


EXAMPLES: Examples = {
    "voice_list_regions": lambda _: {},
    "voice_get_current_user_state": _bot_in_voice,
    "voice_get_user_state": lambda _: {"guild_id": demo.GUILD, "user_id": demo.THEO},
    "voice_set_channel_status": lambda _: {"channel_id": demo.VOICE, "status": "Soldering until six"},
}

REFUSED: Refusals = {
    "voice_list_regions": Refusal({"guild_id": demo.GUILD}, "VALIDATION_FAILED"),
    "voice_get_current_user_state": not_found({"guild_id": MISSING}),
    "voice_get_user_state": not_found({"guild_id": demo.GUILD, "user_id": demo.OMAR}),
    "voice_set_channel_status": not_found({"channel_id": MISSING, "status": "x"}),
}
