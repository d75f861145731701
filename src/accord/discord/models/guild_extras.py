"""What else a guild has: integrations, the widget, the welcome screen, pruning, speakers on a stage."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import ChannelId, EmojiId, RoleId
from accord.discord.models.values import AuditReason, Moment, Page
from accord.engine import Field, Untrusted

__all__ = [
    "IncidentActions",
    "IntegrationDeleted",
    "Integrations",
    "OwnVoiceChanged",
    "OwnVoiceChanges",
    "PruneBegun",
    "PruneCount",
    "PruneDays",
    "PrunedRoles",
    "VanityUrl",
    "VoiceChanged",
    "VoiceChanges",
    "WelcomeScreen",
    "WelcomeScreenChanges",
    "Widget",
    "WidgetChanges",
    "WidgetImage",
    "WidgetSettings",
    "WidgetStyle",
]


class Account(TypedDict):
    """The account behind an integration."""

    id: str
    name: Untrusted | None


class NamedApplication(TypedDict):
    """The application behind an integration of type discord."""

    id: str
    name: Untrusted


class NamedUser(TypedDict):
    """Somebody's id and user name."""

    id: str
    username: Untrusted


class Integration(TypedDict):
    """One integration; `type` is discord for bots, else twitch, youtube or guild_subscription."""

    id: str
    name: Untrusted | None
    type: str
    enabled: bool
    account: Account
    application: NotRequired[NamedApplication | None]
    scopes: NotRequired[list[str]]
    user: NotRequired[NamedUser | None]
    role_id: NotRequired[str | None]
    subscriber_count: NotRequired[int]
    synced_at: NotRequired[str]
    revoked: NotRequired[bool]


class Integrations(Page):
    """A guild's integrations, at most 50: Discord tells no more."""

    integrations: list[Integration]
    count: int


class IntegrationDeleted(TypedDict):
    """An integration that is gone."""

    deleted: bool
    integration_id: str
    guild_id: str


class WidgetSettings(TypedDict):
    """Whether a guild's widget is on, and where its invite leads."""

    enabled: bool
    channel_id: str | None


class WidgetChanges(TypedDict, total=False):
    """What of the widget's settings changes."""

    enabled: bool
    channel_id: Annotated[ChannelId, Field(description="where its invite leads")]
    clear: Annotated[list[Literal["channel_id"]], Field(min_items=1)]
    audit_reason: AuditReason


class WidgetChannel(TypedDict):
    """A voice or stage channel that everybody may enter."""

    id: str
    name: Untrusted
    position: int


class Widget(TypedDict):
    """What a guild's widget tells everybody; `members_count` is of those it lists, at most 100."""

    id: str
    name: Untrusted
    instant_invite: str | None
    presence_count: int
    channels: list[WidgetChannel]
    members_count: int


WidgetStyle: TypeAlias = Literal["shield", "banner1", "banner2", "banner3", "banner4"]
"""https://discord.com/developers/docs/resources/guild#get-guild-widget-image-widget-style-options."""


class WidgetImage(TypedDict):
    """Where the widget's picture is."""

    url: str
    style: str


class VanityUrl(TypedDict):
    """A guild's own invite, and how often it was used; a null code where there is none."""

    code: str | None
    uses: int


class WelcomeChannel(TypedDict):
    """A channel that the welcome screen shows."""

    channel_id: str
    description: Untrusted
    emoji_id: str | None
    emoji_name: Untrusted | None


class WelcomeScreen(TypedDict):
    """What newcomers see first; `untrusted_text` is all its texts."""

    description: Untrusted | None
    welcome_channels: list[WelcomeChannel]
    untrusted_text: Untrusted


class NewWelcomeChannel(TypedDict):
    """A channel to show."""

    channel_id: ChannelId
    description: Annotated[str, Field(min_length=1, max_length=50)]
    emoji_id: NotRequired[EmojiId]
    emoji_name: NotRequired[Annotated[str, Field(max_length=100)]]


class WelcomeScreenChanges(TypedDict, total=False):
    """What of the welcome screen changes."""

    enabled: bool
    welcome_channels: Annotated[
        list[NewWelcomeChannel],
        Field(max_items=5, description="all of them: {channel_id, description 1-50, emoji_id?, emoji_name?}"),
    ]
    description: Annotated[str, Field(max_length=140)]
    clear: Annotated[list[Literal["enabled", "welcome_channels", "description"]], Field(min_items=1)]
    audit_reason: AuditReason


PruneDays = Annotated[int, Field(minimum=1, maximum=30, description="days of inactivity")]
PrunedRoles = Annotated[list[RoleId], Field(max_items=100, description="also members who have none but these roles")]


class PruneCount(TypedDict):
    """How many members a prune would remove."""

    pruned: int | None


class PruneBegun(TypedDict):
    """How many members a prune removes; null where they were not to be counted."""

    pruned: int | None
    guild_id: str


class IncidentActions(TypedDict, total=False):
    """What is to be paused, and until when: at most 24 hours from now."""

    invites_disabled_until: Annotated[Moment, Field(description="at most 24 hours ahead")]
    dms_disabled_until: Annotated[Moment, Field(description="between members; at most 24 hours ahead")]
    clear: Annotated[
        list[Literal["invites_disabled_until", "dms_disabled_until"]],
        Field(min_items=1, description="what to allow again"),
    ]


class VoiceChanges(TypedDict, total=False):
    """What changes for somebody on a stage."""

    channel_id: Annotated[ChannelId, Field(description="the stage that the user is in")]
    suppress: Annotated[bool, Field(description="true: back to the audience")]


class OwnVoiceChanges(TypedDict, total=False):
    """What changes for the bot on a stage."""

    channel_id: Annotated[ChannelId, Field(description="the stage that the bot is in")]
    suppress: Annotated[bool, Field(description="true: back to the audience")]
    request_to_speak_timestamp: Annotated[Moment, Field(description="raises the hand; now or later")]
    clear: Annotated[list[Literal["request_to_speak_timestamp"]], Field(min_items=1)]


class VoiceChanged(TypedDict):
    """Discord says nothing but that it was done."""

    ok: bool
    user_id: str
    channel_id: str | None


class OwnVoiceChanged(TypedDict):
    """Discord says nothing but that it was done."""

    ok: bool
    guild_id: str
