"""Polls in messages. https://discord.com/developers/docs/resources/poll."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from accord.discord.models.emojis import PartialEmoji
from accord.discord.models.ids import EmojiId
from accord.discord.models.users import Account, UserObject
from accord.discord.models.values import Page, Timestamp
from accord.engine import Field, Untrusted

__all__ = ["AnswerId", "NewPoll", "Poll", "PollEnded", "ShortPoll", "Voters", "VotersObject", "Votes"]

AnswerId = Annotated[int, Field(minimum=1, maximum=10, description="answers are numbered from 1")]


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


Poll = Annotated[NewPoll, Field(description="{question: {text}, answers: [{poll_media: {text}}], duration: hours}")]
ShortPoll = Annotated[
    NewPoll,
    Field(
        opaque=True,
        description="{question: {text}, answers: [{poll_media: {text}}], duration: hours, allow_multiselect}",
    ),
]


class VotersObject(TypedDict):
    """https://discord.com/developers/docs/resources/poll#get-answer-voters."""

    users: list[UserObject]


class Voters(Page):
    """Who voted for an answer, in the order of their ids."""

    voters: list[Account]
    count: int
    untrusted_text: Untrusted


class Votes(TypedDict):
    """How often an answer was chosen; null while Discord does not say."""

    answer_id: int
    text: Untrusted | None
    emoji: NotRequired[PartialEmoji]
    votes: int | None


class PollEnded(TypedDict):
    """A poll that takes no more votes. Discord counts once more after the end: then `finalized` is true."""

    ended: bool
    channel_id: str
    message_id: str
    expiry: Timestamp | None
    finalized: bool
    results: list[Votes]
