"""What else a guild has: voice regions, widget, vanity address, integrations, incident actions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, channel_settings, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, moment, read, snowflake, truth
from accord.discord.sandbox.routes.voice import list_regions
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

DAY_SECONDS = 24 * 60 * 60
MOST_INTEGRATIONS = 50
PAUSED = ("invites_disabled_until", "dms_disabled_until")
_widget = form({"enabled": truth, "channel_id": snowflake})
_incidents = form(dict.fromkeys(PAUSED, moment))


def list_guild_regions(call: Call, guild_id: str) -> list[JsonObject]:
    """The voice regions that the guild's channels can be in: no guild here has any of its own."""
    access.guild(call.world, guild_id)
    return list_regions(call)


def list_integrations(call: Call, guild_id: str) -> list[JsonObject]:
    """The guild's integrations; of more than fifty nobody is told."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    return list(guild.integrations.values())[:MOST_INTEGRATIONS]


def delete_integration(call: Call, guild_id: str, integration_id: str) -> None:
    """Take an integration away; its webhooks go, and its bot leaves."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    if integration_id not in guild.integrations:
        raise Refused(codes.UNKNOWN_INTEGRATION)
    application = guild.integrations.pop(integration_id).get("application") or {}
    guild.members.pop(application.get("bot", {}).get("id"), None)
    for webhook in [one for one in call.world.webhooks.values() if one.get("guild_id") == guild_id]:
        if application and webhook.get("application_id") == application["id"]:
            del call.world.webhooks[webhook["id"]]
    call.record(guild, Deed.INTEGRATION_DELETE, integration_id)


def get_widget_settings(call: Call, guild_id: str) -> JsonObject:
    """Whether the widget is on, and where its invite leads."""
    return payloads.widget_settings(access.guild(call.world, guild_id, permissions.MANAGE_GUILD))


def update_widget(call: Call, guild_id: str) -> JsonObject:
    """Switch the widget, or let its invite lead elsewhere."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    fields: JsonObject = read(_widget, call.body)
    channel_id = fields.get("channel_id")
    if channel_id is not None and channel_id not in {one.id for one in call.world.channels_of(guild_id)}:
        raise Refused(codes.UNKNOWN_CHANNEL)
    before = payloads.widget_settings(guild)
    guild.widget |= {name: value for name, value in fields.items() if name == "channel_id" or value is not None}
    after = payloads.widget_settings(guild)
    call.record(guild, Deed.GUILD_UPDATE, guild.id, changes=changes_between(before, after))
    return after


def get_widget(call: Call, guild_id: str) -> JsonObject:
    """The widget, which everybody may ask for while it is on; its members are anonymised."""
    guild = access.guild(call.world, guild_id)
    if not guild.widget.get("enabled"):
        raise Refused(codes.WIDGET_DISABLED)
    people = [call.world.users[each] for each in guild.members]
    return {
        "id": guild.id,
        "name": guild.name,
        "instant_invite": _invite(call, guild.widget.get("channel_id")),
        "channels": _open_channels(call, guild_id),
        "members": [payloads.widget_member(number, one) for number, one in enumerate(people) if not one.bot],
        "presence_count": len(people),
    }


def _invite(call: Call, channel_id: str | None) -> str | None:
    codes_there = (code for code, one in call.world.invites.items() if one.get("channel", {}).get("id") == channel_id)
    code = next(codes_there, None)
    return None if code is None else f"https://discord.com/invite/{code}"


def _open_channels(call: Call, guild_id: str) -> list[JsonObject]:
    guild = call.world.guilds[guild_id]
    return [
        {"id": one.id, "name": one.name, "position": one.position}
        for one in call.world.channels_of(guild_id)
        if one.type in (channel_settings.VOICE, channel_settings.STAGE)
        and not (one.overwrites[guild.id].deny if guild.id in one.overwrites else 0) & permissions.VIEW_CHANNEL
    ]


def get_vanity_url(call: Call, guild_id: str) -> JsonObject:
    """The guild's own invite; a null code where there is none."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    return {"code": guild.settings.get("vanity_url_code"), "uses": guild.vanity_uses}


def put_incident_actions(call: Call, guild_id: str) -> JsonObject:
    """Pause what is named for a day at most; what is not named is paused no more."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    until: dict[str, str | None] = dict.fromkeys(PAUSED) | read(_incidents, call.body)
    complaints = Complaints()
    for name, value in until.items():
        _check_span(call, value, complaints.at(name))
    complaints.settle()
    guild.settings["incidents_data"] = until if any(until.values()) else None
    return until


def _check_span(call: Call, value: Any, complaints: Complaints) -> None:
    ahead = datetime.fromisoformat(value).timestamp() - call.world.clock() if value else 0
    if ahead < 0 or ahead > DAY_SECONDS:
        complaints.say("DATE_TIME_INVALID", "Must be in the next 24 hours.")


ROUTES = (
    Route("GET", "/guilds/{guild_id}/regions", list_guild_regions),
    Route("GET", "/guilds/{guild_id}/integrations", list_integrations),
    Route("DELETE", "/guilds/{guild_id}/integrations/{integration_id}", delete_integration),
    Route("GET", "/guilds/{guild_id}/widget", get_widget_settings),
    Route("PATCH", "/guilds/{guild_id}/widget", update_widget),
    Route("GET", "/guilds/{guild_id}/widget.json", get_widget, auth="anybody"),
    Route("GET", "/guilds/{guild_id}/vanity-url", get_vanity_url),
    Route("PUT", "/guilds/{guild_id}/incident-actions", put_incident_actions),
)
