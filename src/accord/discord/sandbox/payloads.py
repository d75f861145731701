"""How the state looks on the wire: one function a resource, from a value of the world to Discord's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import permissions
from accord.discord.sandbox.world import User

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.sandbox.world import (
        Channel,
        Emoji,
        Guild,
        JsonObject,
        Member,
        Message,
        Overwrite,
        Reaction,
        Role,
        Sticker,
        World,
    )

CUSTOM_STICKER = 2
PNG = 1
REPLY = 19

# What a user, a member and a guild have none of in the sandbox, yet Discord always names.
USER_BLANKS: JsonObject = {
    "public_flags": 0, "flags": 0, "accent_color": None,
    "avatar_decoration_data": None, "collectibles": None, "primary_guild": None,
}  # fmt: skip
MEMBER_BLANKS: JsonObject = {"pending": False, "premium_since": None}
GUILD_BLANKS: JsonObject = {
    "icon": None, "home_header": None, "splash": None, "discovery_splash": None, "banner": None, "application_id": None,
    "region": "deprecated", "afk_channel_id": None, "afk_timeout": 300, "system_channel_id": None,
    "system_channel_flags": 0, "widget_enabled": False, "widget_channel_id": None, "verification_level": 1,
    "default_message_notifications": 1, "mfa_level": 0, "explicit_content_filter": 2, "max_presences": None,
    "max_members": 500_000, "max_stage_video_channel_users": 50, "max_video_channel_users": 25,
    "vanity_url_code": None, "premium_tier": 0, "premium_subscription_count": 0, "preferred_locale": "en-US",
    "rules_channel_id": None, "safety_alerts_channel_id": None, "public_updates_channel_id": None,
    "premium_progress_bar_enabled": False, "nsfw": False, "nsfw_level": 0, "incidents_data": None,
}  # fmt: skip
PREVIEWED = (
    "id", "name", "icon", "description", "home_header", "splash", "discovery_splash", "features",
    "approximate_member_count", "approximate_presence_count", "emojis", "stickers",
)  # fmt: skip


def user(person: User) -> JsonObject:
    """A user object; a bot still has a discriminator, a person has 0."""
    shown = USER_BLANKS | {
        "id": person.id,
        "username": person.username,
        "global_name": person.global_name,
        "discriminator": "4821" if person.bot else "0",
        "avatar": person.avatar,
        "banner": person.banner,
    }
    return shown | {"bot": True} if person.bot else shown


def member(world: World, one: Member) -> JsonObject:
    """A guild member object with its user."""
    return MEMBER_BLANKS | {
        "user": user(world.users[one.user_id]),
        "nick": one.nick,
        "avatar": one.avatar,
        "banner": one.banner,
        "roles": list(one.roles),
        "joined_at": one.joined_at,
        "communication_disabled_until": one.timed_out_until,
        "flags": one.flags,
        "mute": one.mute,
        "deaf": one.deaf,
    }


def role(one: Role) -> JsonObject:
    """A role object; permissions are a decimal string."""
    shown: JsonObject = {
        "id": one.id,
        "name": one.name,
        "description": None,
        "permissions": str(one.permissions),
        "position": one.position,
        "color": one.color,
        "colors": {"primary_color": one.color, "secondary_color": None, "tertiary_color": None},
        "hoist": one.hoist,
        "managed": one.bot_id is not None,
        "mentionable": one.mentionable,
        "icon": None,
        "unicode_emoji": one.unicode_emoji,
        "flags": 0,
    }
    return shown | {"tags": {"bot_id": one.bot_id}} if one.bot_id else shown


def emoji(world: World, one: Emoji) -> JsonObject:
    """A custom emoji object with its creator."""
    return {
        "id": one.id,
        "name": one.name,
        "roles": list(one.roles),
        "user": user(world.users[one.creator_id]),
        "require_colons": True,
        "managed": False,
        "animated": one.animated,
        "available": True,
    }


def sticker(one: Sticker, guild_id: str) -> JsonObject:
    """A guild sticker object."""
    return {
        "id": one.id,
        "name": one.name,
        "tags": one.tags,
        "type": CUSTOM_STICKER,
        "format_type": one.format,
        "description": one.description,
        "available": True,
        "guild_id": guild_id,
    }


def guild(world: World, one: Guild, *, with_counts: bool = False) -> JsonObject:
    """A guild object; the counts are approximate in Discord and exact here."""
    shown = (
        GUILD_BLANKS
        | one.settings
        | {
            "id": one.id,
            "name": one.name,
            "description": one.description,
            "features": list(one.features),
            "owner_id": one.owner_id,
            "roles": [role(each) for each in one.roles.values()],
            "emojis": [emoji(world, each) for each in one.emojis.values()],
            "stickers": [sticker(each, one.id) for each in one.stickers.values()],
            "widget_enabled": one.widget.get("enabled", False),
            "widget_channel_id": one.widget.get("channel_id"),
        }
    )
    return shown | counts(one) if with_counts else shown


def widget_settings(one: Guild) -> JsonObject:
    """Whether a guild's widget is on, and the channel of its invite."""
    return {"enabled": one.widget.get("enabled", False), "channel_id": one.widget.get("channel_id")}


def widget_member(number: int, person: User) -> JsonObject:
    """Somebody as the widget shows them: with a number for an id."""
    return {
        "id": str(number),
        "username": person.global_name or person.username,
        "discriminator": "0000",
        "avatar": None,
        "status": "online",
        "avatar_url": f"https://cdn.discordapp.com/widget-avatars/{number}",
    }


def onboarding(one: Guild) -> JsonObject:
    """What new members are asked and shown; nothing at first."""
    blank = {"prompts": [], "default_channel_ids": [], "enabled": False, "mode": 0}
    return blank | one.onboarding | {"guild_id": one.id}


def counts(one: Guild) -> JsonObject:
    """How many members a guild has, all of them present."""
    return {"approximate_member_count": len(one.members), "approximate_presence_count": len(one.members)}


def my_guild(world: World, one: Guild, *, with_counts: bool) -> JsonObject:
    """A guild as the list of one's own guilds shows it."""
    me = one.members[world.me.id]
    shown: JsonObject = {
        "id": one.id,
        "name": one.name,
        "icon": one.settings.get("icon"),
        "banner": one.settings.get("banner"),
        "owner": one.owner_id == me.user_id,
        "permissions": str(permissions.in_guild(one, me)),
        "features": list(one.features),
    }
    return shown | counts(one) if with_counts else shown


def overwrite(one: Overwrite) -> JsonObject:
    """A permission overwrite; both sets are decimal strings."""
    return {"id": one.id, "type": one.type, "allow": str(one.allow), "deny": str(one.deny)}


def channel(world: World, one: Channel) -> JsonObject:
    """A channel object of whichever kind: guild channel, thread or direct message."""
    if one.guild_id is None:
        return _direct_message(world, one)
    if one.thread is not None:
        return thread(world, one)
    return one.settings | {
        "id": one.id,
        "type": one.type,
        "guild_id": one.guild_id,
        "name": one.name,
        "position": one.position,
        "parent_id": one.parent_id,
        "flags": one.flags,
        "permission_overwrites": [overwrite(each) for each in one.overwrites.values()],
        "last_message_id": one.last_message_id,
    }


def _direct_message(world: World, one: Channel) -> JsonObject:
    group = one.settings.get("recipient_ids")
    more = {} if group is None else {"name": one.name or None, "icon": None, "owner_id": group[0], "managed": False}
    return more | {
        "id": one.id,
        "type": one.type,
        "flags": one.flags,
        "last_message_id": one.last_message_id,
        "recipients": [user(world.users[each]) for each in group or (str(one.recipient_id),)],
    }


def thread(world: World, one: Channel) -> JsonObject:
    """A thread object, with the bot's own membership if it joined."""
    own = one.thread
    if own is None:
        raise TypeError(f"channel {one.id} is no thread")
    shown = one.settings | {
        "id": one.id,
        "type": one.type,
        "guild_id": one.guild_id,
        "name": one.name,
        "parent_id": one.parent_id,
        "flags": one.flags,
        "last_message_id": one.last_message_id,
        "owner_id": own.owner_id,
        "thread_metadata": dict(own.metadata),
        "message_count": sum(each != one.id for each in one.messages),
        "member_count": len(own.members),
        "total_message_sent": own.messages_sent,
        "applied_tags": list(own.applied_tags),
    }
    joined = own.members.get(world.me.id)
    return shown | {"member": thread_member(one.id, world.me.id, joined)} if joined else shown


def thread_member(thread_id: str, user_id: str, joined: str) -> JsonObject:
    """A thread member object, without its guild member."""
    return {"id": thread_id, "user_id": user_id, "join_timestamp": joined, "flags": 1}


def message(world: World, channel: Channel, one: Message) -> JsonObject:
    """A message object, with the message it answers one level deep."""
    shown = _message(world, channel, one)
    if one.type == REPLY and one.reference:
        origin = channel.messages.get(one.reference["message_id"])
        shown["referenced_message"] = _message(world, channel, origin) if origin else None
    return shown


def _message(world: World, channel: Channel, one: Message) -> JsonObject:
    return {
        "id": one.id,
        "channel_id": one.channel_id,
        "author": _author(world, one),
        "type": one.type,
        "content": one.content,
        "mentions": [user(world.users[each]) for each in one.mentions],
        "mention_roles": list(one.mention_roles),
        "mention_everyone": one.mention_everyone,
        "attachments": list(one.attachments),
        "embeds": list(one.embeds),
        "components": list(one.components),
        "timestamp": one.timestamp,
        "edited_timestamp": one.edited_timestamp,
        "flags": one.flags,
        "pinned": one.id in channel.pins,
        "tts": one.tts,
    } | _message_extras(world, one)


def _author(world: World, one: Message) -> JsonObject:
    if one.author_name is None:
        return user(world.users[one.author_id])
    return user(User(one.author_id, one.author_name, bot=True)) | {"discriminator": "0000"}


def _message_extras(world: World, one: Message) -> JsonObject:
    """The fields that Discord sends only where there is something in them."""
    own_thread = world.channels.get(one.id)
    extras: dict[str, Any] = {
        "reactions": [_reaction(each, world.me.id) for each in one.reactions.values()],
        "message_reference": one.reference,
        "webhook_id": one.webhook_id,
        "poll": one.poll and _poll(one.poll, one.votes, world.me.id),
        "sticker_items": [_sticker_item(world, each) for each in one.sticker_ids],
        "thread": thread(world, own_thread) if own_thread and own_thread.parent_id == one.channel_id else None,
    }
    shown = {name: value for name, value in extras.items() if value}
    return shown if one.nonce is None else shown | {"nonce": one.nonce}


def _poll(poll: JsonObject, votes: Mapping[int, list[str]], my_id: str) -> JsonObject:
    counts = [{"id": answer, "count": len(who), "me_voted": my_id in who} for answer, who in votes.items() if who]
    return poll | {"results": poll["results"] | {"answer_counts": counts}} if "results" in poll else poll


def _sticker_item(world: World, sticker_id: str) -> JsonObject:
    every = [sticker(each, guild.id) for guild in world.guilds.values() for each in guild.stickers.values()]
    every += [each for pack in world.sticker_packs.values() for each in pack["stickers"]]
    found = next(each for each in every if each["id"] == sticker_id)
    return {name: found[name] for name in ("id", "name", "format_type")}


def _reaction(one: Reaction, my_id: str) -> JsonObject:
    number = len(one.user_ids)
    return {
        "emoji": one.emoji,
        "count": number,
        "count_details": {"burst": 0, "normal": number},
        "burst_colors": [],
        "me_burst": False,
        "me": my_id in one.user_ids,
        "burst_me": False,
        "burst_count": 0,
    }
