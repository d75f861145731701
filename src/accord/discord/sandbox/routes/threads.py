"""Threads and forum posts: opening, changing and listing them, and who is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.channel_settings import (
    ANNOUNCEMENT,
    ANNOUNCEMENT_THREAD,
    ARCHIVE_MINUTES,
    FORUM,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    SLOWEST_SECONDS,
    TEXT,
)
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content.composing import composed, post
from accord.discord.sandbox.forms import (
    Complaints,
    anything,
    form,
    integer,
    listed,
    one_of,
    read,
    snowflake,
    text,
    truth,
)
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Channel, Message, Thread, pointing_at

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

HAS_THREAD = 1 << 5
REQUIRE_TAG = 1 << 4
MOST_ACTIVE = 1000
MOST_MEMBERS = 100
THREAD_CREATED_MESSAGE, THREAD_STARTER_MESSAGE = 18, 21
USUAL_ARCHIVE_MINUTES = 4320
_opening = {
    "name": text(100, least=1),
    "auto_archive_duration": one_of(*ARCHIVE_MINUTES),
    "rate_limit_per_user": integer(0, SLOWEST_SECONDS),
}
_from_message = form(_opening, required=("name",))
_alone = form(
    {**_opening, "type": one_of(ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD), "invitable": truth},
    required=("name",),
)
_tags = listed(snowflake, most=5)
_forum_post = form({**_opening, "applied_tags": _tags, "message": anything}, required=("name", "message"))
_change = form(
    {
        **_opening,
        "archived": truth,
        "locked": truth,
        "invitable": truth,
        "applied_tags": _tags,
        "flags": integer(0, 2**31 - 1),
    }
)
IN_METADATA = ("archived", "locked", "invitable", "auto_archive_duration")


def open_from_message(call: Call, channel_id: str, message_id: str) -> JsonObject:
    """Open a thread under a message; it gets that message's id."""
    _guild, channel = access.guild_channel(call.world, channel_id, permissions.CREATE_PUBLIC_THREADS)
    if channel.type not in (TEXT, ANNOUNCEMENT):
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    origin = access.message(channel, message_id)
    if message_id in call.world.channels:
        raise Refused(codes.THREAD_EXISTS)
    fields = read(_from_message, call.body)
    thread = _opened(call, channel, message_id, _public_kind(channel), fields)
    origin.flags |= HAS_THREAD
    reference = pointing_at(channel, origin.id)
    thread.add(
        Message(call.world.new_id(), thread.id, origin.author_id, type=THREAD_STARTER_MESSAGE, reference=reference)
    )
    return payloads.channel(call.world, thread)


def open_thread(call: Call, channel_id: str) -> JsonObject:
    """Open a thread of its own in a text channel, or a post in a forum."""
    _guild, channel = access.guild_channel(call.world, channel_id)
    if channel.type == FORUM:
        return _open_post(call, channel)
    if channel.type not in (TEXT, ANNOUNCEMENT):
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    fields = read(_alone, call.body)
    kind = fields.get("type") or PRIVATE_THREAD  # what Discord takes a missing type for
    private = kind == PRIVATE_THREAD
    needs = permissions.CREATE_PRIVATE_THREADS if private else permissions.CREATE_PUBLIC_THREADS
    access.channel(call.world, channel_id, needs)
    thread = _opened(call, channel, call.world.new_id(), kind, fields)
    if not private:
        _announce(call, channel, thread)
    return payloads.channel(call.world, thread)


def _open_post(call: Call, forum: Channel) -> JsonObject:
    access.channel(call.world, forum.id, permissions.SEND_MESSAGES)
    fields = read(_forum_post, call.body)
    tags = fields.get("applied_tags") or []
    check_tags(forum, tags)
    _check_moderated(call, forum, tags)
    message = composed(call, forum, fields["message"])
    post_channel = _opened(call, forum, message.id, PUBLIC_THREAD, fields)
    message.channel_id = post_channel.id
    post(call, post_channel, message)
    shown = payloads.message(call.world, post_channel, message)
    shown.pop("thread", None)
    return payloads.channel(call.world, post_channel) | {"message": shown}


def check_tags(forum: Channel, tags: list[str]) -> None:
    """Refuse a post without the tags that its forum wants, and with tags that it has not."""
    if forum.flags & REQUIRE_TAG and not tags:
        raise Refused(codes.TAG_REQUIRED)
    known = {tag["id"] for tag in forum.settings.get("available_tags", [])}
    complaints = Complaints()
    for index, tag in enumerate(tags):
        if tag not in known:
            complaints.at("applied_tags").at(index).say("THREAD_TAG_INVALID", "Unknown tag")
    complaints.settle()


def _check_moderated(call: Call, forum: Channel, tags: list[str]) -> None:
    """Refuse a moderated tag to be given or taken away by who does not manage threads."""
    moderated = {tag["id"] for tag in forum.settings.get("available_tags", []) if tag["moderated"]}
    if not moderated.isdisjoint(tags) and not access.may(call.world, forum, permissions.MANAGE_THREADS):
        raise Refused(codes.MISSING_PERMISSIONS)


def _public_kind(channel: Channel) -> int:
    return ANNOUNCEMENT_THREAD if channel.type == ANNOUNCEMENT else PUBLIC_THREAD


def _opened(call: Call, parent: Channel, thread_id: str, kind: int, fields: JsonObject) -> Channel:
    """A new thread with the bot in it."""
    guild = call.world.guilds[str(parent.guild_id)]
    if sum(_is_active(each) for each in call.world.threads_of(guild.id)) >= MOST_ACTIVE:
        raise Refused(codes.MAXIMUM_ACTIVE_THREADS)
    minutes = fields.get("auto_archive_duration") or parent.settings.get("default_auto_archive_duration")
    metadata = opening_metadata(call.world.now(), minutes or USUAL_ARCHIVE_MINUTES)
    if kind == PRIVATE_THREAD:
        metadata["invitable"] = fields.get("invitable") is not False
    own = Thread(call.world.me.id, metadata, {call.world.me.id: call.world.now()}, fields.get("applied_tags") or [])
    thread = Channel(
        thread_id, kind, fields["name"], guild.id, parent.id, thread=own,
        settings={"rate_limit_per_user": fields.get("rate_limit_per_user") or 0},
    )  # fmt: skip
    call.world.channels[thread.id] = thread
    call.record(guild, Deed.THREAD_CREATE, thread.id, changes=changes_between({}, payloads.channel(call.world, thread)))
    return thread


def opening_metadata(now: str, archive_minutes: int) -> JsonObject:
    """The metadata of a thread that was opened at this time, in ISO 8601."""
    return {
        "archived": False,
        "archive_timestamp": now,
        "auto_archive_duration": archive_minutes,
        "locked": False,
        "create_timestamp": now,
    }


def _announce(call: Call, channel: Channel, thread: Channel) -> None:
    """The channel shows a system message that leads to the thread."""
    channel.add(
        Message(
            call.world.new_id(), channel.id, call.world.me.id, thread.name, THREAD_CREATED_MESSAGE,
            reference=pointing_at(thread),
        )
    )  # fmt: skip


def update_thread(call: Call, guild: Guild, channel: Channel, thread: Thread) -> JsonObject:
    """Change a thread; its owner may rename and archive it, a locked one needs a moderator."""
    fields = {name: value for name, value in read(_change, call.body).items() if value is not None}
    _check_may_change(call, channel, thread, fields)
    before = payloads.channel(call.world, channel)
    if "applied_tags" in fields:
        forum = call.world.channels[str(channel.parent_id)]
        check_tags(forum, fields["applied_tags"])
        _check_moderated(call, forum, [*{*fields["applied_tags"]} ^ {*thread.applied_tags}])
        thread.applied_tags = fields["applied_tags"]
    if fields.get("archived", thread.metadata["archived"]) != thread.metadata["archived"]:
        thread.metadata["archive_timestamp"] = call.world.now()
    thread.metadata |= {name: fields[name] for name in IN_METADATA if name in fields}
    channel.name = fields.get("name", channel.name)
    channel.flags = fields.get("flags", channel.flags)
    channel.settings["rate_limit_per_user"] = fields.get("rate_limit_per_user", channel.settings["rate_limit_per_user"])
    after = payloads.channel(call.world, channel)
    call.record(guild, Deed.THREAD_UPDATE, channel.id, changes=changes_between(before, after))
    return after


def _check_may_change(call: Call, channel: Channel, thread: Thread, fields: JsonObject) -> None:
    moderates = access.may(call.world, channel, permissions.MANAGE_THREADS)
    if thread.metadata["archived"] and fields.get("archived") is not False:
        raise Refused(codes.ARCHIVED_THREAD)
    if thread.metadata["locked"] and not moderates:
        raise Refused(codes.THREAD_LOCKED)
    owns = thread.owner_id == call.world.me.id and fields.keys().isdisjoint(("locked", "rate_limit_per_user"))
    only_wakes = fields == {"archived": False} and access.may(call.world, channel, permissions.SEND_MESSAGES)
    if not (moderates or owns or only_wakes):
        raise Refused(codes.MISSING_PERMISSIONS)


def _is_active(channel: Channel) -> bool:
    return channel.thread is not None and not channel.thread.metadata["archived"]


def list_active(call: Call, guild_id: str) -> JsonObject:
    """The guild's active threads that the bot can see, newest first, with its own memberships."""
    guild = access.guild(call.world, guild_id)
    threads = [
        payloads.thread(call.world, each)
        for each in call.world.threads_of(guild.id)
        if _is_active(each) and access.may(call.world, each, permissions.VIEW_CHANNEL)
    ]
    threads.sort(key=lambda thread: -int(thread["id"]))
    return {
        "threads": threads,
        "members": [thread["member"] for thread in threads if "member" in thread],
        "has_more": False,
    }


def _thread(call: Call, thread_id: str) -> tuple[Guild, Channel, Thread]:
    guild, channel = access.guild_channel(call.world, thread_id)
    if channel.thread is None:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    return guild, channel, channel.thread


def list_thread_members(call: Call, thread_id: str) -> list[JsonObject]:
    """Everyone in a thread; with their guild members, and only then in pages, if asked for."""
    guild, channel, thread = _thread(call, thread_id)
    asked = call.asked(with_member=truth, after=snowflake, limit=integer(1, MOST_MEMBERS))
    ids = sorted(thread.members, key=int)
    if not asked.get("with_member"):
        return [payloads.thread_member(channel.id, each, thread.members[each]) for each in ids]
    later = [each for each in ids if int(each) > int(asked.get("after", 0))][: asked.get("limit", MOST_MEMBERS)]
    return [_with_guild_member(call, guild, channel, each) for each in later]


def _with_guild_member(call: Call, guild: Guild, channel: Channel, user_id: str) -> JsonObject:
    joined = channel.thread.members[user_id] if channel.thread else ""
    member = payloads.member(call.world, access.member(guild, user_id))
    return payloads.thread_member(channel.id, user_id, joined) | {"member": member}


def get_thread_member(call: Call, thread_id: str, user_id: str) -> JsonObject:
    """One member of a thread."""
    guild, channel, thread = _thread(call, thread_id)
    if user_id not in thread.members:
        raise Refused(codes.UNKNOWN_MEMBER)
    if call.asked(with_member=truth).get("with_member"):
        return _with_guild_member(call, guild, channel, user_id)
    return payloads.thread_member(channel.id, user_id, thread.members[user_id])


def join_thread(call: Call, thread_id: str) -> None:
    """Put the bot itself into a thread."""
    _guild, channel, thread = _thread(call, thread_id)
    access.open_for_changes(channel)
    thread.members.setdefault(call.world.me.id, call.world.now())


def add_to_thread(call: Call, thread_id: str, user_id: str) -> None:
    """Put another member of the guild into a thread."""
    guild, channel, thread = _thread(call, thread_id)
    access.channel(call.world, thread_id, permissions.SEND_MESSAGES)
    access.open_for_changes(channel)
    thread.members.setdefault(access.member(guild, user_id).user_id, call.world.now())


def leave_thread(call: Call, thread_id: str) -> None:
    """Take the bot itself out of a thread."""
    _guild, channel, thread = _thread(call, thread_id)
    access.open_for_changes(channel)
    thread.members.pop(call.world.me.id, None)


def remove_from_thread(call: Call, thread_id: str, user_id: str) -> None:
    """Take someone else out of a thread."""
    _guild, channel, thread = _thread(call, thread_id)
    access.open_for_changes(channel)
    access.channel(call.world, thread_id, permissions.MANAGE_THREADS)
    if user_id not in thread.members:
        raise Refused(codes.UNKNOWN_MEMBER)
    del thread.members[user_id]


ROUTES = (
    Route("POST", "/channels/{channel_id}/messages/{message_id}/threads", open_from_message, status=201),
    Route("POST", "/channels/{channel_id}/threads", open_thread, status=201),
    Route("GET", "/guilds/{guild_id}/threads/active", list_active),
    Route("GET", "/channels/{channel_id}/thread-members", list_thread_members),
    Route("GET", "/channels/{channel_id}/thread-members/{user_id}", get_thread_member),
    Route("PUT", "/channels/{channel_id}/thread-members/@me", join_thread),
    Route("PUT", "/channels/{channel_id}/thread-members/{user_id}", add_to_thread),
    Route("DELETE", "/channels/{channel_id}/thread-members/@me", leave_thread),
    Route("DELETE", "/channels/{channel_id}/thread-members/{user_id}", remove_from_thread),
)
