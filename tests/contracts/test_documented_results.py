"""The fields that users of the original know are there, with their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import pytest
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.app import own_tools

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

DOCUMENTED: Final[Mapping[str, str]] = {
    "messages_read": "messages: array, count: integer, channel_id: string, oldest_id?: string, newest_id?: string",
    "messages_send": "message_id: string, channel_id: string, jump_url: string, timestamp: string",
    "messages_edit": "message_id: string, channel_id: string, edited_timestamp: string",
    "messages_delete": "deleted: boolean, message_id: string, channel_id: string",
    "channels_list": "channels: array, count: integer",
    "channels_get": (
        "id: string, name: string|null, type: integer, position?: integer, parent_id?: string|null, nsfw: boolean, "
        "topic: string|null, rate_limit_per_user: integer, guild_id?: string"
    ),
    "reactions_create": "reacted: boolean, channel_id: string, message_id: string, emoji: string",
    "members_get": (
        "user_id: string, username: string, global_name: string|null, nick: string|null, roles: array, "
        "joined_at: string|null, premium_since?: string|null, pending?: boolean"
    ),
    "users_list_current_user_guilds": "guilds: array, count: integer, untrusted_names: string",
    "guild_get": (
        "id: string, name: string, icon: string|null, owner_id: string, member_count?: integer, "
        "description: string|null, premium_tier: integer, preferred_locale: string, features: array"
    ),
}
"""`name: type`, with a question mark where a field may be missing."""


def fields_of(tool: str) -> dict[str, str]:
    return dict(field.split(": ") for field in DOCUMENTED[tool].split(", "))


@pytest.mark.parametrize("tool", DOCUMENTED)
def test_a_documented_field_is_promised_with_its_type(tool: str) -> None:
    output = own_tools()[tool].shape.output
    assert output is not None
    promised = output["properties"]

    for field, kinds in fields_of(tool).items():
        stated = promised[field.rstrip("?")]["type"]
        assert set(kinds.split("|")) <= set(stated if isinstance(stated, list) else [stated]), field


@pytest.mark.parametrize("tool", DOCUMENTED)
async def test_a_documented_field_is_there(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, example(sandbox, tool))

    assert {field for field in fields_of(tool) if not field.endswith("?")} <= reply.structured.keys()
