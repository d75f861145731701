"""channels: what channels there are and how each is set up."""

from __future__ import annotations

from typing import Annotated, Literal, Unpack

from accord.discord.access import needs
from accord.discord.conditions import (
    always,
    opens_a_channel,
    opens_overwrites,
    puts_under_a_category,
    replaces_overwrites,
)
from accord.discord.files import with_images
from accord.discord.forum_tags import tags_for_post, tags_of_post
from accord.discord.gates import CONSENT
from accord.discord.models.channels import (
    TEXT,
    Channel,
    ChannelChanges,
    ChannelDeleted,
    ChannelPlace,
    Channels,
    ChannelWritten,
    Followed,
    Moved,
    NewChannel,
    OverwriteDeleted,
    OverwriteSet,
    RecipientRemoved,
    Typing,
    allows_or_denies,
    each_moves,
    emoji_is_single,
    fits_its_kind,
)
from accord.discord.models.ids import ChannelId, GuildId, ListPlace, OverwriteId, UserId
from accord.discord.models.messages import MessageObject
from accord.discord.models.permissions import PermissionSet
from accord.discord.models.threads import ActiveThreads, ArchivedThreads, NewPost, PostCreated
from accord.discord.models.values import AuditReason, Cursor, Moment, Wire
from accord.discord.outgoing import changed, given
from accord.discord.overflow import sent_in_order
from accord.discord.overwrites import overwrite_after
from accord.discord.pages import place_of
from accord.discord.rest.client import Discord
from accord.discord.results.channels import channel, channels, written
from accord.discord.results.picking import WHOLE
from accord.discord.results.threads import archived_threads, post_created, threads
from accord.discord.rules import changes, one_place, within
from accord.discord.sending import NEW_RULES, opening_of
from accord.engine import Effect, Field, Toolset

tools = Toolset("channels", fence="untrusted_discord")

EMPTY: dict[str, list[str]] = {"permission_overwrites": [], "available_tags": [], "applied_tags": []}
ThreadLimit = Annotated[int, Field(minimum=2, maximum=100)]


@tools.tool(Effect.READ, say="Channels: {count}.", facts=needs())
async def channels_list(discord: Discord, guild_id: GuildId) -> Channels:
    """List a guild's channels, categories and forums included: ids, names, types, overwrites. Threads are left out."""
    return channels(await discord.get("/guilds/{}/channels", guild_id, into=list[Wire]))


@tools.tool(Effect.READ, say="Channel {id}, type {type}.", facts=needs("VIEW_CHANNEL"))
async def channels_get(discord: Discord, channel_id: ChannelId) -> Channel:
    """Fetch one channel or thread: name, topic, type, overwrites, forum tags. `name` is null for DMs."""
    return channel(await discord.get("/channels/{}", channel_id, into=Wire))


@tools.tool(
    Effect.CREATE,
    say="Created channel {id}, type {type}.",
    checks=(fits_its_kind(TEXT), emoji_is_single),
    facts=needs(
        "MANAGE_CHANNELS",
        when={"MANAGE_ROLES in permission_overwrites": "ADMINISTRATOR"},
        hands_on="overwrites",
    ),
    confirm_when=opens_overwrites,
)
async def channels_create_guild_channel(
    discord: Discord, guild_id: GuildId, **new_channel: Unpack[NewChannel]
) -> ChannelWritten:
    """Create a channel, a category or a forum. Overwrites can only give what the bot may do itself."""
    body, reason = given(new_channel)
    return written(await discord.post("/guilds/{}/channels", guild_id, into=Wire, body=body, reason=reason), body)


@tools.tool(
    Effect.UPDATE,
    say="Changed channel {id}, type {type}.",
    checks=(changes("channel_id"), fits_its_kind(), emoji_is_single),
    facts=needs(
        when={
            "channel": "MANAGE_CHANNELS",
            "a thread, beyond what its creator may change": "MANAGE_THREADS",
            "permission_overwrites": "MANAGE_ROLES",
        },
        hands_on="overwrites",
    ),
    confirm_when=replaces_overwrites,
    reserved=CONSENT,
)
async def channels_modify(discord: Discord, channel_id: ChannelId, **fields: Unpack[ChannelChanges]) -> ChannelWritten:
    """Change a channel, a thread (archive, lock, retag) or a group DM.

    What is left out stays, but a list is replaced: overwrites and tags left out of one go.
    """
    body, reason = changed(fields, EMPTY)
    if "applied_tags" in fields:
        body["applied_tags"] = await tags_of_post(discord, channel_id, fields["applied_tags"])
    body = await with_images(discord, body, "icon")
    sent = await discord.patch("/channels/{}", channel_id, into=Wire, body=body, reason=reason, idempotent=True)
    return written(sent, body)


@tools.tool(
    Effect.UPDATE,
    say="Moved channels: {count}.",
    checks=(each_moves,),
    facts=needs("MANAGE_CHANNELS"),
    confirm_when=puts_under_a_category,
)
async def channels_modify_positions(
    discord: Discord,
    guild_id: GuildId,
    positions: Annotated[
        list[ChannelPlace],
        Field(min_items=1, max_items=500, description="{id, position, parent_id, lock_permissions, clear}"),
    ],
) -> Moved:
    """Move channels among their like, into a category (parent_id) or out of one (clear: [parent_id])."""
    body = [changed(place)[0] for place in positions]
    await discord.do("PATCH", "/guilds/{}/channels", guild_id, body=body, idempotent=True)
    return {"moved": True, "guild_id": guild_id, "count": len(body)}


@tools.tool(
    Effect.DELETE,
    say="Deleted channel {channel_id}.",
    facts=needs(when={"channel": "MANAGE_CHANNELS", "thread": "MANAGE_THREADS"}),
)
async def channels_delete(
    discord: Discord, channel_id: ChannelId, audit_reason: AuditReason | None = None
) -> ChannelDeleted:
    """Delete a channel with its messages and threads, or a thread, for good; a DM is only closed."""
    await discord.do("DELETE", "/channels/{}", channel_id, reason=audit_reason)
    return {"deleted": True, "channel_id": channel_id}


@tools.tool(
    Effect.UPDATE,
    say="Set overwrite {overwrite_id} in <#{channel_id}>.",
    checks=(allows_or_denies,),
    facts=needs("MANAGE_ROLES", hands_on="overwrites"),
    confirm_when=opens_a_channel,
)
async def channels_modify_permissions(
    discord: Discord,
    channel_id: ChannelId,
    overwrite_id: Annotated[OverwriteId, Field(description="role or user")],
    type: Annotated[Literal[0, 1] | None, Field(description="0 role, 1 user; needed if new")] = None,  # noqa: A002 - the contract's name
    allow: Annotated[PermissionSet | None, Field(description="names separated by commas, or a bit set")] = None,
    deny: PermissionSet | None = None,
    audit_reason: AuditReason | None = None,
) -> OverwriteSet:
    """Say what a role or a user may do in a channel.

    A side (allow, deny) left out stays, less what the other one now names; "0" empties a side.
    """
    present = await discord.get("/channels/{}", channel_id, into=Wire)
    body = overwrite_after(present, overwrite_id, type, allow, deny)
    await discord.do("PUT", "/channels/{}/permissions/{}", channel_id, overwrite_id, body=body, reason=audit_reason)
    return {"updated": True, "channel_id": channel_id, "overwrite_id": overwrite_id, **body}


@tools.tool(
    Effect.UPDATE,
    say="Deleted overwrite {overwrite_id} of <#{channel_id}>.",
    facts=needs("MANAGE_ROLES"),
    confirm_when=always("what it denied is open again"),
)
async def channels_delete_permissions(
    discord: Discord,
    channel_id: ChannelId,
    overwrite_id: Annotated[OverwriteId, Field(description="role or user")],
    audit_reason: AuditReason | None = None,
) -> OverwriteDeleted:
    """Delete what a channel allows and denies a role or a user; the category's and the guild's rules then hold."""
    await discord.do("DELETE", "/channels/{}/permissions/{}", channel_id, overwrite_id, reason=audit_reason)
    return {"deleted": True, "channel_id": channel_id, "overwrite_id": overwrite_id}


@tools.tool(
    Effect.CREATE,
    say="Followed <#{channel_id}> with webhook {webhook_id}.",
    facts=needs("MANAGE_WEBHOOKS", counts_in="webhook_channel_id"),
)
async def channels_follow_announcement(
    discord: Discord,
    channel_id: Annotated[ChannelId, Field(description="news channel")],
    webhook_channel_id: Annotated[ChannelId, Field(description="where its messages go")],
    audit_reason: AuditReason | None = None,
) -> Followed:
    """Have what is published in a news channel posted in another channel too."""
    body = {"webhook_channel_id": webhook_channel_id}
    sent = await discord.post("/channels/{}/followers", channel_id, into=Wire, body=body, reason=audit_reason)
    return {
        "channel_id": sent["channel_id"],
        "webhook_id": sent["webhook_id"],
        "webhook_channel_id": webhook_channel_id,
    }


@tools.tool(Effect.UPDATE, say="Shown typing in <#{channel_id}>.", facts=needs("SEND_MESSAGES"), reserved=CONSENT)
async def channels_trigger_typing(discord: Discord, channel_id: ChannelId) -> Typing:
    """Show that the bot is typing, for ten seconds or until it sends something."""
    await discord.do("POST", "/channels/{}/typing", channel_id, idempotent=True)
    return {"ok": True, "channel_id": channel_id}


@tools.tool(Effect.READ, say="Active threads: {count}.", facts=needs())
async def channels_list_active_threads_guild(discord: Discord, guild_id: GuildId) -> ActiveThreads:
    """List a guild's threads and forum posts that are not archived, private ones too, newest first."""
    active = threads(await discord.get("/guilds/{}/threads/active", guild_id, into=Wire))
    return {"threads": active, "count": len(active), "guild_id": guild_id, **WHOLE}


@tools.tool(
    Effect.READ,
    say="Archived threads of <#{channel_id}>: {count}.",
    checks=(one_place,),
    facts=needs("READ_MESSAGE_HISTORY"),
)
async def channels_list_public_archived_threads(
    discord: Discord,
    channel_id: ChannelId,
    limit: ThreadLimit = 50,
    before: Annotated[Moment | None, Field(description="archived before this time")] = None,
    cursor: Cursor | None = None,
) -> ArchivedThreads:
    """List a channel's archived public threads, or a forum's archived posts, last archived first."""
    query = {"limit": limit, "before": before, **place_of(cursor, "time")}
    found = await discord.get("/channels/{}/threads/archived/public", channel_id, into=Wire, query=query)
    return archived_threads(found, channel_id)


@tools.tool(
    Effect.READ,
    say="Archived private threads of <#{channel_id}>: {count}.",
    checks=(one_place,),
    facts=needs("READ_MESSAGE_HISTORY", "MANAGE_THREADS"),
)
async def channels_list_private_archived_threads(
    discord: Discord,
    channel_id: ChannelId,
    limit: ThreadLimit = 50,
    before: Annotated[Moment | None, Field(description="archived before this time")] = None,
    cursor: Cursor | None = None,
) -> ArchivedThreads:
    """List a channel's archived private threads, last archived first."""
    query = {"limit": limit, "before": before, **place_of(cursor, "time")}
    found = await discord.get("/channels/{}/threads/archived/private", channel_id, into=Wire, query=query)
    return archived_threads(found, channel_id)


@tools.tool(
    Effect.READ,
    say="Archived private threads of <#{channel_id}> that the bot is in: {count}.",
    checks=(one_place,),
    facts=needs("READ_MESSAGE_HISTORY"),
)
async def channels_list_joined_private_archived_threads(
    discord: Discord,
    channel_id: ChannelId,
    limit: ThreadLimit = 50,
    before: Annotated[ListPlace | None, Field(description="thread id")] = None,
    cursor: Cursor | None = None,
) -> ArchivedThreads:
    """List a channel's archived private threads that the bot is in, newest first."""
    query = {"limit": limit, "before": before, **place_of(cursor)}
    found = await discord.get("/channels/{}/users/@me/threads/archived/private", channel_id, into=Wire, query=query)
    return archived_threads(found, channel_id, by_id=True)


@tools.tool(
    Effect.CREATE,
    say="Created post {thread_id} in <#{parent_id}>.",
    checks=(within("message", *NEW_RULES),),
    facts=needs("SEND_MESSAGES", when={"a moderated tag in applied_tags": "MANAGE_THREADS"}),
)
async def channels_forum_create_thread(discord: Discord, channel_id: ChannelId, **post: Unpack[NewPost]) -> PostCreated:
    """Create a post in a forum: a title, a message, tags by name or id.

    Nobody is pinged unless allowed_mentions of the message says so.
    """
    tags = await tags_for_post(discord, channel_id, post.get("applied_tags", []))
    opening, *rest = await opening_of(discord, channel_id, post, tags)
    made = await discord.post("/channels/{}/threads", channel_id, into=Wire, **opening)
    more = await sent_in_order(
        rest,
        lambda write, _: discord.post("/channels/{}/messages", made["id"], into=MessageObject, **write),
        behind=[made["id"]],
    )
    return post_created(made, more)


@tools.tool(Effect.DELETE, say="Removed user {user_id} from <#{channel_id}>.", facts=needs(reach="user"))
async def channels_remove_recipient(discord: Discord, channel_id: ChannelId, user_id: UserId) -> RecipientRemoved:
    """Remove a user from a group DM that the bot is in."""
    await discord.do("DELETE", "/channels/{}/recipients/{}", channel_id, user_id)
    return {"removed": True, "channel_id": channel_id, "user_id": user_id}
