"""templates: guilds to make others from."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.conditions import always
from accord.discord.models.ids import GuildId, TemplateCode
from accord.discord.models.templates import (
    NewTemplate,
    TemplateChanges,
    TemplateDeleted,
    TemplateDiff,
    TemplateInspected,
    Templates,
    TemplateShown,
    TemplateWhole,
)
from accord.discord.models.values import Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.templates import (
    template_deleted,
    template_diff,
    template_inspected,
    template_shown,
    template_whole,
    templates,
)
from accord.discord.rules import changes
from accord.discord.templates.drift import drift_of
from accord.engine import Effect, Toolset

tools = Toolset("templates", fence="untrusted_discord")


@tools.tool(Effect.READ, say="A guild template.", facts=needs(guild="template"))
async def templates_get(discord: Discord, template_code: TemplateCode) -> TemplateWhole:
    """Fetch a guild template, anybody's, with all roles and channels. templates_inspect is much shorter."""
    return template_whole(await discord.get("/guilds/templates/{}", template_code, into=Wire))


@tools.tool(Effect.READ, say="A guild template in numbers.", facts=needs(guild="template"))
async def templates_inspect(discord: Discord, template_code: TemplateCode) -> TemplateInspected:
    """Count what a guild template holds, and name the roles that it gives risky permissions."""
    return template_inspected(await discord.get("/guilds/templates/{}", template_code, into=Wire))


@tools.tool(Effect.READ, say="A guild and its template.", facts=needs())
async def templates_diff(discord: Discord, guild_id: GuildId, template_code: TemplateCode) -> TemplateDiff:
    """Compare a guild with a template made from it: roles and channels that differ, and whether to sync."""
    template = await discord.get("/guilds/templates/{}", template_code, into=Wire)
    if template["source_guild_id"] != guild_id:
        return template_diff(template, None)
    channels = await discord.get("/guilds/{}/channels", guild_id, into=list[Wire])
    roles = await discord.get("/guilds/{}/roles", guild_id, into=list[Wire])
    return template_diff(template, drift_of(template, channels, roles))


@tools.tool(Effect.READ, say="Templates: {count}.", facts=needs("MANAGE_GUILD"))
async def templates_list(discord: Discord, guild_id: GuildId) -> Templates:
    """List the templates of a guild, without what they hold."""
    return templates(await discord.get("/guilds/{}/templates", guild_id, into=list[Wire]))


@tools.tool(Effect.CREATE, say="Created a template of guild {guild_id}.", facts=needs("MANAGE_GUILD"))
async def templates_create(discord: Discord, guild_id: GuildId, **template: Unpack[NewTemplate]) -> TemplateShown:
    """Make a template of a guild as it is now; a guild has one at most."""
    body, _ = given(template)
    return template_shown(await discord.post("/guilds/{}/templates", guild_id, into=Wire, body=body))


@tools.tool(
    Effect.UPDATE,
    say="Synced template {template_code}.",
    facts=needs("MANAGE_GUILD"),
    confirm_when=always("what the template held before is lost"),
)
async def templates_sync(discord: Discord, guild_id: GuildId, template_code: TemplateCode) -> TemplateShown:
    """Let a template hold its guild as it is now; what it held before is lost. See templates_diff first."""
    return template_shown(await discord.put("/guilds/{}/templates/{}", guild_id, template_code, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed template {template_code}.",
    checks=(changes("guild_id", "template_code"),),
    facts=needs("MANAGE_GUILD"),
)
async def templates_modify(
    discord: Discord, guild_id: GuildId, template_code: TemplateCode, **template: Unpack[TemplateChanges]
) -> TemplateShown:
    """Change a template's name or description, not what it holds."""
    body, _ = changed(template)
    sent = await discord.patch(
        "/guilds/{}/templates/{}", guild_id, template_code, into=Wire, body=body, idempotent=True
    )
    return template_shown(sent)


@tools.tool(Effect.DELETE, say="Deleted template {template_code}.", facts=needs("MANAGE_GUILD"))
async def templates_delete(discord: Discord, guild_id: GuildId, template_code: TemplateCode) -> TemplateDeleted:
    """Delete a template for good; its address leads nowhere then."""
    template = await discord.get("/guilds/templates/{}", template_code, into=Wire)
    await discord.do("DELETE", "/guilds/{}/templates/{}", guild_id, template_code)
    return template_deleted(template)
