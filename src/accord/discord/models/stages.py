"""Stage instances: what is live in a stage channel."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, Required, TypedDict

from accord.discord.models.ids import ChannelId, ScheduledEventId
from accord.discord.models.values import AuditReason
from accord.engine import Field, Untrusted

__all__ = ["NewStage", "Stage", "StageChanges", "StageEnded"]


Topic = Annotated[str, Field(min_length=1, max_length=120)]
PrivacyLevel = Annotated[Literal[1, 2], Field(description="2: members only; 1: public, deprecated")]


class NewStage(TypedDict, total=False):
    """What goes live."""

    channel_id: Required[ChannelId]
    topic: Required[Topic]
    privacy_level: PrivacyLevel
    audit_reason: AuditReason
    send_start_notification: Annotated[bool, Field(description="pings @everyone")]
    guild_scheduled_event_id: ScheduledEventId


class StageChanges(TypedDict, total=False):
    """What of it changes."""

    topic: Topic
    privacy_level: PrivacyLevel
    audit_reason: AuditReason


class Stage(TypedDict):
    """What is live; `untrusted_text` is its topic once more."""

    id: str
    guild_id: str
    channel_id: str
    topic: Untrusted
    privacy_level: int
    guild_scheduled_event_id: NotRequired[str | None]
    untrusted_text: Untrusted


class StageEnded(TypedDict):
    """A stage channel that is not live any more."""

    deleted: bool
    channel_id: str
