"""Usual calls of guild."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox import channel_settings as kinds
from accord.discord.sandbox.demo_members import JOIN_REQUEST, NOOR
from accord.discord.sandbox.snowflakes import iso
from accord.discord.sandbox.world import Channel, Member, User

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED"]


def _guild(_: Sandbox) -> Arguments:
    return {"guild_id": demo.GUILD}


def _integration(sandbox: Sandbox) -> Arguments:
    """An integration of this call's own."""
    made = sandbox.world.new_id()
    account = {"id": made, "name": "Lamp Feed"}
    sandbox.world.guilds[demo.GUILD].integrations[made] = {
        "id": made, "type": "guild_subscription", "name": "Lamp Feed", "account": account, "enabled": True,
    }  # fmt: skip
    return {"guild_id": demo.GUILD, "integration_id": made}


def _idler(sandbox: Sandbox) -> str:
    """Somebody who joined long ago and never said a word."""
    world = sandbox.world
    made = world.new_id()
    world.users[made] = User(made, "idler")
    world.guilds[demo.GUILD].members[made] = Member(made, "2020-01-01T00:00:00.000000+00:00")
    return made


def _prune(sandbox: Sandbox) -> Arguments:
    _idler(sandbox)
    return {"guild_id": demo.GUILD, "days": 30}


def _audience(sandbox: Sandbox, guild_id: str, user_id: str) -> str:
    """A stage on which the user listens."""
    made = sandbox.world.new_id()
    sandbox.world.channels[made] = Channel(
        made, kinds.STAGE, "stage", guild_id, settings=kinds.settings_at_first(kinds.STAGE)
    )
    sandbox.world.guilds[guild_id].voice_states[user_id] = {
        "guild_id": guild_id, "channel_id": made, "user_id": user_id, "session_id": "90326bd25d71d39b",
        "deaf": False, "mute": False, "self_deaf": False, "self_mute": False, "self_video": False, "suppress": True,
        "request_to_speak_timestamp": None,
    }  # fmt: skip
    return made


def _speaker(sandbox: Sandbox) -> Arguments:
    stage = _audience(sandbox, demo.GUILD, demo.LENA)
    return {"guild_id": demo.GUILD, "user_id": demo.LENA, "channel_id": stage, "suppress": False}


def _own_state(sandbox: Sandbox) -> Arguments:
    return {"guild_id": demo.GUILD, "channel_id": _audience(sandbox, demo.GUILD, demo.BOT), "suppress": False}


def _paused(sandbox: Sandbox) -> Arguments:
    return {"guild_id": demo.GUILD, "invites_disabled_until": iso(sandbox.world.clock() + demo.HOUR)}


def _join_request(sandbox: Sandbox) -> Arguments:
    """An application of this call's own."""
    requests, made = sandbox.world.guilds[demo.GUILD].join_requests, sandbox.world.new_id()
    requests[made] = {**requests[JOIN_REQUEST], "id": made, "user_id": NOOR, "application_status": "SUBMITTED"}
    return {"guild_id": demo.GUILD, "request_id": made}


NOWHERE = {"guild_id": MISSING}

EXAMPLES: Examples = {
    "guild_get": _guild,
    "guild_get_preview": _guild,
    "guild_modify": lambda _: {"guild_id": demo.GUILD, "verification_level": 2, "__confirm": True},
    "guild_modify_incident_actions": _paused,
    "guild_list_voice_regions": _guild,
    "guild_list_integrations": _guild,
    "guild_delete_integration": lambda sandbox: {**_integration(sandbox), "__confirm": True},
    "guild_get_widget_settings": _guild,
    "guild_modify_widget": lambda _: {"guild_id": demo.GUILD, "enabled": True},
    "guild_get_widget": _guild,
    "guild_get_widget_image_url": lambda _: {"guild_id": demo.GUILD, "style": "banner1"},
    "guild_get_vanity_url": _guild,
    "guild_get_welcome_screen": _guild,
    "guild_modify_welcome_screen": lambda _: {"guild_id": demo.GUILD, "description": "Come in."},
    "guild_get_prune_count": lambda _: {"guild_id": demo.GUILD, "days": 14, "include_roles": [demo.MEMBER_ROLE]},
    "guild_begin_prune": lambda sandbox: {**_prune(sandbox), "__confirm": True},
    "guild_modify_user_voice_state": _speaker,
    "guild_modify_current_voice_state": _own_state,
    "guild_list_join_requests": lambda _: {"guild_id": demo.GUILD, "status": "SUBMITTED"},
    "guild_resolve_join_request": lambda sandbox: {**_join_request(sandbox), "action": "REJECTED"},
}

REFUSED: Refusals = {
    "guild_get": not_found(NOWHERE),
    "guild_get_preview": not_found(NOWHERE),
    "guild_modify": not_found({**NOWHERE, "name": "Lanterns"}),
    "guild_modify_incident_actions": not_found({**NOWHERE, "clear": ["dms_disabled_until"]}),
    "guild_list_voice_regions": not_found(NOWHERE),
    "guild_list_integrations": not_found(NOWHERE),
    "guild_delete_integration": not_found({"guild_id": demo.GUILD, "integration_id": MISSING, "__confirm": True}),
    "guild_get_widget_settings": not_found(NOWHERE),
    "guild_modify_widget": not_found({**NOWHERE, "enabled": True}),
    "guild_get_widget": not_found(NOWHERE),
    "guild_get_widget_image_url": Refusal({"guild_id": demo.GUILD, "style": "banner5"}, "VALIDATION_FAILED"),
    "guild_get_vanity_url": not_found(NOWHERE),
    "guild_get_welcome_screen": not_found(NOWHERE),
    "guild_modify_welcome_screen": not_found({**NOWHERE, "description": "Come in."}),
    "guild_get_prune_count": not_found(NOWHERE),
    "guild_begin_prune": not_found({**NOWHERE, "__confirm": True}),
    "guild_modify_user_voice_state": not_found({"guild_id": demo.GUILD, "user_id": demo.OMAR, "suppress": True}),
    "guild_modify_current_voice_state": not_found({**NOWHERE, "suppress": True}),
    "guild_list_join_requests": not_found(NOWHERE),
    "guild_resolve_join_request": not_found({"guild_id": demo.GUILD, "request_id": MISSING, "action": "APPROVED"}),
}

DEPARTURES: dict[str, str] = {
    "guild_modify.owner_id": "bots own no guilds any more, and Discord's documentation has the field no longer",
    "guild_modify_user_voice_state.audit_reason": "Discord takes no reason for a change of a voice state",
}
