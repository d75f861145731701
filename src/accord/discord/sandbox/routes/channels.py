"""Channels: reading, creating, changing and deleting them, and the typing sign."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, channel_settings, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.channel_settings import ANNOUNCEMENT, CATEGORY, SETTINGS, TEXT
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, integer, listed, one_of, read, snowflake, text, truth
from accord.discord.sandbox.routes.overwrites import OVERWRITE, overwrites_from
from accord.discord.sandbox.routes.threads import update_thread
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Channel

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MOST_CHANNELS = 500
GROUP = 3
FOLLOWER = 2
_fields = {
    **SETTINGS,
    "name": text(100, least=1),
    "type": one_of(*channel_settings.DEFAULTS),
    "position": integer(0, 2**31 - 1),
    "parent_id": snowflake,
    "permission_overwrites": listed(OVERWRITE, most=100),
    "flags": integer(0, 2**31 - 1),
}
_create = form(_fields, required=("name",))
_places = listed(
    form({"id": snowflake, "position": integer(0, 2**31 - 1), "parent_id": snowflake, "lock_permissions": truth},
         required=("id",)),
    most=MOST_CHANNELS,
)  # fmt: skip
_follow = form({"webhook_channel_id": snowflake}, required=("webhook_channel_id",))
_change = form(_fields)
_rename = form({"name": text(100, least=1)})


def get_channel(call: Call, channel_id: str) -> JsonObject:
    """One channel, thread or direct message."""
    return payloads.channel(call.world, access.channel(call.world, channel_id))


def list_channels(call: Call, guild_id: str) -> list[JsonObject]:
    """All channels of a guild but threads; those that the bot cannot see are listed too, as Discord does."""
    guild = access.guild(call.world, guild_id)
    return [payloads.channel(call.world, each) for each in call.world.channels_of(guild.id)]


def create_channel(call: Call, guild_id: str) -> JsonObject:
    """A new channel at the end of the guild's list."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_CHANNELS)
    fields: JsonObject = {name: value for name, value in read(_create, call.body).items() if value is not None}
    others = list(call.world.channels_of(guild_id))
    if len(others) >= MOST_CHANNELS:
        raise Refused(codes.MAXIMUM_CHANNELS)
    kind = fields.get("type", TEXT)
    fresh = Channel(
        call.world.new_id(), kind, guild_id=guild_id, position=len(others),
        settings=channel_settings.settings_at_first(kind),
    )  # fmt: skip
    channel = _changed(call, guild, fresh, fields)
    call.world.channels[channel.id] = channel
    shown = payloads.channel(call.world, channel)
    call.record(guild, Deed.CHANNEL_CREATE, channel.id, changes=changes_between({}, shown))
    return shown


def update_channel(call: Call, channel_id: str) -> JsonObject:
    """Change a guild's channel, a thread or the name of a group direct message; null puts a field back."""
    if access.channel(call.world, channel_id).type == GROUP:
        return _rename_group(call, call.world.channels[channel_id])
    guild, channel = access.guild_channel(call.world, channel_id)
    if channel.thread is not None:
        return update_thread(call, guild, channel, channel.thread)
    access.channel(call.world, channel_id, permissions.MANAGE_CHANNELS)
    before = payloads.channel(call.world, channel)
    channel = _changed(call, guild, channel, read(_change, call.body))
    call.world.channels[channel.id] = channel
    after = payloads.channel(call.world, channel)
    call.record(guild, Deed.CHANNEL_UPDATE, channel.id, changes=changes_between(before, after))
    return after


def _rename_group(call: Call, group: Channel) -> JsonObject:
    call.world.channels[group.id] = renamed = replace(group, **read(_rename, call.body))
    return payloads.channel(call.world, renamed)


def _changed(call: Call, guild: Guild, channel: Channel, fields: JsonObject) -> Channel:
    """The channel with these fields in it; raises Refused 50035 for a parent or a type that cannot be."""
    _check_parent(call, guild, fields.get("parent_id"))
    kind = _new_kind(channel, fields.get("type"))
    changes: dict[str, Any] = {name: fields[name] for name in ("position", "flags") if fields.get(name) is not None}
    if "parent_id" in fields:
        changes["parent_id"] = fields["parent_id"]
    if fields.get("name"):
        changes["name"] = channel_settings.plain_name(kind, fields["name"])
    if "permission_overwrites" in fields:
        changes["overwrites"] = overwrites_from(call, guild, fields["permission_overwrites"] or [])
    settings = channel.settings | channel_settings.settled(call.world, kind, fields)
    return replace(channel, type=kind, settings=settings, **changes)


def _new_kind(channel: Channel, wanted: int | None) -> int:
    """Only text and announcement channels can be turned into each other."""
    both_ways = (TEXT, ANNOUNCEMENT)
    if wanted is None or wanted == channel.type:
        return channel.type
    if wanted not in both_ways or channel.type not in both_ways:
        complaints = Complaints()
        complaints.at("type").say("CHANNEL_TYPE_INVALID", "Invalid channel type")
        complaints.settle()
    return wanted


def _check_parent(call: Call, guild: Guild, parent_id: str | None) -> None:
    if parent_id is None:
        return
    parent = call.world.channels.get(parent_id)
    complaints = Complaints()
    if parent is None or parent.guild_id != guild.id:
        complaints.at("parent_id").say("CHANNEL_PARENT_INVALID", "Category does not exist")
    elif parent.type != CATEGORY:
        complaints.at("parent_id").say("CHANNEL_PARENT_INVALID_TYPE", "Not a category")
    complaints.settle()


def move_channels(call: Call, guild_id: str) -> None:
    """Put channels at other places among their like, or into another category, with that one's overwrites or not."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_CHANNELS)
    for place in read(_places, call.body):
        channel = access.channel(call.world, place["id"], permissions.MANAGE_CHANNELS)
        if channel.guild_id != guild_id:
            raise Refused(codes.UNKNOWN_CHANNEL)
        before = payloads.channel(call.world, channel)
        fields = {name: place[name] for name in ("position", "parent_id") if name in place}
        moved = _changed(call, guild, channel, fields)
        parent = call.world.channels.get(moved.parent_id or "")
        if place.get("lock_permissions") and parent:
            moved.overwrites = dict(parent.overwrites)
        call.world.channels[channel.id] = moved
        changes = changes_between(before, payloads.channel(call.world, moved))
        call.record(guild, Deed.CHANNEL_UPDATE, channel.id, changes=changes)


def follow_channel(call: Call, channel_id: str) -> JsonObject:
    """Have what is published in an announcement channel come to another channel, by a webhook that only follows."""
    source_guild, source = access.guild_channel(call.world, channel_id)
    target_id = read(_follow, call.body)["webhook_channel_id"]
    guild, target = access.guild_channel(call.world, target_id, permissions.MANAGE_WEBHOOKS)
    if source.type != ANNOUNCEMENT or target.type != TEXT:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    webhook_id = call.world.new_id()
    call.world.webhooks[webhook_id] = {
        "id": webhook_id, "type": FOLLOWER, "guild_id": guild.id, "channel_id": target.id, "avatar": None,
        "name": f"{source_guild.name} #{source.name}", "application_id": None, "user": payloads.user(call.world.me),
        "source_guild": {"id": source_guild.id, "name": source_guild.name, "icon": None},
        "source_channel": {"id": source.id, "name": source.name},
    }  # fmt: skip
    call.record(guild, Deed.WEBHOOK_CREATE, webhook_id, changes=changes_between({}, {"channel_id": target.id}))
    return {"channel_id": source.id, "webhook_id": webhook_id}


def delete_channel(call: Call, channel_id: str) -> JsonObject:
    """Delete a channel with its threads, or close a direct message; a category's channels only lose their parent."""
    channel = access.channel(call.world, channel_id)
    shown = payloads.channel(call.world, channel)
    if channel.guild_id is not None:
        _delete_in_guild(call, call.world.guilds[channel.guild_id], channel, shown)
    del call.world.channels[channel_id]
    return shown


def _delete_in_guild(call: Call, guild: Guild, channel: Channel, shown: JsonObject) -> None:
    is_thread = channel.thread is not None
    needs = permissions.MANAGE_THREADS if is_thread else permissions.MANAGE_CHANNELS
    access.channel(call.world, channel.id, needs)
    for thread in [each for each in call.world.threads_of(guild.id) if each.parent_id == channel.id]:
        del call.world.channels[thread.id]
    for child in call.world.channels_of(guild.id):
        child.parent_id = None if child.parent_id == channel.id else child.parent_id
    deed = Deed.THREAD_DELETE if is_thread else Deed.CHANNEL_DELETE
    call.record(guild, deed, channel.id, changes=changes_between(shown, {}))


def show_typing(call: Call, channel_id: str) -> None:
    """Show that the bot is typing, which nobody sees here."""
    access.channel(call.world, channel_id, permissions.SEND_MESSAGES)


def remove_recipient(call: Call, channel_id: str, user_id: str) -> None:
    """Remove a user from a group direct message."""
    channel = access.channel(call.world, channel_id)
    if channel.type != GROUP:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    recipients = channel.settings["recipient_ids"]
    if user_id not in recipients:
        raise Refused(codes.UNKNOWN_USER)
    recipients.remove(user_id)


ROUTES = (
    Route("GET", "/channels/{channel_id}", get_channel),
    Route("PATCH", "/channels/{channel_id}", update_channel),
    Route("DELETE", "/channels/{channel_id}", delete_channel),
    Route("POST", "/channels/{channel_id}/typing", show_typing),
    Route("DELETE", "/channels/{channel_id}/recipients/{user_id}", remove_recipient),
    Route("GET", "/guilds/{guild_id}/channels", list_channels),
    Route("POST", "/guilds/{guild_id}/channels", create_channel, status=201),
    Route("PATCH", "/guilds/{guild_id}/channels", move_channels),
    Route("POST", "/channels/{channel_id}/followers", follow_channel),
)
