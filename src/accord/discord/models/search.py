"""The search of a guild's messages: what is asked for, and what is found.

Source: https://discord.com/developers/docs/resources/message#search-guild-messages
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import ChannelId, MessageId, MessagePlace, RoleId, UserId
from accord.discord.models.messages import Message, MessageObject, Warned
from accord.discord.models.values import Page
from accord.engine import Field

__all__ = ["FoundMessage", "FoundMessages", "SearchFilters", "SearchObject"]

Json: TypeAlias = Any

AuthorType: TypeAlias = Literal["user", "bot", "webhook", "-user", "-bot", "-webhook"]
Part: TypeAlias = Literal[
    "link", "embed", "file", "image", "video", "sound", "sticker", "poll", "snapshot",
    "-link", "-embed", "-file", "-image", "-video", "-sound", "-sticker", "-poll", "-snapshot",
]  # fmt: skip
EmbedType: TypeAlias = Literal["image", "video", "gif", "sound", "article"]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=256)]], Field(max_items=100)]


class SearchFilters(TypedDict, total=False):
    """What a message must fit: all of these, and one of each list. A hyphen before a word excludes it."""

    content: Annotated[str, Field(min_length=1, max_length=1024)]
    slop: Annotated[int, Field(minimum=0, maximum=100, description="words that may stand between those of content")]
    author_ids: Annotated[list[UserId], Field(max_items=100)]
    author_type: Annotated[list[AuthorType], Field(max_items=6)]
    channel_ids: Annotated[list[ChannelId], Field(max_items=500)]
    mentions: Annotated[list[UserId], Field(max_items=100, description="users")]
    mentions_role_ids: Annotated[list[RoleId], Field(max_items=100)]
    mention_everyone: bool
    replied_to_user_ids: Annotated[list[UserId], Field(max_items=100)]
    replied_to_message_ids: Annotated[list[MessageId], Field(max_items=100)]
    min_id: Annotated[MessagePlace, Field(description="id or date: the earliest")]
    max_id: Annotated[MessagePlace, Field(description="id or date: the latest")]
    has: Annotated[list[Part], Field(max_items=18)]
    link_hostname: Words
    embed_provider: Words
    embed_type: Annotated[list[EmbedType], Field(max_items=5)]
    attachment_extension: Words
    attachment_filename: Annotated[list[Annotated[str, Field(min_length=1, max_length=1024)]], Field(max_items=100)]
    pinned: bool
    include_nsfw: bool
    sort_by: Literal["timestamp", "relevance"]
    sort_order: Literal["desc", "asc"]


class SearchObject(TypedDict, total=False):
    """What Discord found, each hit in a list of its own; or that it cannot look yet, for how many seconds more."""

    messages: list[list[MessageObject]]
    total_results: int
    doing_deep_historical_index: bool
    code: int
    retry_after: float


class FoundMessage(Message):
    """A message that fits."""

    channel_id: str
    jump_url: str


class FoundMessages(Page):
    """A page of the messages that fit; while Discord is `indexing`, older ones may be missing."""

    items: list[FoundMessage]
    count: int
    total: int
    guild_id: str
    indexing: bool
    warnings: NotRequired[list[Warned]]
