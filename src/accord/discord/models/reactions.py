"""Reactions: emoji that people put on messages."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.users import Account
from accord.discord.models.values import Page
from accord.engine import Field, Untrusted

__all__ = ["Reacted", "ReactionKind", "Reactors", "Unreacted", "UnreactedAll", "UnreactedUser"]

ReactionKind = Annotated[Literal[0, 1], Field(description="0 normal, 1 super")]


class Reacted(TypedDict):
    """A reaction that was given; `emoji` in the form Discord uses, with the name that its guild gave it."""

    reacted: bool
    channel_id: str
    message_id: str
    emoji: Untrusted


class Unreacted(TypedDict):
    """A reaction of the bot that is gone."""

    deleted: bool
    channel_id: str
    message_id: str
    emoji: Untrusted


class UnreactedUser(Unreacted):
    """A user's reaction that is gone."""

    user_id: str


class UnreactedAll(TypedDict):
    """Reactions that are gone: those with one emoji, or all of them."""

    deleted: bool
    channel_id: str
    message_id: str
    scope: Literal["emoji", "all"]
    emoji: NotRequired[Untrusted]


class Reactors(Page):
    """Who reacted to a message with an emoji, in the order of their ids."""

    users: list[Account]
    count: int
    channel_id: str
    message_id: str
    emoji: Untrusted
