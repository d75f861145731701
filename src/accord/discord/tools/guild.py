"""guild: one guild as a whole."""

from __future__ import annotations

from typing import Annotated, Literal, Unpack

from accord.discord.access import needs
from accord.discord.conditions import weakens_a_guild
from accord.discord.files import with_images
from accord.discord.merging import whole_incident_actions
from accord.discord.models.guild_extras import (
    IncidentActions,
    IntegrationDeleted,
    Integrations,
    OwnVoiceChanged,
    OwnVoiceChanges,
    PruneBegun,
    PruneCount,
    PruneDays,
    PrunedRoles,
    VanityUrl,
    VoiceChanged,
    VoiceChanges,
    WelcomeScreen,
    WelcomeScreenChanges,
    Widget,
    WidgetChanges,
    WidgetImage,
    WidgetSettings,
    WidgetStyle,
)
from accord.discord.models.guilds import Guild, GuildChanges, GuildModified, GuildPreview, IncidentsData
from accord.discord.models.ids import GuildId, IntegrationId, JoinRequestId, UserId
from accord.discord.models.join_requests import (
    JoinRequest,
    JoinRequests,
    RejectionReason,
    RequestStatus,
    reason_is_for_rejecting,
)
from accord.discord.models.values import AuditReason, Cursor, Wire
from accord.discord.models.voice import VoiceRegions
from accord.discord.outgoing import changed
from accord.discord.pages import Way, onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.guild_extras import integrations, voice_regions, welcome_screen, widget, widget_image
from accord.discord.results.guilds import guild, guild_modified, guild_preview
from accord.discord.results.join_requests import join_request, join_requests
from accord.discord.results.picking import picked
from accord.discord.rules import changes, one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("guild", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Guild {id}.", facts=needs())
async def guild_get(discord: Discord, guild_id: GuildId) -> Guild:
    """Fetch one guild (server): name, owner, all settings, features, boosts, approximate member count."""
    return guild(await discord.get("/guilds/{}", guild_id, into=Wire, query={"with_counts": True}))


@tools.tool(Effect.READ, say="Preview of guild {id}.", facts=needs())
async def guild_get_preview(discord: Discord, guild_id: GuildId) -> GuildPreview:
    """Fetch what a guild shows to outsiders. One that the bot is not in must be discoverable."""
    return guild_preview(await discord.get("/guilds/{}/preview", guild_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed guild {id}.",
    checks=(changes("guild_id"),),
    facts=needs("MANAGE_GUILD", when={"features adds or removes COMMUNITY or DISCOVERABLE": "ADMINISTRATOR"}),
    confirm_when=weakens_a_guild,
)
async def guild_modify(discord: Discord, guild_id: GuildId, **settings: Unpack[GuildChanges]) -> GuildModified:
    """Change a guild's settings. What is left out stays; to unset something name it in clear."""
    body, reason = changed(settings)
    body = await with_images(discord, body, "icon", "splash", "discovery_splash", "banner", "home_header")
    sent = await discord.patch("/guilds/{}", guild_id, into=Wire, body=body, reason=reason, idempotent=True)
    return guild_modified(sent)


@tools.tool(
    Effect.UPDATE,
    say="Changed the incident actions of guild {guild_id}.",
    checks=(changes("guild_id"),),
    facts=needs("MANAGE_GUILD"),
)
async def guild_modify_incident_actions(
    discord: Discord, guild_id: GuildId, **actions: Unpack[IncidentActions]
) -> IncidentsData:
    """Pause joining by invite or DMs between members, as against a raid. What is left out stays as it is."""
    present = await discord.get("/guilds/{}", guild_id, into=Wire)
    body = whole_incident_actions(present.get("incidents_data"), actions)
    sent = await discord.put("/guilds/{}/incident-actions", guild_id, into=Wire, body=body)
    return picked(IncidentsData, sent)


@tools.tool(Effect.READ, say="Voice regions: {count}.", facts=needs())
async def guild_list_voice_regions(discord: Discord, guild_id: GuildId) -> VoiceRegions:
    """List the voice regions that a guild's channels can use, VIP ones included."""
    return voice_regions(await discord.get("/guilds/{}/regions", guild_id, into=list[Wire]))


@tools.tool(Effect.READ, say="Integrations: {count}.", facts=needs("MANAGE_GUILD"))
async def guild_list_integrations(discord: Discord, guild_id: GuildId) -> Integrations:
    """List the bots and accounts that are connected to a guild; Discord tells of 50 at most."""
    return integrations(await discord.get("/guilds/{}/integrations", guild_id, into=list[Wire]))


@tools.tool(Effect.DELETE, say="Deleted integration {integration_id}.", facts=needs("MANAGE_GUILD"))
async def guild_delete_integration(
    discord: Discord, guild_id: GuildId, integration_id: IntegrationId, audit_reason: AuditReason | None = None
) -> IntegrationDeleted:
    """Disconnect an integration for good: its webhooks go and its bot is kicked."""
    await discord.do("DELETE", "/guilds/{}/integrations/{}", guild_id, integration_id, reason=audit_reason)
    return {"deleted": True, "integration_id": integration_id, "guild_id": guild_id}


@tools.tool(Effect.READ, say="Widget settings of guild {guild_id}.", facts=needs("MANAGE_GUILD"))
async def guild_get_widget_settings(discord: Discord, guild_id: GuildId) -> WidgetSettings:
    """Fetch whether a guild's widget is on, and the channel of its invite."""
    return picked(WidgetSettings, await discord.get("/guilds/{}/widget", guild_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed the widget of guild {guild_id}.",
    checks=(changes("guild_id"),),
    facts=needs("MANAGE_GUILD"),
)
async def guild_modify_widget(discord: Discord, guild_id: GuildId, **settings: Unpack[WidgetChanges]) -> WidgetSettings:
    """Switch a guild's public widget on or off, or set the channel of its invite."""
    body, reason = changed(settings)
    sent = await discord.patch("/guilds/{}/widget", guild_id, into=Wire, body=body, reason=reason, idempotent=True)
    return picked(WidgetSettings, sent)


@tools.tool(Effect.READ, say="Widget of guild {id}: {presence_count} online.", facts=needs(auth="none"))
async def guild_get_widget(discord: Discord, guild_id: GuildId) -> Widget:
    """Fetch the public widget of a guild that has it on: online count, open voice channels, invite."""
    discord = discord.as_nobody()
    return widget(await discord.get("/guilds/{}/widget.json", guild_id, into=Wire))


@tools.tool(Effect.READ, say="Widget image of guild {guild_id}.", open_world=False, facts=needs(auth="none"))
async def guild_get_widget_image_url(
    _discord: Discord, guild_id: GuildId, style: WidgetStyle = "shield"
) -> WidgetImage:
    """Build the address of a guild's widget as a PNG picture; it shows while the widget is on."""
    return widget_image(guild_id, style)


@tools.tool(Effect.READ, say="Vanity invite of guild {guild_id}.", facts=needs("MANAGE_GUILD"))
async def guild_get_vanity_url(discord: Discord, guild_id: GuildId) -> VanityUrl:
    """Fetch the code of a guild's own invite and its uses; null without one."""
    return picked(VanityUrl, await discord.get("/guilds/{}/vanity-url", guild_id, into=Wire))


@tools.tool(
    Effect.READ,
    say="Welcome screen of guild {guild_id}.",
    facts=needs(when={"the welcome screen is off": "MANAGE_GUILD"}),
)
async def guild_get_welcome_screen(discord: Discord, guild_id: GuildId) -> WelcomeScreen:
    """Fetch what newcomers see first. It is on if guild_get's features have WELCOME_SCREEN_ENABLED."""
    return welcome_screen(await discord.get("/guilds/{}/welcome-screen", guild_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed the welcome screen of guild {guild_id}.",
    checks=(changes("guild_id"),),
    facts=needs("MANAGE_GUILD"),
)
async def guild_modify_welcome_screen(
    discord: Discord, guild_id: GuildId, **screen: Unpack[WelcomeScreenChanges]
) -> WelcomeScreen:
    """Change what newcomers see first. What is left out stays; welcome_channels replaces the list."""
    body, reason = changed(screen)
    sent = await discord.patch(
        "/guilds/{}/welcome-screen", guild_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return welcome_screen(sent)


@tools.tool(Effect.READ, say="Members to prune: {pruned}.", facts=needs("MANAGE_GUILD", "KICK_MEMBERS"))
async def guild_get_prune_count(
    discord: Discord, guild_id: GuildId, days: PruneDays = 7, include_roles: PrunedRoles | None = None
) -> PruneCount:
    """Count the inactive members whom guild_begin_prune would remove. Nobody is removed."""
    query = {"days": days, "include_roles": ",".join(include_roles) if include_roles else None}
    return picked(PruneCount, await discord.get("/guilds/{}/prune", guild_id, into=Wire, query=query))


@tools.tool(
    Effect.DELETE,
    idempotent=False,
    say="Began to prune guild {guild_id}.",
    facts=needs("MANAGE_GUILD", "KICK_MEMBERS"),
)
async def guild_begin_prune(
    discord: Discord,
    guild_id: GuildId,
    days: PruneDays = 7,
    compute_prune_count: bool | None = None,
    include_roles: PrunedRoles | None = None,
    audit_reason: AuditReason | None = None,
) -> PruneBegun:
    """Kick all inactive members who have no roles, or only included ones. Count them first.

    In large guilds set compute_prune_count to false.
    """
    rest = {"compute_prune_count": compute_prune_count, "include_roles": include_roles}
    body = {"days": days} | {name: value for name, value in rest.items() if value is not None}
    sent = await discord.post("/guilds/{}/prune", guild_id, into=Wire, body=body, reason=audit_reason)
    return picked(PruneBegun, sent, guild_id=guild_id)


@tools.tool(
    Effect.UPDATE,
    say="Changed the voice state of <@{user_id}>.",
    checks=(changes("guild_id", "user_id"),),
    facts=needs("MUTE_MEMBERS", counts_in="channel_id"),
)
async def guild_modify_user_voice_state(
    discord: Discord, guild_id: GuildId, user_id: UserId, **state: Unpack[VoiceChanges]
) -> VoiceChanged:
    """Let a member on a stage speak, or move them to the audience. They must be there already."""
    await discord.do("PATCH", "/guilds/{}/voice-states/{}", guild_id, user_id, body=state, idempotent=True)
    return {"ok": True, "user_id": user_id, "channel_id": state.get("channel_id")}


@tools.tool(
    Effect.UPDATE,
    say="Changed the bot's voice state in guild {guild_id}.",
    checks=(changes("guild_id"),),
    facts=needs(
        when={"suppress is false": "MUTE_MEMBERS", "to ask to speak": "REQUEST_TO_SPEAK"}, counts_in="channel_id"
    ),
)
async def guild_modify_current_voice_state(
    discord: Discord, guild_id: GuildId, **state: Unpack[OwnVoiceChanges]
) -> OwnVoiceChanged:
    """Let the bot speak, go to the audience, or raise its hand on a stage that it is in."""
    body, _ = changed(state)
    await discord.do("PATCH", "/guilds/{}/voice-states/@me", guild_id, body=body, idempotent=True)
    return {"ok": True, "guild_id": guild_id}


@tools.tool(
    Effect.READ,
    say="Join requests: {count}.",
    checks=(one_place,),
    facts=needs("KICK_MEMBERS"),
)
async def guild_list_join_requests(
    discord: Discord,
    guild_id: GuildId,
    status: RequestStatus | None = None,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 100,
    before: JoinRequestId | None = None,
    after: JoinRequestId | None = None,
    cursor: Cursor | None = None,
) -> JoinRequests:
    """List applications to join the guild with their answers. Those that wait for a decision are SUBMITTED."""
    place = {"before": before, "after": after, **place_of(cursor)}
    query = {"status": status, "limit": limit, **place}
    page = await discord.get("/guilds/{}/requests", guild_id, into=Wire, query=query)
    way: Way = "after" if place["after"] else "before"
    return join_requests(page, onward(page["guild_join_requests"], way, full=limit))


@tools.tool(
    Effect.UPDATE,
    say="Join request {id}: {application_status}.",
    checks=(reason_is_for_rejecting,),
    facts=needs("KICK_MEMBERS"),
)
async def guild_resolve_join_request(
    discord: Discord,
    guild_id: GuildId,
    request_id: JoinRequestId,
    action: Literal["APPROVED", "REJECTED"],
    rejection_reason: RejectionReason | None = None,
) -> JoinRequest:
    """Approve a submitted application, which lets its author in, or reject it. Read the answers first."""
    body = {"action": action} | ({"rejection_reason": rejection_reason} if rejection_reason else {})
    made = await discord.patch("/guilds/{}/requests/{}", guild_id, request_id, into=Wire, body=body)
    return join_request(made)
