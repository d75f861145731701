"""Soundboard: short sounds that are played into voice channels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict

from accord.discord.models.ids import EmojiId
from accord.discord.models.values import AuditReason, Page
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "MOST_SOUND_BYTES",
    "NewSound",
    "Sound",
    "SoundChanges",
    "SoundDeleted",
    "SoundSent",
    "SoundShown",
    "Sounds",
    "emoji_is_one_or_none",
]

MOST_SOUND_BYTES = 512 * 1024
"""https://discord.com/developers/docs/resources/soundboard#create-guild-soundboard-sound."""

SoundName = Annotated[str, Field(min_length=2, max_length=32)]

SoundFile = Annotated[
    str,
    Field(
        min_length=1,
        max_length=700_000,
        description="mp3 or ogg up to 512 KB and 5.2 s: a file of the upload folder, or data:audio/ogg;base64,…",
    ),
]


class SoundFields(TypedDict, total=False):
    """What a sound has besides its name."""

    volume: Annotated[float, Field(minimum=0, maximum=1)]
    emoji_id: Annotated[EmojiId, Field(description="a custom emoji")]
    emoji_name: Annotated[str, Field(min_length=1, max_length=32, description="or a unicode one")]
    audit_reason: AuditReason


class NewSound(SoundFields, total=False):
    """A sound to add."""

    name: Required[SoundName]
    sound: Required[SoundFile]


class SoundChanges(SoundFields, total=False):
    """What of a sound changes."""

    name: SoundName
    clear: Annotated[
        list[Literal["volume", "emoji_id", "emoji_name"]], Field(min_items=1, description="what to put back to nothing")
    ]


class Sound(TypedDict):
    """A sound; a custom emoji has an id, a unicode one a name. `user_id` is who added it."""

    sound_id: str
    name: Untrusted
    volume: float
    emoji_id: str | None
    emoji_name: Untrusted | None
    available: bool
    guild_id: NotRequired[str]
    user_id: NotRequired[str | None]


class SoundShown(Sound):
    """One sound; `untrusted_text` is its name once more."""

    untrusted_text: Untrusted


class Sounds(Page):
    """All sounds there are; `untrusted_names` is a line a sound."""

    sounds: list[Sound]
    count: int
    untrusted_names: Untrusted


class SoundDeleted(TypedDict):
    """A sound that is gone."""

    deleted: bool
    sound_id: str
    guild_id: str


class SoundSent(TypedDict):
    """A sound that is heard in a channel."""

    sent: bool
    channel_id: str
    sound_id: str


def emoji_is_one_or_none(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse two emoji for one sound."""
    if {"emoji_id", "emoji_name"} <= arguments.keys():
        yield Issue(path="emoji_name", message="conflicts with emoji_id; give one", code="conflict")
