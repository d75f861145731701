"""Who speaks on a stage: changing the voice state of the bot and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, channel_settings, codes, permissions
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, moment, read, snowflake, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

_theirs = form({"channel_id": snowflake, "suppress": truth})
_own = form({"channel_id": snowflake, "suppress": truth, "request_to_speak_timestamp": moment})


def update_voice_state(call: Call, guild_id: str, user_id: str) -> None:
    """Let a member on a stage speak, or not; who may speak has their hand up, and who may not has it down."""
    access.guild(call.world, guild_id, permissions.MUTE_MEMBERS)
    fields: JsonObject = read(_theirs, call.body)
    state = _on_stage(call, guild_id, user_id, fields)
    if fields.get("suppress") is not None:
        raises_hand = not fields["suppress"] and not call.world.users[user_id].bot
        state["suppress"] = fields["suppress"]
        state["request_to_speak_timestamp"] = call.world.now() if raises_hand else None


def update_own_voice_state(call: Call, guild_id: str) -> None:
    """Let the bot speak, or not, or raise its hand."""
    fields: JsonObject = read(_own, call.body)
    access.guild(call.world, guild_id, _needed(fields))
    state = _on_stage(call, guild_id, call.world.me.id, fields)
    state |= {name: fields[name] for name in ("suppress",) if fields.get(name) is not None}
    state |= {name: fields[name] for name in ("request_to_speak_timestamp",) if name in fields}


def _needed(fields: JsonObject) -> int:
    unsuppresses = permissions.MUTE_MEMBERS if fields.get("suppress") is False else 0
    return unsuppresses | (permissions.REQUEST_TO_SPEAK if fields.get("request_to_speak_timestamp") else 0)


def _on_stage(call: Call, guild_id: str, user_id: str, fields: JsonObject) -> JsonObject:
    """The state of somebody who is on a stage, on the named one if one is named; raises Refused 10065 or 50024."""
    state = access.guild(call.world, guild_id).voice_states.get(user_id)
    if state is None or fields.get("channel_id") not in (None, state["channel_id"]):
        raise Refused(codes.UNKNOWN_VOICE_STATE)
    if call.world.channels[state["channel_id"]].type != channel_settings.STAGE:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    return state


ROUTES = (
    Route("PATCH", "/guilds/{guild_id}/voice-states/@me", update_own_voice_state),
    Route("PATCH", "/guilds/{guild_id}/voice-states/{user_id}", update_voice_state),
)
