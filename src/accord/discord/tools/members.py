"""members: people and bots in a guild, and those who are kept out of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.conditions import always, handles_a_member
from accord.discord.files import with_images
from accord.discord.gates import CONSENT
from accord.discord.links import own_id
from accord.discord.models.ids import GuildId, RoleId, UserId
from accord.discord.models.members import (
    Ban,
    Banned,
    Bans,
    BulkBanned,
    DeletedSeconds,
    Kicked,
    Member,
    MemberChanges,
    Members,
    MembersFound,
    OwnProfile,
    ProfileChanges,
    RoleAdded,
    RoleRemoved,
    Unbanned,
    time_out_is_short,
)
from accord.discord.models.values import AuditReason, Content, Cursor, Wire
from accord.discord.notices import delivered
from accord.discord.outgoing import changed
from accord.discord.pages import Way, onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.members import ban, bans, bulk_banned, member, members, members_found, own_profile
from accord.discord.rules import changes, one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("members", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Member {user_id}.", facts=needs())
async def members_get(discord: Discord, guild_id: GuildId, user_id: UserId) -> Member:
    """Fetch one member of a guild by user id: names, roles, join date, running time-out. Needs no privileged intent."""
    found = await discord.get("/guilds/{}/members/{}", guild_id, user_id, into=Wire)
    return member(found, datetime.now(UTC))


@tools.tool(Effect.READ, say="The bot as member {user_id}.", facts=needs())
async def members_get_current_user(discord: Discord, guild_id: GuildId) -> Member:
    """Fetch the bot's own membership of a guild: nickname, roles, running time-out."""
    found = await discord.get("/guilds/{}/members/{}", guild_id, await own_id(discord), into=Wire)
    return member(found, datetime.now(UTC))


@tools.tool(Effect.READ, say="Members found: {count}.", facts=needs())
async def members_search(
    discord: Discord,
    guild_id: GuildId,
    query: Annotated[str, Field(min_length=1, max_length=100, description="how a name or nickname begins")],
    limit: Annotated[int, Field(minimum=1, maximum=1000)] = 25,
) -> MembersFound:
    """Find members by the beginning of a user name or nickname. Needs no privileged intent."""
    query_of = {"query": query, "limit": limit}
    found = await discord.get("/guilds/{}/members/search", guild_id, into=list[Wire], query=query_of)
    return members_found(found, datetime.now(UTC), limit=limit)


@tools.tool(
    Effect.READ,
    say="Members: {count}.",
    checks=(one_place,),
    facts=needs(intents=("GUILD_MEMBERS",)),
)
async def members_list(
    discord: Discord,
    guild_id: GuildId,
    limit: Annotated[int, Field(minimum=1, maximum=1000)] = 100,
    after: UserId | None = None,
    cursor: Cursor | None = None,
) -> Members:
    """List all members in the order of their user ids. Needs the Server Members Intent; members_search does not."""
    query = {"limit": limit, "after": after, **place_of(cursor)}
    page = await discord.get("/guilds/{}/members", guild_id, into=list[Wire], query=query)
    return members(page, datetime.now(UTC), onward([one["user"] for one in page], "after", full=limit))


@tools.tool(
    Effect.UPDATE,
    say="Changed member {user_id}.",
    checks=(changes("guild_id", "user_id"), time_out_is_short),
    facts=needs(
        above="member",
        above_for=("nick", "communication_disabled_until"),
        hands_on="roles",
        when={
            "nick": "MANAGE_NICKNAMES",
            "roles": "MANAGE_ROLES",
            "mute": "MUTE_MEMBERS",
            "deaf": "DEAFEN_MEMBERS",
            "channel_id": "MOVE_MEMBERS",
            "in the channel to move to": "CONNECT",
            "communication_disabled_until": "MODERATE_MEMBERS",
            "flags, without MANAGE_ROLES or all of MODERATE_, KICK_ and BAN_MEMBERS": "MANAGE_GUILD",
        },
    ),
    confirm_when=handles_a_member,
)
async def members_modify(
    discord: Discord, guild_id: GuildId, user_id: UserId, **member_changes: Unpack[MemberChanges]
) -> Member:
    """Change a member below the bot: nickname, the whole set of roles, time-out, voice channel, mute.

    For one role use members_add_role or members_remove_role.
    """
    body, reason = changed(member_changes)
    if "roles" in body:
        body["roles"] = list(dict.fromkeys(body["roles"]))
    made = await discord.patch(
        "/guilds/{}/members/{}", guild_id, user_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return member(made, datetime.now(UTC))


@tools.tool(
    Effect.UPDATE,
    say="Changed the bot's looks in guild {guild_id}.",
    checks=(changes("guild_id"),),
    facts=needs(when={"nick": "CHANGE_NICKNAME"}),
)
async def members_modify_current(discord: Discord, guild_id: GuildId, **profile: Unpack[ProfileChanges]) -> OwnProfile:
    """Change the bot's own nickname, avatar, banner or bio in one guild."""
    body, reason = changed(profile)
    body = await with_images(discord, body, "avatar", "banner")
    made = await discord.patch("/guilds/{}/members/@me", guild_id, into=Wire, body=body, reason=reason, idempotent=True)
    return own_profile(made, guild_id)


@tools.tool(
    Effect.UPDATE,
    say="Gave <@{user_id}> the role {role_id}.",
    facts=needs("MANAGE_ROLES", above="role", hands_on="roles"),
    confirm_when=always("it gives a role, with all that the role may do"),
)
async def members_add_role(
    discord: Discord, guild_id: GuildId, user_id: UserId, role_id: RoleId, audit_reason: AuditReason | None = None
) -> RoleAdded:
    """Give a member one role that stands below the bot's own. Giving it twice changes nothing."""
    await discord.do("PUT", "/guilds/{}/members/{}/roles/{}", guild_id, user_id, role_id, reason=audit_reason)
    return {"added": True, "user_id": user_id, "role_id": role_id}


@tools.tool(
    Effect.UPDATE,
    say="Took the role {role_id} from <@{user_id}>.",
    facts=needs("MANAGE_ROLES", above="role", hands_on="roles"),
    confirm_when=always("it takes a role away"),
)
async def members_remove_role(
    discord: Discord, guild_id: GuildId, user_id: UserId, role_id: RoleId, audit_reason: AuditReason | None = None
) -> RoleRemoved:
    """Take one role from a member, one below the bot's own."""
    await discord.do("DELETE", "/guilds/{}/members/{}/roles/{}", guild_id, user_id, role_id, reason=audit_reason)
    return {"removed": True, "user_id": user_id, "role_id": role_id}


@tools.tool(
    Effect.DELETE,
    say="Kicked <@{user_id}>.",
    facts=needs("KICK_MEMBERS", above="member"),
)
async def members_kick(
    discord: Discord, guild_id: GuildId, user_id: UserId, audit_reason: AuditReason | None = None
) -> Kicked:
    """Take a member out of the guild. They can come back with an invite; to keep them out use members_ban."""
    await discord.do("DELETE", "/guilds/{}/members/{}", guild_id, user_id, reason=audit_reason)
    return {"kicked": True, "user_id": user_id, "guild_id": guild_id}


@tools.tool(
    Effect.DELETE,
    say="Banned <@{user_id}>.",
    facts=needs("BAN_MEMBERS", above="member", direct_message="notify"),
    reserved=CONSENT,
)
async def members_ban(
    discord: Discord,
    guild_id: GuildId,
    user_id: UserId,
    delete_message_seconds: DeletedSeconds | None = None,
    notify: Annotated[Content, Field(description="sent to them first; the ban follows either way")] | None = None,
    audit_reason: AuditReason | None = None,
) -> Banned:
    """Ban a user, a member or not, until members_unban. Many at once: members_bulk_ban."""
    told = await delivered(discord, user_id, notify) if notify else None
    body = {} if delete_message_seconds is None else {"delete_message_seconds": delete_message_seconds}
    await discord.do("PUT", "/guilds/{}/bans/{}", guild_id, user_id, body=body, reason=audit_reason)
    banned: Banned = {"banned": True, "user_id": user_id, "guild_id": guild_id}
    return banned if told is None else {**banned, "dm_delivered": told}


@tools.tool(
    Effect.DELETE,
    say="Banned: {banned_count}; not banned: {failed_count}.",
    idempotent=False,
    facts=needs("BAN_MEMBERS", "MANAGE_GUILD", above="member"),
)
async def members_bulk_ban(
    discord: Discord,
    guild_id: GuildId,
    user_ids: Annotated[list[UserId], Field(min_items=1, max_items=200)],
    delete_message_seconds: DeletedSeconds | None = None,
    audit_reason: AuditReason | None = None,
) -> BulkBanned:
    """Ban up to 200 users at once, as after a raid. Read failed_users: those were not banned by this call."""
    body: Wire = {"user_ids": list(dict.fromkeys(user_ids))}
    if delete_message_seconds is not None:
        body["delete_message_seconds"] = delete_message_seconds
    return bulk_banned(await discord.post("/guilds/{}/bulk-ban", guild_id, into=Wire, body=body, reason=audit_reason))


@tools.tool(Effect.UPDATE, say="Lifted the ban of <@{user_id}>.", facts=needs("BAN_MEMBERS"))
async def members_unban(
    discord: Discord, guild_id: GuildId, user_id: UserId, audit_reason: AuditReason | None = None
) -> Unbanned:
    """Lift a ban. The user needs an invite to come back."""
    await discord.do("DELETE", "/guilds/{}/bans/{}", guild_id, user_id, reason=audit_reason)
    return {"unbanned": True, "user_id": user_id, "guild_id": guild_id}


@tools.tool(Effect.READ, say="Bans: {count}.", checks=(one_place,), facts=needs("BAN_MEMBERS"))
async def members_list_bans(
    discord: Discord,
    guild_id: GuildId,
    limit: Annotated[int, Field(minimum=1, maximum=1000)] = 100,
    before: UserId | None = None,
    after: UserId | None = None,
    cursor: Cursor | None = None,
) -> Bans:
    """List who is banned and why, in the order of their user ids. For one user: members_get_ban."""
    place = {"before": before, "after": after, **place_of(cursor)}
    page = await discord.get("/guilds/{}/bans", guild_id, into=list[Wire], query={"limit": limit, **place}) or []
    way: Way = "before" if place["before"] else "after"
    return bans(page, onward([one["user"] for one in page], way, full=limit))


@tools.tool(Effect.READ, say="User {user_id} is banned.", facts=needs("BAN_MEMBERS"))
async def members_get_ban(discord: Discord, guild_id: GuildId, user_id: UserId) -> Ban:
    """Tell whether and why one user is banned; not found means that they are not."""
    return ban(await discord.get("/guilds/{}/bans/{}", guild_id, user_id, into=Wire))
