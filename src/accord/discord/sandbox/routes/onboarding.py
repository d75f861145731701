"""Onboarding, the welcome screen and the server guide's welcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, listed, one_of, read, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

WELCOME_FEATURE = "WELCOME_SCREEN_ENABLED"
# What it takes to switch onboarding on: https://discord.com/developers/docs/resources/guild#modify-guild-onboarding
LEAST_CHANNELS, LEAST_OPEN_CHANNELS = 7, 5
_welcome_channel = form(
    {"channel_id": snowflake, "description": text(50, least=1), "emoji_id": snowflake, "emoji_name": text(152133)},
    required=("channel_id", "description"),
)
_welcome = form({"enabled": truth, "description": text(140), "welcome_channels": listed(_welcome_channel, most=5)})
_option = form(
    {
        "id": snowflake,
        "title": text(50, least=1),
        "description": text(100),
        "emoji_id": snowflake,
        "emoji_name": text(100),
        "emoji_animated": truth,
        "role_ids": listed(snowflake, most=50),
        "channel_ids": listed(snowflake, most=50),
    },
    required=("title",),
)
_prompt = form(
    {
        "id": snowflake,
        "title": text(100, least=1),
        "options": listed(_option, least=1, most=50),
        "single_select": truth,
        "required": truth,
        "in_onboarding": truth,
        "type": one_of(0, 1),
    },
    required=("id", "title", "options"),
)
_onboarding = form(
    {
        "prompts": listed(_prompt, most=15),
        "default_channel_ids": listed(snowflake, most=500),
        "enabled": truth,
        "mode": one_of(0, 1),
    }
)


def get_welcome_screen(call: Call, guild_id: str) -> JsonObject:
    """The welcome screen; one that is off is for those who manage the guild."""
    guild = access.guild(call.world, guild_id)
    if WELCOME_FEATURE not in guild.features:
        access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    if not guild.welcome_screen:
        raise Refused(codes.UNKNOWN_WELCOME_SCREEN)
    return guild.welcome_screen


def update_welcome_screen(call: Call, guild_id: str) -> JsonObject:
    """Change the welcome screen, or switch it."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    fields: JsonObject = read(_welcome, call.body)
    for channel in fields.get("welcome_channels") or ():
        _channel_of(call, guild, channel["channel_id"])
    if "enabled" in fields:
        guild.features = [name for name in guild.features if name != WELCOME_FEATURE]
        guild.features += [WELCOME_FEATURE] if fields["enabled"] else []
    before = guild.welcome_screen or {"description": None, "welcome_channels": []}
    guild.welcome_screen = before | {name: fields[name] for name in ("description",) if name in fields}
    if "welcome_channels" in fields:
        blank = {"emoji_id": None, "emoji_name": None}
        guild.welcome_screen["welcome_channels"] = [blank | one for one in fields["welcome_channels"] or ()]
    call.record(guild, Deed.GUILD_UPDATE, guild.id, changes=changes_between(before, guild.welcome_screen))
    return guild.welcome_screen


def _channel_of(call: Call, guild: Guild, channel_id: str) -> None:
    if channel_id not in {one.id for one in call.world.channels_of(guild.id)}:
        raise Refused(codes.UNKNOWN_CHANNEL)


def get_onboarding(call: Call, guild_id: str) -> JsonObject:
    """What new members are asked."""
    return payloads.onboarding(access.guild(call.world, guild_id))


def put_onboarding(call: Call, guild_id: str) -> JsonObject:
    """Put another onboarding in the place of this one; what is left out is as in a new guild."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD | permissions.MANAGE_ROLES)
    fields: JsonObject = {name: value for name, value in read(_onboarding, call.body).items() if value is not None}
    before = payloads.onboarding(guild)
    known = {prompt["id"]: prompt for prompt in before["prompts"]}
    fields["prompts"] = [_numbered(call, guild, each, known) for each in fields.get("prompts", ())]
    for channel_id in fields.get("default_channel_ids", ()):
        _channel_of(call, guild, channel_id)
    if fields.get("enabled") and not _is_complete(call, guild, fields):
        raise Refused(codes.ONBOARDING_INCOMPLETE)
    guild.onboarding = fields
    after = payloads.onboarding(guild)
    call.record(guild, Deed.ONBOARDING_UPDATE, guild.id, changes=changes_between(before, after))
    return after


def _numbered(call: Call, guild: Guild, prompt: JsonObject, known: dict[str, JsonObject]) -> JsonObject:
    """The prompt as it is kept; one that is new gets an id in place of the one that was sent."""
    old = known.get(prompt["id"], {})
    option_ids = {option["id"] for option in old.get("options", ())}
    blank = {"type": 0, "single_select": False, "required": False, "in_onboarding": False}
    given = {name: value for name, value in prompt.items() if value is not None}
    options = [_option_kept(call, guild, each, option_ids) for each in prompt["options"]]
    return blank | given | {"id": old.get("id") or call.world.new_id(), "options": options}


def _option_kept(call: Call, guild: Guild, option: JsonObject, known: set[str]) -> JsonObject:
    for role_id in option.get("role_ids") or ():
        access.role(guild, role_id)
    for channel_id in option.get("channel_ids") or ():
        _channel_of(call, guild, channel_id)
    return {
        "id": option["id"] if option.get("id") in known else call.world.new_id(),
        "title": option["title"],
        "description": option.get("description") or "",
        "emoji": {
            "id": option.get("emoji_id"),
            "name": option.get("emoji_name"),
            "animated": bool(option.get("emoji_animated")),
        },
        "role_ids": option.get("role_ids") or [],
        "channel_ids": option.get("channel_ids") or [],
    }


def _is_complete(call: Call, guild: Guild, fields: JsonObject) -> bool:
    """Whether enough channels are there for everybody, by default or, in the advanced mode, by an option too."""
    channel_ids = set(fields.get("default_channel_ids", ()))
    if fields.get("mode"):
        options = (option for prompt in fields["prompts"] for option in prompt["options"])
        channel_ids |= {channel_id for option in options for channel_id in option["channel_ids"]}
    open_ones = [each for each in channel_ids if _everybody_writes(call, guild, each)]
    return len(channel_ids) >= LEAST_CHANNELS and len(open_ones) >= LEAST_OPEN_CHANNELS


def _everybody_writes(call: Call, guild: Guild, channel_id: str) -> bool:
    overwrite = call.world.channels[channel_id].overwrites.get(guild.id)
    may = guild.roles[guild.id].permissions
    granted = may if overwrite is None else (may & ~overwrite.deny) | overwrite.allow
    return bool(granted & permissions.SEND_MESSAGES and granted & permissions.VIEW_CHANNEL)


def get_new_member_welcome(call: Call, guild_id: str) -> JsonObject | None:
    """The server guide's welcome, or nothing where none was ever made."""
    return access.guild(call.world, guild_id).new_member_welcome or None


ROUTES = (
    Route("GET", "/guilds/{guild_id}/welcome-screen", get_welcome_screen),
    Route("PATCH", "/guilds/{guild_id}/welcome-screen", update_welcome_screen),
    Route("GET", "/guilds/{guild_id}/onboarding", get_onboarding),
    Route("PUT", "/guilds/{guild_id}/onboarding", put_onboarding),
    Route("GET", "/guilds/{guild_id}/new-member-welcome", get_new_member_welcome),
)
