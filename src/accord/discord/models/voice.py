"""Voice: the regions it runs in, and who is where."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.values import AuditReason, Page, Timestamp
from accord.engine import Field, Untrusted

__all__ = ["NewVoiceStatus", "VoiceRegion", "VoiceRegions", "VoiceState", "VoiceStatus"]


class NewVoiceStatus(TypedDict, total=False):
    """The line that a voice channel shows below its name."""

    status: Annotated[str, Field(min_length=1, max_length=500)]
    clear: Annotated[list[Literal["status"]], Field(min_items=1, max_items=1)]
    audit_reason: AuditReason


class VoiceRegion(TypedDict):
    """Where voice can run; `id` is what rtc_region takes."""

    id: str
    name: str
    optimal: bool
    deprecated: bool
    custom: bool


class VoiceRegions(Page):
    """The regions that voice channels can be set to."""

    regions: list[VoiceRegion]
    count: int


class VoiceState(TypedDict):
    """Where somebody is in voice, and how: `channel_id` is null for nowhere, `suppress` is the audience of a stage."""

    guild_id: str
    channel_id: str | None
    user_id: str
    session_id: str
    deaf: bool
    mute: bool
    self_deaf: bool
    self_mute: bool
    self_stream: NotRequired[bool | None]
    self_video: bool
    suppress: bool
    request_to_speak_timestamp: Timestamp | None


class VoiceStatus(TypedDict):
    """What a voice channel now says of itself, null for nothing."""

    updated: bool
    channel_id: str
    voice_status: Untrusted | None
