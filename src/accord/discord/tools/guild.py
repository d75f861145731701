"""guild: one guild as a whole."""

from __future__ import annotations

from accord.discord.models.guilds import Guild, GuildObject
from accord.discord.models.ids import GuildId
from accord.discord.rest.client import Discord
from accord.discord.results.guilds import guild
from accord.engine import Effect, Toolset

tools = Toolset("guild", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Guild {id}.")
async def guild_get(discord: Discord, guild_id: GuildId) -> Guild:
    """Fetch one guild (server): name, owner, features, boosts, approximate member count."""
    return guild(await discord.get("/guilds/{}", guild_id, into=GuildObject, query={"with_counts": True}))
