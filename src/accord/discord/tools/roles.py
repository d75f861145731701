"""roles: what members are and may do."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.conditions import grants
from accord.discord.files import with_images
from accord.discord.models.ids import GuildId, RoleId
from accord.discord.models.roles import (
    MemberCounts,
    NewRole,
    Role,
    RoleChanges,
    RoleDeleted,
    RolePlace,
    Roles,
)
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.picking import picked
from accord.discord.results.roles import member_counts, roles
from accord.discord.rules import changes
from accord.engine import Effect, Field, Toolset

tools = Toolset("roles", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Roles: {count}.", facts=needs())
async def roles_list(discord: Discord, guild_id: GuildId) -> Roles:
    """List a guild's roles, highest first: ids, names, permissions, positions."""
    return roles(await discord.get("/guilds/{}/roles", guild_id, into=list[Wire]))


@tools.tool(Effect.READ, say="Role {id}.", facts=needs())
async def roles_get(discord: Discord, guild_id: GuildId, role_id: RoleId) -> Role:
    """Fetch one role: name, permissions, position, colour."""
    return picked(Role, await discord.get("/guilds/{}/roles/{}", guild_id, role_id, into=Wire))


@tools.tool(Effect.READ, say="Roles with members: {count}.", facts=needs())
async def roles_count_members(discord: Discord, guild_id: GuildId) -> MemberCounts:
    """Count the members of each role. Cheap, and needs no privileged intent."""
    return member_counts(await discord.get("/guilds/{}/roles/member-counts", guild_id, into=dict[str, int]))


@tools.tool(
    Effect.CREATE,
    say="Created role {id} at position {position}.",
    facts=needs("MANAGE_ROLES", hands_on="permissions"),
    confirm_when=grants,
)
async def roles_create(discord: Discord, guild_id: GuildId, **role: Unpack[NewRole]) -> Role:
    """Create a role, right above @everyone. It can only grant permissions that the bot has itself."""
    body, reason = given(role)
    body = await with_images(discord, body, "icon")
    return picked(Role, await discord.post("/guilds/{}/roles", guild_id, into=Wire, body=body, reason=reason))


@tools.tool(
    Effect.UPDATE,
    say="Changed role {id}.",
    checks=(changes("guild_id", "role_id"),),
    facts=needs("MANAGE_ROLES", above="role", hands_on="permissions"),
    confirm_when=grants,
)
async def roles_modify(discord: Discord, guild_id: GuildId, role_id: RoleId, **role: Unpack[RoleChanges]) -> Role:
    """Change a role that stands below the bot's own. What is left out stays."""
    body, reason = changed(role)
    body = await with_images(discord, body, "icon")
    sent = await discord.patch(
        "/guilds/{}/roles/{}", guild_id, role_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return picked(Role, sent)


@tools.tool(
    Effect.UPDATE,
    say="Roles in their new order: {count}.",
    facts=needs("MANAGE_ROLES", above="role"),
)
async def roles_modify_positions(
    discord: Discord,
    guild_id: GuildId,
    positions: Annotated[list[RolePlace], Field(min_items=1, description="{id, position}; higher stands above")],
    audit_reason: AuditReason | None = None,
) -> Roles:
    """Move roles up or down, those below the bot's own only."""
    sent = await discord.patch(
        "/guilds/{}/roles", guild_id, into=list[Wire], body=list(positions), reason=audit_reason, idempotent=True
    )
    return roles(sent)


@tools.tool(
    Effect.DELETE,
    say="Deleted role {role_id}.",
    facts=needs("MANAGE_ROLES", above="role"),
)
async def roles_delete(
    discord: Discord, guild_id: GuildId, role_id: RoleId, audit_reason: AuditReason | None = None
) -> RoleDeleted:
    """Delete a role for good; its members lose it."""
    await discord.do("DELETE", "/guilds/{}/roles/{}", guild_id, role_id, reason=audit_reason)
    return {"deleted": True, "role_id": role_id, "guild_id": guild_id}
