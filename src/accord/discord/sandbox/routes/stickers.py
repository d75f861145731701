"""Stickers: a guild's own, and the packs that everybody has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, read, text
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Sticker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.sandbox.world import Guild, JsonObject, Upload

MOST_STICKERS = 5  # without boosts
MOST_BYTES = 512 * 1024
PNG, APNG, LOTTIE, GIF = 1, 2, 3, 4

_fields = {"name": text(30, least=2), "tags": text(200, least=1), "description": text(100)}
_new = form(_fields, required=("name", "tags"))
_changes = form(_fields)


def get_sticker(call: Call, sticker_id: str) -> JsonObject:
    """A sticker of a pack, or of any guild."""
    for guild in call.world.guilds.values():
        if sticker_id in guild.stickers:
            return payloads.sticker(guild.stickers[sticker_id], guild.id)
    packed = (each for pack in call.world.sticker_packs.values() for each in pack["stickers"])
    found: JsonObject | None = next((each for each in packed if each["id"] == sticker_id), None)
    if found is None:
        raise Refused(codes.UNKNOWN_STICKER)
    return found


def list_packs(call: Call) -> JsonObject:
    """All packs."""
    return {"sticker_packs": list(call.world.sticker_packs.values())}


def get_pack(call: Call, pack_id: str) -> JsonObject:
    """One pack."""
    if pack_id not in call.world.sticker_packs:
        raise Refused(codes.UNKNOWN_STICKER_PACK)
    return call.world.sticker_packs[pack_id]


def list_stickers(call: Call, guild_id: str) -> list[JsonObject]:
    """All of a guild's own; who uploaded them is told to those who may upload."""
    guild = access.guild(call.world, guild_id)
    return [_shown(call, guild, each) for each in guild.stickers.values()]


def get_guild_sticker(call: Call, guild_id: str, sticker_id: str) -> JsonObject:
    """One of a guild's own."""
    guild = access.guild(call.world, guild_id)
    return _shown(call, guild, _sticker(guild, sticker_id))


def create_sticker(call: Call, guild_id: str) -> JsonObject:
    """A new sticker, whose file comes in a form."""
    guild = access.guild(call.world, guild_id, permissions.CREATE_GUILD_EXPRESSIONS)
    fields = read(_new, call.body)
    number = _format_of(call.files)
    if len(guild.stickers) >= MOST_STICKERS:
        raise Refused(codes.MAXIMUM_STICKERS)
    words = fields.get("description") or None
    made = Sticker(call.world.new_id(), fields["name"], words, fields["tags"], number, call.world.me.id)
    guild.stickers[made.id] = made
    call.record(guild, Deed.STICKER_CREATE, made.id, changes=changes_between({}, _said(made)))
    return _shown(call, guild, made)


def _format_of(files: Mapping[str, Upload]) -> int:
    content = files["file"].content if "file" in files else b""
    if len(content) > MOST_BYTES:
        raise Refused(codes.FILE_TOO_LARGE)
    if content.startswith(b"\x89PNG"):
        return APNG if b"acTL" in content else PNG
    if content.startswith(b"GIF8"):
        return GIF
    try:
        orjson.loads(content)
    except orjson.JSONDecodeError:
        raise Refused(codes.INVALID_FILE) from None
    return LOTTIE


def update_sticker(call: Call, guild_id: str, sticker_id: str) -> JsonObject:
    """Change what is said of a sticker; null takes its description away."""
    guild = access.guild(call.world, guild_id)
    one = _changeable(call, guild, sticker_id)
    fields = read(_changes, call.body)
    before = _said(one)
    one.name, one.tags = fields.get("name") or one.name, fields.get("tags") or one.tags
    if "description" in fields:
        one.description = fields["description"] or None
    call.record(guild, Deed.STICKER_UPDATE, one.id, changes=changes_between(before, _said(one)))
    return _shown(call, guild, one)


def delete_sticker(call: Call, guild_id: str, sticker_id: str) -> None:
    """Delete a sticker."""
    guild = access.guild(call.world, guild_id)
    one = _changeable(call, guild, sticker_id)
    del guild.stickers[sticker_id]
    call.record(guild, Deed.STICKER_DELETE, sticker_id, changes=changes_between(_said(one), {}))


def _said(one: Sticker) -> JsonObject:
    return {"name": one.name, "tags": one.tags, "description": one.description}


def _sticker(guild: Guild, sticker_id: str) -> Sticker:
    if sticker_id not in guild.stickers:
        raise Refused(codes.UNKNOWN_STICKER)
    return guild.stickers[sticker_id]


def _granted(call: Call, guild: Guild) -> int:
    return permissions.in_guild(guild, guild.members[call.world.me.id])


def _changeable(call: Call, guild: Guild, sticker_id: str) -> Sticker:
    """A sticker that the bot may change: its own, as who may upload, or anybody's, as who may manage."""
    one = _sticker(guild, sticker_id)
    is_own = one.creator_id == call.world.me.id
    enough = permissions.MANAGE_GUILD_EXPRESSIONS | (permissions.CREATE_GUILD_EXPRESSIONS if is_own else 0)
    if not _granted(call, guild) & enough:
        raise Refused(codes.MISSING_PERMISSIONS)
    return one


def _shown(call: Call, guild: Guild, one: Sticker) -> JsonObject:
    shown = payloads.sticker(one, guild.id)
    may_know = permissions.CREATE_GUILD_EXPRESSIONS | permissions.MANAGE_GUILD_EXPRESSIONS
    if one.creator_id is None or not _granted(call, guild) & may_know:
        return shown
    return shown | {"user": payloads.user(call.world.users[one.creator_id])}


_ONE = "/guilds/{guild_id}/stickers/{sticker_id}"
ROUTES = (
    Route("GET", "/stickers/{sticker_id}", get_sticker),
    Route("GET", "/sticker-packs", list_packs, auth="anybody"),
    Route("GET", "/sticker-packs/{pack_id}", get_pack),
    Route("GET", "/guilds/{guild_id}/stickers", list_stickers),
    Route("POST", "/guilds/{guild_id}/stickers", create_sticker, status=201),
    Route("GET", _ONE, get_guild_sticker),
    Route("PATCH", _ONE, update_sticker),
    Route("DELETE", _ONE, delete_sticker),
)
