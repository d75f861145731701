"""Applications: the bot's own, what it asks of members for linked roles, and where a gateway is."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import Snowflake
from accord.discord.models.locales import Locale
from accord.discord.models.permissions import PermissionSet
from accord.discord.models.users import Account
from accord.discord.models.values import Image, Page, Timestamp, WebUrl
from accord.engine import Field, Untrusted

__all__ = [
    "ActivityInstance",
    "Application",
    "ApplicationChanges",
    "Authorization",
    "Gateway",
    "GatewayBot",
    "MetadataRecord",
    "MetadataRecordShown",
    "MetadataRecords",
    "PublicKey",
    "PublicKeys",
    "UploadedAttachment",
]

Json: TypeAlias = Any

EventWebhookType: TypeAlias = Literal[
    "APPLICATION_AUTHORIZED",
    "APPLICATION_DEAUTHORIZED",
    "ENTITLEMENT_CREATE",
    "ENTITLEMENT_DELETE",
    "ENTITLEMENT_UPDATE",
    "GAME_DIRECT_MESSAGE_CREATE",
    "GAME_DIRECT_MESSAGE_DELETE",
    "GAME_DIRECT_MESSAGE_UPDATE",
    "LOBBY_MESSAGE_CREATE",
    "LOBBY_MESSAGE_DELETE",
    "LOBBY_MESSAGE_UPDATE",
    "QUEST_USER_ENROLLMENT",
]
"""https://discord.com/developers/docs/events/webhook-events#event-types."""


class InstallParams(TypedDict):
    """What an application asks for where it is added."""

    scopes: Annotated[list[Literal["applications.commands", "bot"]], Field(min_items=1)]
    permissions: PermissionSet


class IntegrationType(TypedDict):
    """How an application is added to one kind of place."""

    oauth2_install_params: NotRequired[InstallParams]


IntegrationTypes = TypedDict("IntegrationTypes", {"0": IntegrationType, "1": IntegrationType}, total=False)
"""By kind of place: 0 for guilds, 1 for users."""


class ApplicationChanges(TypedDict, total=False):
    """What of an application changes. https://discord.com/developers/docs/resources/application."""

    description: Annotated[str, Field(max_length=400)]
    icon: Image
    cover_image: Image
    tags: Annotated[list[Annotated[str, Field(max_length=20)]], Field(max_items=5)]
    flags: Annotated[int, Field(minimum=0, description="limited intents: 8192 presence, 32768 members, 524288 content")]
    interactions_endpoint_url: WebUrl
    role_connections_verification_url: WebUrl
    custom_install_url: WebUrl
    install_params: InstallParams
    integration_types_config: Annotated[IntegrationTypes, Field(description="0 for guilds, 1 for users")]
    event_webhooks_url: WebUrl
    event_webhooks_status: Annotated[Literal[1, 2], Field(description="1 off, 2 on")]
    event_webhooks_types: list[EventWebhookType]
    explicit_content_filter: Annotated[Literal[0, 1], Field(description="0 as the channel, 1 always")]
    max_participants: Annotated[int, Field(minimum=-1, description="of an activity; -1 for any number")]
    team_id: Snowflake
    type: Literal[4]
    clear: Annotated[
        list[
            Literal[
                "description", "icon", "cover_image", "tags", "interactions_endpoint_url",
                "role_connections_verification_url", "custom_install_url", "install_params",
                "integration_types_config", "event_webhooks_url", "event_webhooks_types", "max_participants", "type",
            ]
        ],
        Field(min_items=1, description="what to put back to nothing"),
    ]  # fmt: skip


class Application(TypedDict):
    """An application with all that can be set of it; `icon` and `cover_image` are hashes."""

    id: str
    name: Untrusted
    description: Untrusted | None
    icon: str | None
    cover_image: NotRequired[str | None]
    owner_id: NotRequired[str]
    team_id: NotRequired[str]
    type: NotRequired[int | None]
    flags: NotRequired[int]
    bot_public: NotRequired[bool]
    bot_require_code_grant: NotRequired[bool]
    tags: NotRequired[list[Untrusted]]
    verify_key: NotRequired[str]
    interactions_endpoint_url: NotRequired[Untrusted | None]
    role_connections_verification_url: NotRequired[Untrusted | None]
    custom_install_url: NotRequired[Untrusted | None]
    install_params: NotRequired[dict[str, Json] | None]
    integration_types_config: NotRequired[dict[str, Json] | None]
    event_webhooks_url: NotRequired[Untrusted | None]
    event_webhooks_status: NotRequired[int]
    event_webhooks_types: NotRequired[list[str] | None]
    explicit_content_filter: NotRequired[int]
    max_participants: NotRequired[int | None]
    redirect_uris: NotRequired[list[Untrusted]]
    untrusted_text: Untrusted
    terms_of_service_url: NotRequired[Untrusted | None]
    privacy_policy_url: NotRequired[Untrusted | None]
    approximate_guild_count: NotRequired[int]
    approximate_user_install_count: NotRequired[int]


class Authorization(TypedDict):
    """What a user's OAuth2 token is good for, and until when; the user is there with the scope `identify`."""

    application_id: str
    application_name: Untrusted
    scopes: list[str]
    expires: Timestamp
    user: NotRequired[Account]


class UploadedAttachment(TypedDict):
    """A file that the application can show in its activity; its link expires."""

    id: str
    filename: Untrusted
    size: int
    url: str
    content_type: NotRequired[str | None]
    width: NotRequired[int | None]
    height: NotRequired[int | None]


class ActivityLocation(TypedDict):
    """Where an activity runs: `gc` in a guild's channel, `pc` in a private one."""

    id: str
    kind: str
    channel_id: NotRequired[str]
    guild_id: NotRequired[str | None]


class ActivityInstance(TypedDict):
    """A running activity, and the ids of who is in it."""

    application_id: str
    instance_id: str
    launch_id: NotRequired[str]
    location: NotRequired[ActivityLocation]
    users: NotRequired[list[str]]


class MetadataRecord(TypedDict):
    """Something that the application knows of a member and that a role can ask for.

    https://discord.com/developers/docs/resources/application-role-connection-metadata
    """

    type: Literal[1, 2, 3, 4, 5, 6, 7, 8]
    key: Annotated[str, Field(pattern="^[a-z0-9_]{1,50}$")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    description: Annotated[str, Field(min_length=1, max_length=200)]
    name_localizations: NotRequired[dict[Locale, Annotated[str, Field(min_length=1, max_length=100)]]]
    description_localizations: NotRequired[dict[Locale, Annotated[str, Field(min_length=1, max_length=200)]]]


class MetadataRecordShown(TypedDict):
    """The same as Discord has it, so that it can be written again."""

    type: int
    key: str
    name: Untrusted
    description: Untrusted
    name_localizations: NotRequired[Annotated[dict[str, str], Field(untrusted=True)] | None]
    description_localizations: NotRequired[Annotated[dict[str, str], Field(untrusted=True)] | None]


class MetadataRecords(Page):
    """All records of an application."""

    records: list[MetadataRecordShown]
    count: int


class Gateway(TypedDict):
    """Where to connect a WebSocket."""

    url: str


class SessionStartLimit(TypedDict):
    """How often a bot may connect: `reset_after` is in milliseconds."""

    total: int
    remaining: int
    reset_after: int
    max_concurrency: int


class GatewayBot(Gateway):
    """The same, with how many shards Discord proposes."""

    shards: int
    session_start_limit: SessionStartLimit


class PublicKey(TypedDict):
    """A JSON Web Key (RFC 7517)."""

    kty: str
    use: str
    kid: str
    n: str
    e: str
    alg: str


class PublicKeys(Page):
    """The keys that are in use."""

    items: list[PublicKey]
    count: int
