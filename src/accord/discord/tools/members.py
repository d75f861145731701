"""members: people and bots in a guild."""

from __future__ import annotations

from datetime import UTC, datetime

from accord.discord.models.ids import GuildId, UserId
from accord.discord.models.members import Member, MemberObject
from accord.discord.rest.client import Discord
from accord.discord.results.members import member
from accord.engine import Effect, Toolset

tools = Toolset("members", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Member {user_id}.")
async def members_get(discord: Discord, guild_id: GuildId, user_id: UserId) -> Member:
    """Fetch one member of a guild by user id: names, roles, join date, running time-out. Needs no privileged intent."""
    found = await discord.get("/guilds/{}/members/{}", guild_id, user_id, into=MemberObject)
    return member(found, datetime.now(UTC))
