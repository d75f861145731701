"""Guild templates: snapshots of a guild to make others from."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.values import Page
from accord.engine import Field, Untrusted

__all__ = [
    "Blueprint",
    "Drift",
    "DriftPart",
    "NewTemplate",
    "RiskyPermission",
    "Template",
    "TemplateChanges",
    "TemplateDeleted",
    "TemplateDiff",
    "TemplateInspected",
    "TemplateShown",
    "TemplateWhole",
    "Templates",
]

Placeholder = int | str | None
"""A number that stands for an id within a template; Discord writes it as text in some places."""


class TemplateFields(TypedDict, total=False):
    """What of a template can be chosen. https://discord.com/developers/docs/resources/guild-template."""

    description: Annotated[str, Field(max_length=120)]


class NewTemplate(TemplateFields):
    """What a new template is called."""

    name: Annotated[str, Field(min_length=1, max_length=100)]


class TemplateChanges(TemplateFields, total=False):
    """What of a template changes; what it holds is changed by a sync."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    clear: Annotated[list[Literal["description"]], Field(min_items=1)]


class Creator(TypedDict):
    """Who made a template."""

    id: str
    username: Untrusted
    global_name: NotRequired[Untrusted | None]


class Template(TypedDict):
    """One template without what it holds; `is_dirty` says that its guild has changed since `updated_at`."""

    code: str
    name: Untrusted
    description: Untrusted | None
    usage_count: int
    creator_id: str
    creator: Creator | None
    created_at: str
    updated_at: str
    source_guild_id: str
    is_dirty: bool | None


class TemplateRole(TypedDict):
    """A role to be made; 0 is @everyone."""

    id: Placeholder
    name: Untrusted
    permissions: str
    color: int
    colors: NotRequired[dict[str, int | None] | None]
    hoist: bool
    mentionable: bool
    icon: NotRequired[str | None]
    unicode_emoji: NotRequired[Untrusted | None]


class TemplateOverwrite(TypedDict):
    """What a channel allows and denies a role, which is named by its placeholder."""

    id: Placeholder
    type: int
    allow: str
    deny: str


class TemplateTag(TypedDict):
    """A tag of a forum."""

    name: Untrusted
    emoji_id: str | None
    emoji_name: Untrusted | None
    moderated: bool | None


class TemplateReaction(TypedDict):
    """The emoji under each post of a forum."""

    emoji_id: str | None
    emoji_name: Untrusted | None


class TemplateChannel(TypedDict):
    """A channel to be made."""

    id: Placeholder
    type: int
    name: Untrusted | None
    position: int | None
    parent_id: Placeholder
    topic: Untrusted | None
    nsfw: bool
    bitrate: NotRequired[int]
    user_limit: NotRequired[int]
    rate_limit_per_user: NotRequired[int]
    default_auto_archive_duration: NotRequired[int | None]
    default_thread_rate_limit_per_user: NotRequired[int | None]
    default_sort_order: NotRequired[int | None]
    default_forum_layout: NotRequired[int | None]
    default_tag_setting: NotRequired[str | None]
    default_reaction_emoji: NotRequired[TemplateReaction | None]
    available_tags: NotRequired[list[TemplateTag] | None]
    theme_color: NotRequired[int | None]
    permission_overwrites: list[TemplateOverwrite]


class SourceGuild(TypedDict):
    """What a template holds; ids are placeholders."""

    name: Untrusted
    description: Untrusted | None
    region: NotRequired[str | None]
    verification_level: int
    default_message_notifications: int
    explicit_content_filter: int
    preferred_locale: str
    afk_channel_id: Placeholder
    afk_timeout: int
    system_channel_id: Placeholder
    system_channel_flags: int
    roles: list[TemplateRole]
    channels: list[TemplateChannel]


class TemplateShown(TypedDict):
    """A template; `untrusted_text` is its name and its description."""

    template: Template
    untrusted_text: Untrusted


class TemplateWhole(TypedDict):
    """A template with all that it holds."""

    template: Template
    source_guild: SourceGuild
    untrusted_text: Untrusted


class TemplateDeleted(TypedDict):
    """A template that is gone."""

    deleted: bool
    template: Template
    untrusted_text: Untrusted


class Templates(Page):
    """A guild's templates."""

    templates: list[Template]
    count: int
    untrusted_text: Untrusted


class RiskyPermission(TypedDict):
    """A permission to be careful with, the first 25 roles that have it, and how many channels' overwrites allow it."""

    permission: str
    roles: list[Untrusted]
    overwrites: int


class Blueprint(TypedDict):
    """How much a template holds, and what in it is risky."""

    roles: int
    channels: int
    categories: int
    text_channels: int
    voice_channels: int
    forum_channels: int
    nsfw_channels: int
    overwrites: int
    risky_permissions: list[RiskyPermission]


class TemplateInspected(TypedDict):
    """A template in numbers."""

    template: Template
    blueprint: Blueprint
    untrusted_text: Untrusted


class ChangedPart(TypedDict):
    """A role or a channel that is otherwise in the guild than in the template, and in which fields."""

    name: Untrusted
    fields: list[str]


class DriftPart(TypedDict):
    """Differences of one kind: `count` is of all of them, each list names 25 at most."""

    count: int
    only_in_guild: list[Untrusted]
    only_in_template: list[Untrusted]
    changed: list[ChangedPart]


class Drift(TypedDict):
    """How a guild has moved away from its template."""

    sync_recommended: bool
    roles: DriftPart
    channels: DriftPart


class TemplateDiff(TypedDict):
    """A template held against a guild; there is no drift where it was made from another one."""

    template: Template
    source_guild_matches: bool
    drift: Drift | None
    untrusted_text: Untrusted
