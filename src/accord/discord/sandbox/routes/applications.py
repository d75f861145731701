"""The application that the bot belongs to, its linked roles, and its activities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content.attachments import store
from accord.discord.sandbox.content.commands import localized
from accord.discord.sandbox.forms import (
    Complaints,
    anything,
    form,
    integer,
    listed,
    one_of,
    read,
    text,
    web_address,
)
from accord.discord.sandbox.pictures import picture
from accord.discord.sandbox.snowflakes import iso
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

# Presence, members and message content, each in the form for a bot in fewer than 100 guilds:
# https://discord.com/developers/docs/resources/application#application-object-application-flags
INTENT_FLAGS = 1 << 13 | 1 << 15 | 1 << 19
VERIFY_KEY = "5f" * 32
WEEK = 7 * 24 * 60 * 60
SCOPES = ["identify", "applications.commands.permissions.update"]
SHOWN_TO_ALL = ("id", "name", "icon", "description", "type", "verify_key", "flags", "flags_new")
NEVER_MISSING: JsonObject = {
    "icon": None, "description": "", "type": None, "interactions_endpoint_url": None,
    "role_connections_verification_url": None, "event_webhooks_url": None, "max_participants": None,
}  # fmt: skip

_address = web_address("http", "https")
_params = form({"scopes": listed(text(40), most=2, least=1), "permissions": integer(0, 10**20)})
_installed = form({"oauth2_install_params": _params})
_settings = form(
    {
        "description": text(400),
        "icon": picture,
        "cover_image": picture,
        "tags": listed(text(20), most=5),
        "flags": integer(0, 2**53),
        "interactions_endpoint_url": _address,
        "role_connections_verification_url": _address,
        "custom_install_url": _address,
        "install_params": _params,
        "integration_types_config": form({"0": _installed, "1": _installed}),
        "event_webhooks_url": _address,
        "event_webhooks_status": one_of(1, 2),
        "event_webhooks_types": listed(text(60), most=100),
        "explicit_content_filter": one_of(0, 1),
        "max_participants": integer(-1, 2**31 - 1),
        "team_id": anything,
        "type": one_of(4),
    }
)
_records = listed(
    form(
        {
            "type": integer(1, 8),
            "key": text(50, least=1),
            "name": text(100, least=1),
            "name_localizations": localized(text(100, least=1)),
            "description": text(200, least=1),
            "description_localizations": localized(text(200, least=1)),
        },
        required=("type", "key", "name", "description"),
    ),
    most=5,
)


def get_application(call: Call, *application_id: str) -> JsonObject:
    """The bot's application, owned by the owner of the first guild."""
    for named in application_id:
        access.application(call.world, named)
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
    } | call.world.application


def update_application(call: Call, *application_id: str) -> JsonObject:
    """Change the bot's application in part; null puts a field back to nothing."""
    get_application(call, *application_id)
    fields = read(_settings, call.body)
    if fields.pop("team_id", None) is not None:
        raise Refused(codes.MISSING_ACCESS)
    for name, value in fields.items():
        call.world.application[name] = _kept(name, value)
        if value is None and name not in NEVER_MISSING:
            del call.world.application[name]
    return get_application(call)


def _kept(name: str, value: Any) -> Any:
    """The field as it is shown: permissions as digits."""
    if value is None:
        return NEVER_MISSING.get(name)
    return _with_digits(value) if name in {"install_params", "integration_types_config"} else value


def _with_digits(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: str(part) if name == "permissions" else _with_digits(part) for name, part in value.items()}


def get_authorization(call: Call) -> JsonObject:
    """What a user's OAuth2 token is good for; a bot's token is none."""
    if call.user_id == call.world.me.id:
        raise Refused(codes.UNAUTHORIZED)
    own = get_application(call)
    return {
        "application": {name: own[name] for name in SHOWN_TO_ALL},
        "scopes": SCOPES,
        "expires": iso(call.world.clock() + WEEK),
        "user": payloads.user(call.world.users[call.user_id]),
    }


def list_records(call: Call, application_id: str) -> list[JsonObject]:
    """What the application can tell of members."""
    access.application(call.world, application_id)
    return call.world.role_connections


def replace_records(call: Call, application_id: str) -> list[JsonObject]:
    """Make these all that the application can tell of members."""
    access.application(call.world, application_id)
    call.world.role_connections = read(_records, call.body)
    return call.world.role_connections


def upload_attachment(call: Call, application_id: str) -> JsonObject:
    """Keep a file for the application's activity."""
    access.application(call.world, application_id)
    if "file" not in call.files:
        complaints = Complaints()
        complaints.at("file").say("BASE_TYPE_REQUIRED", "This field is required")
        complaints.settle()
    return {"attachment": store(call.world, application_id, call.files["file"], {}) | {"ephemeral": True}}


def get_activity(call: Call, application_id: str, instance: str) -> JsonObject:
    """A running activity."""
    access.application(call.world, application_id)
    if instance not in call.world.activities:
        raise Refused(codes.NOT_FOUND)
    return call.world.activities[instance]


_OWN = "/applications/{application_id}"

ROUTES = (
    Route("GET", "/applications/@me", get_application),
    Route("PATCH", "/applications/@me", update_application),
    Route("GET", "/oauth2/applications/@me", get_application),
    Route("GET", "/oauth2/@me", get_authorization, auth="bearer"),
    Route("GET", _OWN, get_application),
    Route("PATCH", _OWN, update_application),
    Route("GET", f"{_OWN}/role-connections/metadata", list_records),
    Route("PUT", f"{_OWN}/role-connections/metadata", replace_records),
    Route("POST", f"{_OWN}/attachment", upload_attachment),
    Route("GET", f"{_OWN}/activity-instances/{{instance}}", get_activity),
)
