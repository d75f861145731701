"""Polls in messages. https://discord.com/developers/docs/resources/poll."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from accord.discord.models.ids import EmojiId
from accord.engine import Field

__all__ = ["NewPoll"]


class PollQuestion(TypedDict):
    """What is asked."""

    text: Annotated[str, Field(min_length=1, max_length=300)]


class PollEmoji(TypedDict, total=False):
    """An answer's emoji: `id` of a custom one, or `name` with a unicode one."""

    id: EmojiId
    name: Annotated[str, Field(max_length=32)]


class PollMedia(TypedDict):
    """What an answer shows."""

    text: Annotated[str, Field(min_length=1, max_length=55)]
    emoji: NotRequired[PollEmoji]


class PollAnswer(TypedDict):
    """One answer."""

    poll_media: PollMedia


class NewPoll(TypedDict):
    """A poll to send; `duration` is in hours, at most 32 days."""

    question: PollQuestion
    answers: Annotated[list[PollAnswer], Field(min_items=1, max_items=10)]
    duration: NotRequired[Annotated[int, Field(minimum=1, maximum=768)]]
    allow_multiselect: NotRequired[bool]
