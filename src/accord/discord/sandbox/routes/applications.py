"""The application that the bot belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import payloads
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

# Presence, members and message content, each in the form for a bot in fewer than 100 guilds:
# https://discord.com/developers/docs/resources/application#application-object-application-flags
INTENT_FLAGS = 1 << 13 | 1 << 15 | 1 << 19
VERIFY_KEY = "5f" * 32


def get_application(call: Call) -> JsonObject:
    """The bot's application, owned by the owner of the first guild."""
    owner_id = next(iter(call.world.guilds.values())).owner_id
    return {
        "id": call.world.application_id,
        "name": call.world.me.username,
        "icon": None,
        "description": "A bot in a sandbox.",
        "type": None,
        "bot": payloads.user(call.world.me),
        "bot_public": False,
        "bot_require_code_grant": False,
        "verify_key": VERIFY_KEY,
        "flags": INTENT_FLAGS,
        "flags_new": str(INTENT_FLAGS),
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": payloads.user(call.world.users[owner_id]),
        "approximate_guild_count": len(call.world.guilds),
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "team": None,
        "eligible_oauth2_scopes": ["bot", "applications.commands"],
        "rpc_origins": [],
        "hook": True,
        "summary": "",
    }


ROUTES = (
    Route("GET", "/applications/@me", get_application),
    Route("GET", "/oauth2/applications/@me", get_application),
)
