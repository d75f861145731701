"""users: who the bot is and where it is, and who others are."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.files import with_images
from accord.discord.gates import CONSENT, dm_outcome
from accord.discord.models.guilds import GuildObject, Memberships
from accord.discord.models.ids import GuildId, ListPlace, UserId
from accord.discord.models.users import CurrentUser, CurrentUserChanges, DirectChannel, FoundUser, GuildLeft
from accord.discord.models.values import Cursor, Wire
from accord.discord.outgoing import changed
from accord.discord.pages import onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.guilds import memberships
from accord.discord.results.users import current_user, direct_channel, found_user
from accord.discord.rules import changes, one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("users", fence="untrusted_discord")


@tools.tool(Effect.READ, say="The bot is user {id}.", facts=needs(reach="none"))
async def users_get_current(discord: Discord) -> CurrentUser:
    """Fetch the bot's own account: its user id and name."""
    return current_user(await discord.get("/users/@me", into=Wire))


@tools.tool(Effect.READ, say="User {id}.", facts=needs(reach="none"))
async def users_get(discord: Discord, user_id: UserId) -> FoundUser:
    """Fetch any user's public account by id, in a shared guild or not. Nicknames and roles: members_get."""
    return found_user(await discord.get("/users/{}", user_id, into=Wire))


@tools.tool(Effect.UPDATE, say="Changed the bot's own account {id}.", checks=(changes(),), facts=needs(reach="bot"))
async def users_modify_current(discord: Discord, **account: Unpack[CurrentUserChanges]) -> CurrentUser:
    """Change the bot's own name, avatar or banner in all guilds. For one guild: members_modify_current."""
    body, _ = changed(account)
    body = await with_images(discord, body, "avatar", "banner")
    return current_user(await discord.patch("/users/@me", into=Wire, body=body, idempotent=True))


@tools.tool(Effect.READ, say="Guilds: {count}.", checks=(one_place,), facts=needs(reach="none"))
async def users_list_current_user_guilds(
    discord: Discord,
    limit: Annotated[int, Field(minimum=1, maximum=200)] = 200,
    before: ListPlace | None = None,
    after: ListPlace | None = None,
    cursor: Cursor | None = None,
    with_counts: bool | None = None,
) -> Memberships:
    """List the guilds (servers) the bot is in, with ids and names. Start here when you have no guild id."""
    place = {"before": before, "after": after, **place_of(cursor)}
    query = {"limit": limit, "with_counts": with_counts, **place}
    guilds = await discord.get("/users/@me/guilds", into=list[GuildObject], query=query)
    return memberships(guilds, discord.guilds, onward(guilds, "before" if place["before"] else "after", full=limit))


@tools.tool(Effect.DELETE, say="Left guild {guild_id}.", facts=needs())
async def users_leave_guild(discord: Discord, guild_id: GuildId) -> GuildLeft:
    """Let the bot leave a guild. Only a person can invite it again."""
    await discord.do("DELETE", "/users/@me/guilds/{}", guild_id)
    return {"left": True, "guild_id": guild_id}


@tools.tool(
    Effect.UPDATE,
    say="Direct messages with <@{recipient_id}>: <#{channel_id}>.",
    facts=needs(reach="user"),
    reserved=CONSENT,
    gates=(dm_outcome,),
)
async def users_create_dm(discord: Discord, recipient_id: UserId) -> DirectChannel:
    """Open the direct messages with a user; write with messages_send. Opening again gives the same channel.

    Do not open many at once: Discord limits that strictly and bans bots for it.
    """
    body = {"recipient_id": recipient_id}
    return direct_channel(await discord.post("/users/@me/channels", into=Wire, body=body))
