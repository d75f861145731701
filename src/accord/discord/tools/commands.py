"""commands: the bot's slash and context menu commands."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.application_lookup import application_of
from accord.discord.conditions import always
from accord.discord.models.command_rules import changes_are_whole, command_is_whole, commands_are_whole, for_a_guild
from accord.discord.models.commands import (
    Command,
    CommandChanges,
    CommandDeleted,
    CommandPermission,
    CommandPermissions,
    Commands,
    GuildCommandDeleted,
    GuildCommandPermissions,
    KeptCommand,
    NewCommand,
)
from accord.discord.models.ids import ApplicationCommandId, ApplicationId, BearerToken, GuildId
from accord.discord.models.values import Wire
from accord.discord.outgoing import changed
from accord.discord.rest.client import Discord
from accord.discord.results.commands import command as shown
from accord.discord.results.commands import commands as all_shown
from accord.discord.results.picking import WHOLE, each_picked, picked
from accord.discord.rules import changes
from accord.engine import Effect, Field, Toolset

tools = Toolset("commands", fence="untrusted_discord")

OWN = needs(reach="bot")
"""Commands are their application's, in a guild too: no guild grants anything."""

AllCommands = Annotated[list[KeptCommand], Field(max_items=130, description="all that there are to be")]
Permissions = Annotated[
    list[CommandPermission],
    Field(max_items=100, description="type 1 role, 2 user, 3 channel; guild_id is everyone, guild_id - 1 all channels"),
]


@tools.tool(Effect.READ, say="Global commands: {count}.", facts=OWN)
async def commands_list_global(
    discord: Discord, application_id: ApplicationId | None = None, with_localizations: bool | None = None
) -> Commands:
    """List the bot's global commands with their options."""
    own = await application_of(discord, application_id)
    query = {"with_localizations": with_localizations}
    return all_shown(await discord.get("/applications/{}/commands", own, into=list[Wire], query=query))


@tools.tool(Effect.READ, say="Command {id}.", facts=OWN)
async def commands_get_global(
    discord: Discord, command_id: ApplicationCommandId, application_id: ApplicationId | None = None
) -> Command:
    """Fetch one global command with its options and translations."""
    own = await application_of(discord, application_id)
    return shown(await discord.get("/applications/{}/commands/{}", own, command_id, into=Wire))


@tools.tool(Effect.CREATE, say="Command {id} is there.", checks=(command_is_whole,), idempotent=True, facts=OWN)
async def commands_create_global(
    discord: Discord, application_id: ApplicationId | None = None, **command: Unpack[NewCommand]
) -> Command:
    """Create a global command. One of the same name and type is overwritten."""
    own = await application_of(discord, application_id)
    body = dict(command)
    return shown(await discord.post("/applications/{}/commands", own, into=Wire, body=body, idempotent=True))


@tools.tool(
    Effect.UPDATE,
    say="Changed command {id}.",
    checks=(changes("application_id", "command_id"), changes_are_whole),
    facts=OWN,
)
async def commands_modify_global(
    discord: Discord,
    command_id: ApplicationCommandId,
    application_id: ApplicationId | None = None,
    **command: Unpack[CommandChanges],
) -> Command:
    """Change a global command. What is left out stays; options are replaced as a whole."""
    own = await application_of(discord, application_id)
    body, _ = changed(command)
    return shown(
        await discord.patch("/applications/{}/commands/{}", own, command_id, into=Wire, body=body, idempotent=True)
    )


@tools.tool(Effect.DELETE, say="Deleted command {command_id}.", facts=OWN)
async def commands_delete_global(
    discord: Discord, command_id: ApplicationCommandId, application_id: ApplicationId | None = None
) -> CommandDeleted:
    """Delete a global command, for all guilds."""
    own = await application_of(discord, application_id)
    await discord.do("DELETE", "/applications/{}/commands/{}", own, command_id)
    return {"deleted": True, "command_id": command_id}


@tools.tool(Effect.DELETE, say="Global commands now: {count}.", checks=(commands_are_whole,), facts=OWN)
async def commands_bulk_overwrite_global(
    discord: Discord, commands: AllCommands, application_id: ApplicationId | None = None
) -> Commands:
    """Replace all global commands: those not listed are deleted.

    List them first, and keep each one's id.
    """
    own = await application_of(discord, application_id)
    return all_shown(await discord.put("/applications/{}/commands", own, into=list[Wire], body=list(commands)))


@tools.tool(Effect.READ, say="Commands of guild {guild_id}: {count}.", facts=OWN)
async def commands_list_guild(
    discord: Discord,
    guild_id: GuildId,
    application_id: ApplicationId | None = None,
    with_localizations: bool | None = None,
) -> Commands:
    """List the commands that the bot has in one guild alone; global ones are not among them."""
    own = await application_of(discord, application_id)
    query = {"with_localizations": with_localizations}
    sent = await discord.get("/applications/{}/guilds/{}/commands", own, guild_id, into=list[Wire], query=query)
    return all_shown(sent)


@tools.tool(Effect.READ, say="Command {id} of guild {guild_id}.", facts=OWN)
async def commands_get_guild(
    discord: Discord, guild_id: GuildId, command_id: ApplicationCommandId, application_id: ApplicationId | None = None
) -> Command:
    """Fetch one command of a guild with its options and translations."""
    own = await application_of(discord, application_id)
    return shown(await discord.get("/applications/{}/guilds/{}/commands/{}", own, guild_id, command_id, into=Wire))


@tools.tool(
    Effect.CREATE,
    say="Command {id} is there in guild {guild_id}.",
    checks=(command_is_whole, for_a_guild),
    idempotent=True,
    facts=OWN,
)
async def commands_create_guild(
    discord: Discord, guild_id: GuildId, application_id: ApplicationId | None = None, **command: Unpack[NewCommand]
) -> Command:
    """Create a command in one guild; it is there at once. One of the same name and type is overwritten."""
    own = await application_of(discord, application_id)
    body = dict(command)
    return shown(
        await discord.post("/applications/{}/guilds/{}/commands", own, guild_id, into=Wire, body=body, idempotent=True)
    )


@tools.tool(
    Effect.UPDATE,
    say="Changed command {id} of guild {guild_id}.",
    checks=(changes("application_id", "guild_id", "command_id"), changes_are_whole),
    facts=OWN,
)
async def commands_modify_guild(
    discord: Discord,
    guild_id: GuildId,
    command_id: ApplicationCommandId,
    application_id: ApplicationId | None = None,
    **command: Unpack[CommandChanges],
) -> Command:
    """Change a command of a guild. What is left out stays; options are replaced as a whole."""
    own = await application_of(discord, application_id)
    body, _ = changed(command)
    sent = await discord.patch(
        "/applications/{}/guilds/{}/commands/{}", own, guild_id, command_id, into=Wire, body=body, idempotent=True
    )
    return shown(sent)


@tools.tool(Effect.DELETE, say="Deleted command {command_id} of guild {guild_id}.", facts=OWN)
async def commands_delete_guild(
    discord: Discord, guild_id: GuildId, command_id: ApplicationCommandId, application_id: ApplicationId | None = None
) -> GuildCommandDeleted:
    """Delete a command of a guild."""
    own = await application_of(discord, application_id)
    await discord.do("DELETE", "/applications/{}/guilds/{}/commands/{}", own, guild_id, command_id)
    return {"deleted": True, "command_id": command_id, "guild_id": guild_id}


@tools.tool(
    Effect.DELETE,
    say="Commands of guild {guild_id} now: {count}.",
    checks=(commands_are_whole, for_a_guild),
    facts=OWN,
)
async def commands_bulk_overwrite_guild(
    discord: Discord, guild_id: GuildId, commands: AllCommands, application_id: ApplicationId | None = None
) -> Commands:
    """Replace all commands of a guild: those not listed are deleted.

    List them first, and keep each one's id.
    """
    own = await application_of(discord, application_id)
    body = list(commands)
    return all_shown(
        await discord.put("/applications/{}/guilds/{}/commands", own, guild_id, into=list[Wire], body=body)
    )


@tools.tool(Effect.READ, say="Commands with permissions in guild {guild_id}: {count}.", facts=OWN)
async def commands_get_guild_command_permissions(
    discord: Discord, guild_id: GuildId, application_id: ApplicationId | None = None
) -> GuildCommandPermissions:
    """List who may use which of the bot's commands in a guild, where somebody has set it."""
    own = await application_of(discord, application_id)
    sent = await discord.get("/applications/{}/guilds/{}/commands/permissions", own, guild_id, into=list[Wire])
    return {"permissions": each_picked(CommandPermissions, sent), "count": len(sent), **WHOLE}


@tools.tool(Effect.READ, say="Permissions of command {id}.", facts=OWN)
async def commands_get_command_permissions(
    discord: Discord, guild_id: GuildId, command_id: ApplicationCommandId, application_id: ApplicationId | None = None
) -> CommandPermissions:
    """Fetch who may use one command in a guild. The application's id as command_id fetches what holds for all."""
    own = await application_of(discord, application_id)
    sent = await discord.get("/applications/{}/guilds/{}/commands/{}/permissions", own, guild_id, command_id, into=Wire)
    return picked(CommandPermissions, sent)


@tools.tool(
    Effect.UPDATE,
    say="Set the permissions of command {id}.",
    facts=needs("MANAGE_GUILD", "MANAGE_ROLES", auth="bearer"),
    confirm_when=always("it replaces who may use a command"),
)
async def commands_edit_command_permissions(
    discord: Discord,
    guild_id: GuildId,
    command_id: ApplicationCommandId,
    permissions: Permissions,
    bearer_token: BearerToken,
    application_id: ApplicationId | None = None,
) -> CommandPermissions:
    """Replace who may use a command in a guild, as a user with an OAuth2 token; a bot may not."""
    own = await application_of(discord, application_id)
    discord, body = discord.as_user(bearer_token), {"permissions": list(permissions)}
    sent = await discord.put(
        "/applications/{}/guilds/{}/commands/{}/permissions", own, guild_id, command_id, into=Wire, body=body
    )
    return picked(CommandPermissions, sent)
