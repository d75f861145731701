"""threads: conversations beside a channel, and the posts of forums."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.forum_tags import tags_of_forum
from accord.discord.guild_search import LAST_OFFSET, once_indexed
from accord.discord.models.ids import ChannelId, UserId
from accord.discord.models.threads import (
    Added,
    FoundThreads,
    Joined,
    Left,
    NewThread,
    Removed,
    Thread,
    ThreadMember,
    ThreadMembers,
    ThreadSearch,
    only_private_is_closed,
    pages_with_members,
)
from accord.discord.models.values import Cursor, Wire
from accord.discord.outgoing import given
from accord.discord.pages import goes_on, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.threads import found_threads, thread, thread_member, thread_members
from accord.discord.rules import one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("threads", fence="untrusted_discord")

MOST_MEMBERS = 100


@tools.tool(
    Effect.CREATE,
    say="Created thread {id}, type {type}.",
    checks=(only_private_is_closed,),
    facts=needs(when={"type 10 or 11": "CREATE_PUBLIC_THREADS", "type 12": "CREATE_PRIVATE_THREADS"}),
)
async def threads_create(discord: Discord, channel_id: ChannelId, **new: Unpack[NewThread]) -> Thread:
    """Open a thread in a text or news channel that belongs to no message.

    messages_create_thread opens one on a message, channels_forum_create_thread a post in a forum.
    """
    body, reason = given(new)
    return thread(await discord.post("/channels/{}/threads", channel_id, into=Wire, body=body, reason=reason))


@tools.tool(
    Effect.READ,
    say="Found threads: {count} of {total_results}.",
    checks=(one_place,),
    facts=needs("READ_MESSAGE_HISTORY"),
)
async def threads_search(
    discord: Discord,
    channel_id: ChannelId,
    limit: Annotated[int, Field(minimum=1, maximum=25)] = 25,
    offset: Annotated[int, Field(minimum=0, maximum=LAST_OFFSET)] = 0,
    cursor: Cursor | None = None,
    **wanted: Unpack[ThreadSearch],
) -> FoundThreads:
    """Search the threads of a channel, or the posts of a forum, by name, tags and age; archived ones too.

    Dates are taken for min_id and max_id.
    """
    tags = await tags_of_forum(discord, channel_id, wanted.get("tag", []), path="tag")
    first = int(place_of(cursor, "offset").get("offset", offset))
    query = {**wanted, "tag": tags, "limit": limit, "offset": first}
    sent = await once_indexed(
        discord, lambda: discord.get("/channels/{}/threads/search", channel_id, into=Wire, query=query), "threads"
    )
    following = first + limit
    return found_threads(sent, goes_on("offset", [following], has_more=sent["has_more"] and following <= LAST_OFFSET))


@tools.tool(Effect.READ, say="Member {user_id} of thread <#{thread_id}>.", facts=needs())
async def threads_get_member(
    discord: Discord, thread_id: ChannelId, user_id: UserId, with_member: bool | None = None
) -> ThreadMember:
    """See whether a user is in a thread, since when, and who it is (with_member). Not found: the user is not."""
    query = {"with_member": with_member}
    sent = await discord.get("/channels/{}/thread-members/{}", thread_id, user_id, into=Wire, query=query)
    return thread_member(sent, thread_id)


@tools.tool(
    Effect.READ,
    say="Members of thread <#{thread_id}>: {count}.",
    checks=(pages_with_members, one_place),
    facts=needs(intents=("GUILD_MEMBERS",)),
)
async def threads_list_members(
    discord: Discord,
    thread_id: ChannelId,
    with_member: Annotated[bool | None, Field(description="names and roles too, in pages")] = None,
    after: UserId | None = None,
    limit: Annotated[int | None, Field(minimum=1, maximum=MOST_MEMBERS)] = None,
    cursor: Cursor | None = None,
) -> ThreadMembers:
    """List who is in a thread: all at once, or with their names and roles in pages of 100."""
    query = {"with_member": with_member, "after": after, "limit": limit, **place_of(cursor)}
    sent = await discord.get("/channels/{}/thread-members", thread_id, into=list[Wire], query=query)
    return thread_members(sent, thread_id, full=(limit or MOST_MEMBERS) if with_member else None)


@tools.tool(Effect.UPDATE, say="Joined thread <#{thread_id}>.", facts=needs("VIEW_CHANNEL"))
async def threads_join(discord: Discord, thread_id: ChannelId) -> Joined:
    """Put the bot into a thread that is not archived."""
    await discord.do("PUT", "/channels/{}/thread-members/@me", thread_id)
    return {"joined": True, "thread_id": thread_id}


@tools.tool(Effect.UPDATE, say="Left thread <#{thread_id}>.", facts=needs())
async def threads_leave(discord: Discord, thread_id: ChannelId) -> Left:
    """Take the bot out of a thread that is not archived."""
    await discord.do("DELETE", "/channels/{}/thread-members/@me", thread_id)
    return {"left": True, "thread_id": thread_id}


@tools.tool(
    Effect.UPDATE, say="Added user {user_id} to thread <#{thread_id}>.", facts=needs("SEND_MESSAGES_IN_THREADS")
)
async def threads_add_member(discord: Discord, thread_id: ChannelId, user_id: UserId) -> Added:
    """Put a member of the guild into a thread that is not archived."""
    await discord.do("PUT", "/channels/{}/thread-members/{}", thread_id, user_id)
    return {"added": True, "thread_id": thread_id, "user_id": user_id}


@tools.tool(
    Effect.UPDATE,
    say="Removed user {user_id} from thread <#{thread_id}>.",
    facts=needs(when={"a thread that is not the bot's own private one": "MANAGE_THREADS"}),
)
async def threads_remove_member(discord: Discord, thread_id: ChannelId, user_id: UserId) -> Removed:
    """Take a member out of a thread that is not archived."""
    await discord.do("DELETE", "/channels/{}/thread-members/{}", thread_id, user_id)
    return {"removed": True, "thread_id": thread_id, "user_id": user_id}
