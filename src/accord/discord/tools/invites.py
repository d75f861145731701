"""invites: ways into a guild."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.conditions import always, as_long_as
from accord.discord.files import user_sheet
from accord.discord.models.ids import ChannelId, GuildId, InviteCode, MessageId, ScheduledEventId
from accord.discord.models.invites import (
    FoundInvite,
    GuildInvites,
    Invite,
    InviteDeleted,
    Invites,
    NewInvite,
    TargetUsers,
    TargetUsersJob,
    TargetUsersSet,
    UserIds,
    target_is_whole,
)
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import given
from accord.discord.rest.client import Discord
from accord.discord.results.invites import found_invite, invite, invites, target_users
from accord.discord.results.picking import WHOLE, picked
from accord.engine import Effect, Toolset

tools = Toolset("invites", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Invite {code}.", facts=needs())
async def invites_get(
    discord: Discord,
    code: InviteCode,
    with_counts: bool | None = None,
    guild_scheduled_event_id: ScheduledEventId | None = None,
    target_channel_id: ChannelId | None = None,
    target_message_id: MessageId | None = None,
) -> FoundInvite:
    """Look up an invite of any guild by its code or address: where it leads, who made it, when it ends."""
    query = {
        "with_counts": with_counts,
        "guild_scheduled_event_id": guild_scheduled_event_id,
        "target_channel_id": target_channel_id,
        "target_message_id": target_message_id,
    }
    return found_invite(await discord.get("/invites/{}", code, into=Wire, query=query))


@tools.tool(Effect.READ, say="Invites of <#{channel_id}>: {count}.", facts=needs("MANAGE_CHANNELS"))
async def invites_list_channel(discord: Discord, channel_id: ChannelId) -> Invites:
    """List a channel's invites: codes, who made them, how often each was used."""
    found = invites(await discord.get("/channels/{}/invites", channel_id, into=list[Wire]))
    return {"invites": found, "count": len(found), "channel_id": channel_id, **WHOLE}


@tools.tool(
    Effect.READ,
    say="Invites of guild {guild_id}: {count}.",
    facts=needs(any_of=("MANAGE_GUILD", "VIEW_AUDIT_LOG")),
)
async def invites_list_guild(discord: Discord, guild_id: GuildId) -> GuildInvites:
    """List all invites of a guild: codes, channels, who made them; how often each was used with MANAGE_GUILD."""
    found = invites(await discord.get("/guilds/{}/invites", guild_id, into=list[Wire]))
    return {"items": found, "count": len(found), "guild_id": guild_id, **WHOLE}


@tools.tool(
    Effect.CREATE,
    say="Created invite {code}.",
    checks=(target_is_whole,),
    facts=needs("CREATE_INSTANT_INVITE", when={"role_ids": "MANAGE_ROLES"}, hands_on="roles"),
    confirm_when=as_long_as("role_ids", "it gives roles to whoever accepts the invite"),
)
async def invites_create_channel(discord: Discord, channel_id: ChannelId, **new: Unpack[NewInvite]) -> Invite:
    """Create an invite to a channel, for everybody or for some users only. It holds a day unless max_age says so."""
    body, reason = given(new)
    files = [user_sheet(body.pop("target_user_ids"))] if "target_user_ids" in body else []
    sent = await discord.post("/channels/{}/invites", channel_id, into=Wire, body=body, files=files, reason=reason)
    return invite(sent)


@tools.tool(
    Effect.DELETE,
    say="Deleted invite {code}.",
    facts=needs(any_of=("MANAGE_CHANNELS", "MANAGE_GUILD")),
)
async def invites_delete(discord: Discord, code: InviteCode, audit_reason: AuditReason | None = None) -> InviteDeleted:
    """Delete an invite: nobody can use it any more."""
    await discord.do("DELETE", "/invites/{}", code, reason=audit_reason)
    return {"deleted": True, "code": code}


@tools.tool(
    Effect.READ,
    say="Users who may accept invite {code}: {count}.",
    facts=needs(any_of=("MANAGE_GUILD", "VIEW_AUDIT_LOG")),
)
async def invites_get_target_users(discord: Discord, code: InviteCode) -> TargetUsers:
    """List the users for whom alone an invite is."""
    return target_users(await discord.text("/invites/{}/target-users", code), code)


@tools.tool(
    Effect.UPDATE,
    say="Gave Discord a list of {count} users for invite {code}.",
    facts=needs(when={"an invite of somebody else": "MANAGE_GUILD"}),
    confirm_when=always("it replaces for whom the invite is"),
)
async def invites_update_target_users(discord: Discord, code: InviteCode, user_ids: UserIds) -> TargetUsersSet:
    """Replace the list of users for whom alone an invite is. invites_get_target_users_job says when it is done."""
    await discord.do("PUT", "/invites/{}/target-users", code, files=[user_sheet(user_ids)])
    return {"updated": True, "invite_code": code, "count": len(set(user_ids))}


@tools.tool(
    Effect.READ,
    say="Status {status} of the list of users for invite {code}.",
    facts=needs(any_of=("MANAGE_GUILD", "VIEW_AUDIT_LOG")),
)
async def invites_get_target_users_job(discord: Discord, code: InviteCode) -> TargetUsersJob:
    """See how far Discord is with an invite's list of users: 1 at work, 2 done, 3 failed (error_message)."""
    sent = await discord.get("/invites/{}/target-users/job-status", code, into=Wire)
    return picked(TargetUsersJob, sent, invite_code=code)
