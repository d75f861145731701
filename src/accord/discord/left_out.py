"""The operations of Discord's HTTP API that are no tools, each with its reason: the one table of what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["LEFT_OUT"]

NEEDS_A_USER: Final = "acts for a user and needs that user's OAuth2 token, which a bot has not"
ADDS_WITH_A_USERS_TOKEN: Final = "its body needs the OAuth2 token of the user who is added"  # noqa: S105 - words
ISSUES_CREDENTIALS: Final = "issues or merges credentials of player accounts"
DEPRECATED: Final = "deprecated; the operation that replaces it is used"

LEFT_OUT: Final[Mapping[str, str]] = {
    "add_group_dm_user": ADDS_WITH_A_USERS_TOKEN,
    "add_guild_member": ADDS_WITH_A_USERS_TOKEN,
    "bot_partner_sdk_token": ISSUES_CREDENTIALS,
    "bot_partner_sdk_unmerge_provisional_account": ISSUES_CREDENTIALS,
    "create_linked_lobby_guild_invite_for_self": NEEDS_A_USER,
    "create_lobby_message": NEEDS_A_USER,
    "create_or_join_lobby": NEEDS_A_USER,
    "delete_application_user_role_connection": NEEDS_A_USER,
    "deprecated_create_pin": DEPRECATED,
    "deprecated_delete_pin": DEPRECATED,
    "deprecated_list_pins": DEPRECATED,
    "edit_lobby_channel_link": NEEDS_A_USER,
    "get_application_user_role_connection": NEEDS_A_USER,
    "get_current_user_application_entitlements": NEEDS_A_USER,
    "get_guild_widget_png": "a picture for web pages; guild_get_widget_image_url gives its address",
    "get_lobby_messages": NEEDS_A_USER,
    "get_my_guild_member": NEEDS_A_USER,
    "get_openid_connect_userinfo": NEEDS_A_USER,
    "leave_lobby": NEEDS_A_USER,
    "list_my_connections": NEEDS_A_USER,
    "partner_sdk_token": ISSUES_CREDENTIALS,
    "partner_sdk_unmerge_provisional_account": ISSUES_CREDENTIALS,
    "update_application_user_role_connection": NEEDS_A_USER,
    "update_user_message_external_moderation_metadata": "moderates direct messages between users of a game",
}
"""By the operation's id in Discord's OpenAPI file."""
