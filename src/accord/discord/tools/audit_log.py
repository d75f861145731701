"""audit_log: who did what in a guild."""

from __future__ import annotations

from typing import Annotated

from accord.discord.access import needs
from accord.discord.models.audit_log import Action, AuditLog, action_is_one
from accord.discord.models.ids import AuditLogPlace, GuildId, Snowflake, UserId
from accord.discord.models.values import Cursor, Wire
from accord.discord.pages import Way, onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.audit_log import audit_log
from accord.discord.rules import one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("audit_log", fence="untrusted_discord")


@tools.tool(
    Effect.READ,
    say="Audit log entries: {count}.",
    checks=(one_place, action_is_one),
    facts=needs("VIEW_AUDIT_LOG"),
)
async def audit_log_get(
    discord: Discord,
    guild_id: GuildId,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 50,
    action_type: Action | None = None,
    user_id: Annotated[UserId, Field(description="who did it")] | None = None,
    target_id: Annotated[Snowflake, Field(description="to whom or what")] | None = None,
    before: Annotated[AuditLogPlace, Field(description="entry id or date")] | None = None,
    after: Annotated[AuditLogPlace, Field(description="entry id or date")] | None = None,
    cursor: Cursor | None = None,
) -> AuditLog:
    """Read what was done in a guild, by whom and why, newest first (oldest first with `after`). 45 days are kept."""
    place = {"before": before, "after": after, **place_of(cursor)}
    query = {"user_id": user_id, "target_id": target_id, "action_type": action_type, "limit": limit, **place}
    log = await discord.get("/guilds/{}/audit-logs", guild_id, into=Wire, query=query)
    way: Way = "after" if place["after"] else "before"
    return audit_log(log, onward(log["audit_log_entries"], way, full=limit))
