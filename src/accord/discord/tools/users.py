"""users: who the bot is and where it is."""

from __future__ import annotations

from typing import Annotated

from accord.discord.models.guilds import GuildObject, Memberships
from accord.discord.models.ids import GuildId
from accord.discord.models.values import Cursor
from accord.discord.pages import onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.guilds import memberships
from accord.discord.rules import one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("users", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Guilds: {count}.", checks=(one_place,))
async def users_list_current_user_guilds(
    discord: Discord,
    limit: Annotated[int, Field(minimum=1, maximum=200)] = 200,
    before: GuildId | None = None,
    after: GuildId | None = None,
    cursor: Cursor | None = None,
    with_counts: bool | None = None,
) -> Memberships:
    """List the guilds (servers) the bot is in, with ids and names. Start here when you have no guild id."""
    place = {"before": before, "after": after, **place_of(cursor)}
    query = {"limit": limit, "with_counts": with_counts, **place}
    guilds = await discord.get("/users/@me/guilds", into=list[GuildObject], query=query)
    return memberships(guilds, onward(guilds, "before" if place["before"] else "after", full=limit))
