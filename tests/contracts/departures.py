"""Where what a tool takes is not what Discord's file says, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["FREE_FORM", "LEFT_OUT_FIELDS", "OTHER_LIMITS", "OTHER_NAMES", "UNCLEARED", "UNRECORDED"]

OTHER_NAMES: Final[Mapping[str, str]] = {
    "*.attachments": "files",
    "messages_bulk_delete.messages": "message_ids",
}
"""Fields that have another name here, by `tool.field`; `*` for all tools."""

LEFT_OUT_FIELDS: Final[Mapping[str, str]] = {
    "create_dm.access_tokens": "a group DM takes its members' own OAuth2 tokens, and no bot can be in one",
    "create_dm.nicks": "names in a group DM, which only members' own OAuth2 tokens can open",
    "messages_search_recent.around": "a search goes one way from where it begins",
    "update_message.sticker_ids": "the documentation lists none here: stickers of a sent message stay",
    "create_message.enforce_nonce": "always on: every message has a nonce",
}
"""Fields that no argument sets, by `tool.field` or `operation.field`."""

OTHER_LIMITS: Final[Mapping[str, str]] = {
    "messages_send.components.maxItems": "5 action rows are the documented limit; 40 components are those of version 2",
    "messages_edit.components.maxItems": "5 action rows are the documented limit; 40 components are those of version 2",
    "*.content.maxLength": "2000 is the documented limit for bots; the file has that of people with Nitro",
}
"""Limits that are not those of the file, by `tool.argument.keyword`."""

UNCLEARED: Final[Mapping[str, str]] = {
    "commands_modify_global.description": "a slash command needs one, and no other kind of command has one",
    "commands_modify_guild.description": "a slash command needs one, and no other kind of command has one",
    "messages_edit.allowed_mentions": "it is sent with every edit, closed unless opened, and Discord keeps none of it",
    "messages_edit.flags": "0 says the same as null",
    "guild_resolve_join_request.rejection_reason": "an application is decided once: there is no reason yet to clear",
}
"""Arguments that the file lets be null and nobody can clear, by `tool.argument`."""

UNRECORDED: Final[Mapping[str, str]] = {}
"""Tools whose taking of a reason is not what Discord's documentation says of the header."""

FREE_FORM: Final[Mapping[str, str]] = {}
"""Objects of which nothing is said, by `tool.path`, such as metadata that belongs to whoever writes it."""
