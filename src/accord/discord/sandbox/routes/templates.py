"""Guild templates: snapshots of a guild, one a guild."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, read, text
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, World

KINDS = {0: 0, 2: 2, 4: 4, 5: 0, 13: 2, 15: 15}  # what a channel becomes in a template; other kinds stay out
SNAPSHOT = (
    "name", "description", "region", "verification_level", "default_message_notifications",
    "explicit_content_filter", "preferred_locale", "afk_timeout", "system_channel_flags",
)  # fmt: skip
ROLE = ("name", "permissions", "color", "colors", "hoist", "mentionable", "icon", "unicode_emoji")
CHANNEL_BLANKS: JsonObject = {
    "topic": None, "bitrate": 64_000, "user_limit": 0, "nsfw": False, "rate_limit_per_user": 0, "parent_id": None,
    "default_auto_archive_duration": None, "available_tags": None, "template": "", "default_reaction_emoji": None,
    "default_thread_rate_limit_per_user": None, "default_sort_order": None, "default_forum_layout": None,
    "default_tag_setting": None, "theme_color": None,
}  # fmt: skip
CODE_CHARACTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz"
_fields = {"name": text(100, least=1), "description": text(120)}
_create = form(_fields, required=("name",))
_change = form(_fields)


def snapshot(world: World, guild: Guild) -> JsonObject:
    """What a template of the guild holds now; placeholders count roles from 0, @everyone, and channels from 1."""
    shown = payloads.guild(world, guild)
    roles = {one.id: number for number, one in enumerate(_makeable_roles(guild))}
    channels = [one for one in world.channels_of(guild.id) if one.type in KINDS]
    places = {one.id: number for number, one in enumerate(channels, start=1)}
    return {name: shown[name] for name in SNAPSHOT} | {
        "afk_channel_id": _placed(places, shown["afk_channel_id"]),
        "system_channel_id": _placed(places, shown["system_channel_id"]),
        "roles": [_role(payloads.role(guild.roles[role_id]), number) for role_id, number in roles.items()],
        "channels": [_channel(payloads.channel(world, one), places, roles) for one in channels],
    }


def _makeable_roles(guild: Guild) -> list[Any]:
    return sorted((one for one in guild.roles.values() if not one.bot_id), key=lambda one: one.position)


def _placed(places: dict[str, int], channel_id: str | None) -> str | None:
    return str(places[channel_id]) if channel_id in places else None


def _role(shown: JsonObject, number: int) -> JsonObject:
    return {name: shown[name] for name in ROLE} | {"id": number}


def _channel(shown: JsonObject, places: dict[str, int], roles: dict[str, int]) -> JsonObject:
    overwrites = [one for one in shown["permission_overwrites"] if one["id"] in roles]
    return (
        CHANNEL_BLANKS
        | {name: shown[name] for name in CHANNEL_BLANKS.keys() & shown.keys()}
        | {
            "id": places[shown["id"]],
            "type": KINDS[shown["type"]],
            "name": shown["name"],
            "position": shown["position"],
            "parent_id": _placed(places, shown["parent_id"]),
            "available_tags": [one | {"id": None} for one in shown.get("available_tags") or ()] or None,
            "permission_overwrites": [one | {"id": str(roles[one["id"]])} for one in overwrites],
        }
    )


def made(world: World, guild: Guild, name: str, description: str | None = None, code: str = "") -> JsonObject:
    """A new template of the guild, kept in the world; it gets a code unless one is given."""
    now = world.now()
    template: JsonObject = {
        "code": code or _code(int(world.new_id())), "name": name, "description": description, "usage_count": 0,
        "creator_id": world.me.id, "creator": payloads.user(world.me), "created_at": now, "updated_at": now,
        "source_guild_id": guild.id, "serialized_source_guild": snapshot(world, guild),
    }  # fmt: skip
    world.templates[template["code"]] = template
    return template


def _code(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, len(CODE_CHARACTERS))
        digits += CODE_CHARACTERS[digit]
    return digits[:12]


def _shown(world: World, template: JsonObject) -> JsonObject:
    """The template, and whether its guild has changed since; nobody can tell of a guild that is gone."""
    guild = world.guilds.get(template["source_guild_id"])
    moved = guild is not None and snapshot(world, guild) != template["serialized_source_guild"]
    return template | {"is_dirty": True if moved else None}


def get_template(call: Call, code: str) -> JsonObject:
    """Any template, for anybody who knows its code."""
    if code not in call.world.templates:
        raise Refused(codes.UNKNOWN_TEMPLATE)
    return _shown(call.world, call.world.templates[code])


def list_templates(call: Call, guild_id: str) -> list[JsonObject]:
    """The guild's templates."""
    access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    own = [one for one in call.world.templates.values() if one["source_guild_id"] == guild_id]
    return [_shown(call.world, one) for one in own]


def create_template(call: Call, guild_id: str) -> JsonObject:
    """A template of the guild as it is; there can be one only."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    fields: JsonObject = read(_create, call.body)
    if list_templates(call, guild_id):
        raise Refused(codes.TEMPLATE_EXISTS)
    return _shown(call.world, made(call.world, guild, fields["name"], fields.get("description")))


def _own(call: Call, guild_id: str, code: str) -> tuple[Guild, JsonObject]:
    guild = access.guild(call.world, guild_id, permissions.MANAGE_GUILD)
    template = call.world.templates.get(code)
    if template is None or template["source_guild_id"] != guild_id:
        raise Refused(codes.UNKNOWN_TEMPLATE)
    return guild, template


def sync_template(call: Call, guild_id: str, code: str) -> JsonObject:
    """Let the template hold the guild as it is now."""
    guild, template = _own(call, guild_id, code)
    template |= {"serialized_source_guild": snapshot(call.world, guild), "updated_at": call.world.now()}
    return _shown(call.world, template)


def update_template(call: Call, guild_id: str, code: str) -> JsonObject:
    """Change what the template is called."""
    _, template = _own(call, guild_id, code)
    fields: JsonObject = read(_change, call.body)
    template |= {name: value for name, value in fields.items() if name == "description" or value is not None}
    return _shown(call.world, template)


def delete_template(call: Call, guild_id: str, code: str) -> JsonObject:
    """Delete the template; the answer is what it was."""
    _, template = _own(call, guild_id, code)
    del call.world.templates[code]
    return _shown(call.world, template)


ROUTES = (
    Route("GET", "/guilds/templates/{code}", get_template, auth="anybody"),
    Route("GET", "/guilds/{guild_id}/templates", list_templates),
    Route("POST", "/guilds/{guild_id}/templates", create_template),
    Route("PUT", "/guilds/{guild_id}/templates/{code}", sync_template),
    Route("PATCH", "/guilds/{guild_id}/templates/{code}", update_template),
    Route("DELETE", "/guilds/{guild_id}/templates/{code}", delete_template),
)
