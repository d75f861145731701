"""How the demo world's first guild receives people: welcome screen, onboarding, widget, server guide, integrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import demo, payloads
from accord.discord.sandbox.routes.templates import made

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, World

PROMPT = "1196730561012146186"
OPTIONS = ("1196730561012146187", "1196730561012146188")
STICKER_PACK = "1196731819270463601"
PACK_STICKERS = ("1196731819270463602", "1196731819270463603")
TEMPLATE = "hJ8kP2mVw4Xz"
INTEGRATION = "1196731819270463549"
INTEGRATION_APPLICATION = "1196731567611789362"


def furnish(world: World) -> None:
    """Give the Lantern Workshop all that newcomers meet."""
    guild = world.guilds[demo.GUILD]
    guild.welcome_screen = {
        "description": "Lanterns, and the software that lights them.",
        "welcome_channels": [
            {"channel_id": demo.WELCOME, "description": "Read this first", "emoji_id": None, "emoji_name": "🏮"},
            {"channel_id": demo.FORUM, "description": "Ask for help", "emoji_id": demo.BLOB, "emoji_name": "blob"},
        ],
    }
    guild.widget = {"enabled": True, "channel_id": demo.WELCOME}
    guild.onboarding = _onboarding()
    guild.new_member_welcome = _server_guide(guild)
    made(world, guild, "Lantern Workshop", "A workshop to start from.", TEMPLATE)
    guild.integrations = {INTEGRATION: _integration(world)}
    world.sticker_packs = {STICKER_PACK: _sticker_pack()}


def _onboarding() -> JsonObject:
    makes = _option(OPTIONS[0], "I build them", "🔧", [demo.MEMBER_ROLE])
    looks = _option(OPTIONS[1], "I just look at them", "👀", [])
    prompt = {
        "id": PROMPT, "type": 0, "title": "What brings you here?", "options": [makes, looks],
        "single_select": True, "required": False, "in_onboarding": True,
    }  # fmt: skip
    return {"prompts": [prompt], "default_channel_ids": [demo.WELCOME, demo.GENERAL], "enabled": False, "mode": 0}


def _sticker_pack() -> JsonObject:
    """One of the packs that everybody has."""
    names = (("Wave", "wave, hello"), ("Sleep", "zzz"))
    stickers = [
        {
            "id": sticker_id, "pack_id": STICKER_PACK, "name": name, "tags": tags, "description": f"{name} of a duck",
            "type": 1, "format_type": 3, "sort_value": number,
        }
        for number, (sticker_id, (name, tags)) in enumerate(zip(PACK_STICKERS, names, strict=True), 1)
    ]  # fmt: skip
    return {
        "id": STICKER_PACK, "name": "Duck of the day", "description": "It is a good duck.",
        "sku_id": "1196731819270463600", "cover_sticker_id": PACK_STICKERS[0], "stickers": stickers,
    }  # fmt: skip


def _option(option_id: str, title: str, emoji: str, role_ids: list[str]) -> JsonObject:
    return {
        "id": option_id, "title": title, "description": "", "emoji": {"id": None, "name": emoji, "animated": False},
        "role_ids": role_ids, "channel_ids": [demo.GENERAL],
    }  # fmt: skip


def _server_guide(guild: Guild) -> JsonObject:
    hello = {
        "channel_id": demo.GENERAL,
        "action_type": 1,
        "title": "Say hello",
        "description": "What do you build?",
    }
    rules = {"channel_id": demo.WELCOME, "title": "House rules", "description": "Short ones"}
    return {
        "guild_id": guild.id,
        "enabled": True,
        "welcome_message": {"author_ids": [demo.MAYA], "message": "Come in and mind the glue."},
        "new_member_actions": [hello],
        "resource_channels": [rules],
    }


def _integration(world: World) -> JsonObject:
    application = {"id": INTEGRATION_APPLICATION, "name": "Lamp Feed", "icon": None, "description": "", "type": None}
    return {
        "id": INTEGRATION,
        "type": "discord",
        "name": "Lamp Feed",
        "account": {"id": INTEGRATION_APPLICATION, "name": "Lamp Feed"},
        "enabled": True,
        "application": application,
        "scopes": ["applications.commands"],
        "user": payloads.user(world.users[demo.MAYA]),
    }
