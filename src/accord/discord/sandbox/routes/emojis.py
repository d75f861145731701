"""A guild's custom emojis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, listed, read, snowflake, text
from accord.discord.sandbox.pictures import PICTURES, content_of
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Emoji

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MOST_OF_A_KIND = 50  # without boosts, of still and of animated ones each
MOST_BYTES = 256 * 1024
MOST_ROLES = 1521

_length = text(32, least=2)


def emoji_name(value: Any, complaints: Complaints) -> str:
    """A name of letters, digits and underscores."""
    name: str = _length(value, complaints)
    if not re.fullmatch(r"\w*", name, re.ASCII):
        complaints.say("STRING_TYPE_REGEX", "String value did not match validation regex.")
    return name


emoji_image = content_of(*PICTURES, most=MOST_BYTES)
_roles = listed(snowflake, most=MOST_ROLES)
_new = form({"name": emoji_name, "image": emoji_image, "roles": _roles}, required=("name", "image"))
_changes = form({"name": emoji_name, "roles": _roles})


def list_emojis(call: Call, guild_id: str) -> list[JsonObject]:
    """All of a guild's emojis; who uploaded them is told to those who may upload."""
    guild = access.guild(call.world, guild_id)
    return [_shown(call, guild, each) for each in guild.emojis.values()]


def get_emoji(call: Call, guild_id: str, emoji_id: str) -> JsonObject:
    """One emoji."""
    guild = access.guild(call.world, guild_id)
    return _shown(call, guild, _emoji(guild, emoji_id))


def create_emoji(call: Call, guild_id: str) -> JsonObject:
    """A new emoji; a GIF is animated."""
    guild = access.guild(call.world, guild_id, permissions.CREATE_GUILD_EXPRESSIONS)
    fields = read(_new, call.body)
    made = new_emoji(call, fields)
    made.roles = _known_roles(guild, fields)
    if sum(each.animated == made.animated for each in guild.emojis.values()) >= MOST_OF_A_KIND:
        raise Refused(codes.MAXIMUM_ANIMATED_EMOJIS if made.animated else codes.MAXIMUM_EMOJIS)
    guild.emojis[made.id] = made
    call.record(guild, Deed.EMOJI_CREATE, made.id, changes=changes_between({}, {"name": made.name}))
    return _shown(call, guild, made)


def new_emoji(call: Call, fields: JsonObject) -> Emoji:
    """An emoji of the bot's, not yet put anywhere."""
    return Emoji(call.world.new_id(), fields["name"], call.world.me.id, animated=fields["image"].startswith(b"GIF8"))


def update_emoji(call: Call, guild_id: str, emoji_id: str) -> JsonObject:
    """Rename an emoji, or say who may use it: everybody for null and for no role."""
    guild = access.guild(call.world, guild_id)
    emoji = _changeable(call, guild, emoji_id)
    fields = read(_changes, call.body)
    before = {"name": emoji.name, "roles": emoji.roles}
    emoji.name = fields.get("name") or emoji.name
    if "roles" in fields:
        emoji.roles = _known_roles(guild, fields)
    after = {"name": emoji.name, "roles": emoji.roles}
    call.record(guild, Deed.EMOJI_UPDATE, emoji.id, changes=changes_between(before, after))
    return _shown(call, guild, emoji)


def delete_emoji(call: Call, guild_id: str, emoji_id: str) -> None:
    """Delete an emoji."""
    guild = access.guild(call.world, guild_id)
    emoji = _changeable(call, guild, emoji_id)
    del guild.emojis[emoji_id]
    call.record(guild, Deed.EMOJI_DELETE, emoji_id, changes=changes_between({"name": emoji.name}, {}))


def _emoji(guild: Guild, emoji_id: str) -> Emoji:
    if emoji_id not in guild.emojis:
        raise Refused(codes.NO_SUCH_EMOJI)
    return guild.emojis[emoji_id]


def _changeable(call: Call, guild: Guild, emoji_id: str) -> Emoji:
    """An emoji that the bot may change: its own, as who may upload, or anybody's, as who may manage."""
    emoji = _emoji(guild, emoji_id)
    granted = permissions.in_guild(guild, guild.members[call.world.me.id])
    is_own = emoji.creator_id == call.world.me.id
    enough = permissions.MANAGE_GUILD_EXPRESSIONS | (permissions.CREATE_GUILD_EXPRESSIONS if is_own else 0)
    if not granted & enough:
        raise Refused(codes.MISSING_PERMISSIONS)
    return emoji


def _known_roles(guild: Guild, fields: JsonObject) -> list[str]:
    return [access.role(guild, each).id for each in fields.get("roles") or ()]


def _shown(call: Call, guild: Guild, emoji: Emoji) -> JsonObject:
    shown = payloads.emoji(call.world, emoji)
    granted = permissions.in_guild(guild, guild.members[call.world.me.id])
    if not granted & (permissions.CREATE_GUILD_EXPRESSIONS | permissions.MANAGE_GUILD_EXPRESSIONS):
        del shown["user"]
    return shown


_ONE = "/guilds/{guild_id}/emojis/{emoji_id}"
ROUTES = (
    Route("GET", "/guilds/{guild_id}/emojis", list_emojis),
    Route("POST", "/guilds/{guild_id}/emojis", create_emoji, status=201),
    Route("GET", _ONE, get_emoji),
    Route("PATCH", _ONE, update_emoji),
    Route("DELETE", _ONE, delete_emoji),
)
