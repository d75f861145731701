"""A guild as a whole: reading it, changing its settings, and what it shows to outsiders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, integer, listed, one_of, read, snowflake, text, truth
from accord.discord.sandbox.pictures import picture
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

LOCALES = (
    "ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
)  # fmt: skip
# Which features a request can switch, and what that takes besides MANAGE_GUILD:
# https://discord.com/developers/docs/resources/guild#guild-object-mutable-guild-features
MUTABLE_FEATURES = {
    "COMMUNITY": permissions.ADMINISTRATOR,
    "DISCOVERABLE": permissions.ADMINISTRATOR,
    "INVITES_DISABLED": 0,
    "RAID_ALERTS_DISABLED": 0,
}


_channels = (
    "afk_channel_id", "system_channel_id", "rules_channel_id", "public_updates_channel_id", "safety_alerts_channel_id",
)  # fmt: skip
_fields = form(
    {
        "name": text(100, least=2),
        "description": text(300),
        "verification_level": integer(0, 4),
        "default_message_notifications": integer(0, 1),
        "explicit_content_filter": integer(0, 2),
        "afk_timeout": one_of(60, 300, 900, 1800, 3600),
        "system_channel_flags": integer(0, 2**31 - 1),
        "preferred_locale": one_of(*LOCALES),
        "features": listed(text(152133), most=1521),
        "premium_progress_bar_enabled": truth,
        **dict.fromkeys(_channels, snowflake),
        **dict.fromkeys(("icon", "splash", "discovery_splash", "banner", "home_header"), picture),
    }
)
# What null puts back where a new guild in the demo world does not start with it.
_UNSET: JsonObject = {
    "verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0,
}  # fmt: skip


def get_guild(call: Call, guild_id: str) -> JsonObject:
    """A guild with its roles and emojis, and its counts if asked for."""
    with_counts = call.asked(with_counts=truth).get("with_counts", False)
    return payloads.guild(call.world, access.guild(call.world, guild_id), with_counts=with_counts)


def get_preview(call: Call, guild_id: str) -> JsonObject:
    """What a guild shows to outsiders; one that the bot is not in has to be discoverable."""
    found = call.world.guilds.get(guild_id)
    if found is None or (call.world.me.id not in found.members and "DISCOVERABLE" not in found.features):
        raise Refused(codes.UNKNOWN_GUILD)
    shown = payloads.guild(call.world, found, with_counts=True)
    return {name: shown[name] for name in payloads.PREVIEWED}


def update_guild(call: Call, guild_id: str) -> JsonObject:
    """Change a guild's settings; null puts one back."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    fields: JsonObject = read(_fields, call.body)
    _check_channels(call, guild, fields)
    before = payloads.guild(call.world, guild)
    if fields.get("features") is not None:
        guild.features = _switched(call, guild, fields.pop("features"))
    guild.name = fields.pop("name", None) or guild.name
    guild.description = fields.pop("description", guild.description) or None
    guild.settings |= {name: _settled(name, value) for name, value in fields.items()}
    after = payloads.guild(call.world, guild)
    call.record(guild, Deed.GUILD_UPDATE, guild.id, changes=changes_between(before, after))
    return after


def _check_channels(call: Call, guild: Guild, fields: JsonObject) -> None:
    known = {channel.id for channel in call.world.channels_of(guild.id)}
    if any(fields.get(name) is not None and fields[name] not in known for name in _channels):
        raise Refused(codes.UNKNOWN_CHANNEL)


def _switched(call: Call, guild: Guild, wanted: list[str]) -> list[str]:
    """The features with those switched that can be; raises Refused 50013 for one that takes an administrator."""
    switched = {name for name in MUTABLE_FEATURES if (name in wanted) != (name in guild.features)}
    for name in switched:
        access.guild(call.world, guild.id, MUTABLE_FEATURES[name])
    kept = [name for name in guild.features if name not in switched]
    return kept + sorted(switched - set(guild.features))


def _settled(name: str, value: Any) -> Any:
    return _UNSET.get(name, payloads.GUILD_BLANKS.get(name)) if value is None else value


ROUTES = (
    Route("GET", "/guilds/{guild_id}", get_guild),
    Route("PATCH", "/guilds/{guild_id}", update_guild),
    Route("GET", "/guilds/{guild_id}/preview", get_preview),
)
