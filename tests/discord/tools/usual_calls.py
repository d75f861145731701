"""A valid call of every tool on the sandbox's own world, and one that Discord refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from accord.discord.app import own_tools
from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.snowflakes import snowflake_at
from accord.discord.sandbox.world import Message

__all__ = ["GUILD_TOOLS", "MISSING", "READS", "REFUSED", "TOOLS", "WRITES", "example"]

Arguments: TypeAlias = dict[str, Any]

MISSING: Final = "1199999999999999999"

TOOLS: Final = tuple(own_tools())
WRITES: Final = tuple(name for name, tool in own_tools().items() if tool.effect.writes)
READS: Final = tuple(name for name in TOOLS if name not in WRITES)
GUILD_TOOLS: Final = tuple(name for name, tool in own_tools().items() if "guild_id" in tool.shape.slots)


def example(sandbox: Sandbox, tool: str) -> Arguments:
    """Arguments with which the tool succeeds, confirmed where it has to be."""
    return _EXAMPLES[tool](sandbox)


def _someones(sandbox: Sandbox) -> Arguments:
    message = demo.message_with(sandbox.world, demo.GENERAL, "Six works")
    return {"channel_id": demo.GENERAL, "message_id": message.id}


def _own(sandbox: Sandbox) -> Arguments:
    message = Message(snowflake_at(sandbox.world.clock(), 4000), demo.GENERAL, demo.BOT, "before")
    sandbox.world.channels[demo.GENERAL].add(message)
    return {"channel_id": demo.GENERAL, "message_id": message.id}


_EXAMPLES: Final[Mapping[str, Callable[[Sandbox], Arguments]]] = {
    "messages_read": lambda _: {"channel_id": demo.GENERAL},
    "messages_send": lambda _: {"channel_id": demo.GENERAL, "content": "hello"},
    "messages_edit": lambda sandbox: {**_own(sandbox), "content": "after"},
    "messages_delete": lambda sandbox: {**_someones(sandbox), "__confirm": True},
    "channels_list": lambda _: {"guild_id": demo.GUILD},
    "channels_get": lambda _: {"channel_id": demo.GENERAL},
    "reactions_create": lambda sandbox: {**_someones(sandbox), "emoji": "🐟"},
    "members_get": lambda _: {"guild_id": demo.GUILD, "user_id": demo.LENA},
    "users_list_current_user_guilds": lambda _: {},
    "guild_get": lambda _: {"guild_id": demo.GUILD},
}

REFUSED: Final[Mapping[str, Arguments]] = {
    "messages_read": {"channel_id": MISSING},
    "messages_send": {"channel_id": MISSING, "content": "hello"},
    "messages_edit": {"channel_id": MISSING, "message_id": MISSING, "content": "after"},
    "messages_delete": {"channel_id": MISSING, "message_id": MISSING, "__confirm": True},
    "channels_list": {"guild_id": MISSING},
    "channels_get": {"channel_id": MISSING},
    "reactions_create": {"channel_id": MISSING, "message_id": MISSING, "emoji": "🐟"},
    "members_get": {"guild_id": MISSING, "user_id": MISSING},
    "guild_get": {"guild_id": MISSING},
}
"""Calls that are well formed and name what is not there."""
