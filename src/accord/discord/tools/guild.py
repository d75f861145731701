"""guild: one guild as a whole."""

from __future__ import annotations

from typing import Annotated, Literal

from accord.discord.access import needs
from accord.discord.models.guilds import Guild, GuildObject
from accord.discord.models.ids import GuildId, JoinRequestId
from accord.discord.models.join_requests import (
    JoinRequest,
    JoinRequests,
    RejectionReason,
    RequestStatus,
    reason_is_for_rejecting,
)
from accord.discord.models.values import Cursor, Wire
from accord.discord.pages import Way, onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.guilds import guild
from accord.discord.results.join_requests import join_request, join_requests
from accord.discord.rules import one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("guild", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Guild {id}.")
async def guild_get(discord: Discord, guild_id: GuildId) -> Guild:
    """Fetch one guild (server): name, owner, features, boosts, approximate member count."""
    return guild(await discord.get("/guilds/{}", guild_id, into=GuildObject, query={"with_counts": True}))


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
