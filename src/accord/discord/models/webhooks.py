"""Webhooks: posting to a channel under a name of one's own. https://discord.com/developers/docs/resources/webhook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import ChannelId, ForumTagId
from accord.discord.models.messages import Pinged
from accord.discord.models.posting import FetchedMessage, PostBody, ThreadId
from accord.discord.models.values import AuditReason, Image, Page, Timestamp, WebUrl
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "Executed",
    "GetWebhook",
    "Name",
    "NewWebhook",
    "NewWebhookMessage",
    "TokenChanges",
    "Webhook",
    "WebhookChanges",
    "WebhookDeleted",
    "WebhookMessage",
    "Webhooks",
    "name_is_free",
    "post_aims_once",
]

Json: TypeAlias = Any

TAKEN_WORDS = ("clyde", "discord")
"""No webhook may be called so, in whatever case (Create Webhook)."""

Name = Annotated[str, Field(min_length=1, max_length=80)]


class NewWebhook(TypedDict):
    """What a new webhook is made of."""

    name: Name
    avatar: NotRequired[Image]
    audit_reason: NotRequired[AuditReason]


class TokenChanges(TypedDict, total=False):
    """What of a webhook its own token can change."""

    name: Name
    avatar: Image
    clear: Annotated[list[Literal["avatar"]], Field(min_items=1)]


class WebhookChanges(TokenChanges, total=False):
    """What of a webhook changes."""

    channel_id: Annotated[ChannelId, Field(description="move it to this channel")]
    audit_reason: AuditReason


class NewWebhookMessage(PostBody, total=False):
    """What a webhook posts, and where and as whom."""

    username: Annotated[Name, Field(description="name to post under")]
    avatar_url: WebUrl
    thread_id: ThreadId
    thread_name: Annotated[str, Field(min_length=1, max_length=100, description="opens a post in a forum")]
    applied_tags: Annotated[list[ForumTagId], Field(max_items=5, description="of the new post")]
    flags: Annotated[int, Field(minimum=0, description="4 no link previews, 4096 no notification, 32768 a layout")]
    wait: Annotated[bool, Field(description="false: do not wait for the message's id")]


class Source(TypedDict):
    """Where a follower webhook takes its messages from."""

    id: str
    name: Untrusted


class Webhook(TypedDict):
    """One webhook: type 1 posts, 2 brings a followed channel's messages, 3 answers interactions.

    `has_token` says that webhooks_execute can look its token up; the token itself is never shown.
    """

    id: str
    type: int
    channel_id: str | None
    application_id: str | None
    name: Untrusted | None
    avatar: str | None
    guild_id: NotRequired[str | None]
    user_id: NotRequired[str]
    has_token: bool
    source_guild: NotRequired[Source]
    source_channel: NotRequired[Source]


class GetWebhook(Webhook):
    """One webhook by itself."""

    untrusted_name: Untrusted


class Webhooks(Page):
    """The webhooks of a channel or a guild."""

    webhooks: list[Webhook]
    count: int


class WebhookDeleted(TypedDict):
    """A webhook that is gone."""

    deleted: bool
    webhook_id: str


class Executed(TypedDict):
    """What was posted, as several messages where its text was split; without `wait` only that it was `enqueued`."""

    webhook_id: str
    enqueued: NotRequired[bool]
    message_id: NotRequired[str]
    message_ids: NotRequired[list[str]]
    channel_id: NotRequired[str]
    timestamp: NotRequired[Timestamp]
    pinged: NotRequired[Pinged]


class WebhookMessage(FetchedMessage):
    """A message by a webhook."""

    untrusted_content: Untrusted


def name_is_free(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a webhook's name that Discord keeps for itself."""
    for argument in ("name", "username"):
        name = arguments.get(argument, "").lower()
        for word in TAKEN_WORDS:
            if word in name:
                yield Issue(path=argument, message=f"may not contain `{word}`", code="invalid_string")


def post_aims_once(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a message for two threads, and tags for a thread that is not new."""
    if "thread_id" in arguments and "thread_name" in arguments:
        yield Issue(path="thread_name", message="conflicts with thread_id; give one", code="conflict")
    if "applied_tags" in arguments and "thread_name" not in arguments:
        yield Issue(path="applied_tags", message="needs thread_name: only a new post gets tags", code="required")
