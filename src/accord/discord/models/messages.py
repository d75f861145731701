"""Messages: what is sent, what is edited, what is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.channels import ArchiveMinutes
from accord.discord.models.components import Rows
from accord.discord.models.embeds import Embeds
from accord.discord.models.emojis import EmojiObject, PartialEmoji
from accord.discord.models.files import Files
from accord.discord.models.ids import AttachmentId, ChannelId, MessageId, StickerId, id_at
from accord.discord.models.mentions import AllowedMentions
from accord.discord.models.polls import Poll
from accord.discord.models.users import Author, UserObject
from accord.discord.models.values import AuditReason, Content, Page, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "MOST_FILES",
    "Attachment",
    "Crossposted",
    "Deleted",
    "DeletedMany",
    "Edited",
    "KeptAttachments",
    "LongText",
    "Message",
    "MessageBody",
    "MessageChanges",
    "MessageObject",
    "MessageParts",
    "Messages",
    "NewMessage",
    "Nonce",
    "OneMessage",
    "PinnedMessage",
    "PostMessage",
    "Sent",
    "ThreadBegun",
    "ThreadFromMessage",
    "UnpinnedMessage",
    "Warned",
    "few_enough_files",
    "flags_of_changed",
    "flags_of_new",
    "reply_is_one",
    "something_changes",
    "something_to_send",
    "two_or_more",
    "young_enough",
]

Json: TypeAlias = Any

BULK_DELETABLE = timedelta(days=14)

MOST_FILES = 10

SUPPRESS_EMBEDS = 1 << 2
SUPPRESS_NOTIFICATIONS = 1 << 12

BODY = ("content", "embeds", "sticker_ids", "components", "poll", "files", "shared_client_theme")

LongContent = Annotated[str, Field(min_length=1, max_length=100_000, description="Markdown text")]

Nonce = Annotated[str, Field(min_length=1, max_length=25, description="yours; a repeat with it sends nothing twice")]


class MessageReference(TypedDict):
    """The message replied to, of the same channel."""

    message_id: MessageId
    channel_id: NotRequired[ChannelId]
    fail_if_not_exists: NotRequired[bool]


class ClientTheme(TypedDict):
    """A theme to share: up to five colours as RRGGBB."""

    colors: Annotated[list[Annotated[str, Field(pattern="^[0-9A-Fa-f]{6}$")]], Field(min_items=1, max_items=5)]
    gradient_angle: Annotated[int, Field(minimum=0, maximum=360)]
    base_mix: Annotated[int, Field(minimum=0, maximum=100)]
    base_theme: NotRequired[Literal[0, 1, 2, 3, 4]]


class MessageParts(TypedDict, total=False):
    """What every message can have besides its text, a forum post's first one too."""

    embeds: Embeds
    components: Rows
    poll: Poll
    files: Files
    allowed_mentions: AllowedMentions
    flags: Annotated[int, Field(minimum=0, description="4 no link previews, 4096 no notification")]


class OneText(TypedDict, total=False):
    """A text that is one message."""

    content: Content


class LongText(TypedDict, total=False):
    """A text, and what to do where it is longer than a message."""

    content: LongContent
    on_overflow: Annotated[
        Literal["error", "split", "file"], Field(description="content above 2000: several messages, or a .txt file")
    ]


class MessageBody(OneText, MessageParts, total=False):
    """What every way of sending a message takes: by the bot, by a webhook, in answer to an interaction."""

    tts: bool


class NewMessage(LongText, MessageParts, total=False):
    """What a new message of the bot has besides its channel."""

    tts: bool
    reply_to: Annotated[MessageId, Field(description="message to reply to")]
    sticker_ids: Annotated[list[StickerId], Field(max_items=3)]
    message_reference: MessageReference
    shared_client_theme: ClientTheme
    nonce: Nonce


class ThreadFromMessage(TypedDict):
    """A thread to open at a message."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    auto_archive_duration: NotRequired[Annotated[ArchiveMinutes, Field(description="minutes")]]
    rate_limit_per_user: NotRequired[Annotated[int, Field(minimum=0, maximum=21600, description="slow mode, seconds")]]
    audit_reason: NotRequired[AuditReason]


class PostMessage(LongText, MessageParts, total=False):
    """The first message of a forum post."""

    sticker_ids: Annotated[list[StickerId], Field(max_items=3)]
    shared_client_theme: ClientTheme


class KeptAttachment(TypedDict):
    """An attachment that stays; those not listed go."""

    id: AttachmentId
    description: NotRequired[Annotated[str, Field(max_length=1024)]]


KeptAttachments = Annotated[
    list[KeptAttachment],
    Field(max_items=10, opaque=True, description="those to keep, {id, description}; without it all"),
]


class MessageChanges(TypedDict, total=False):
    """What an edit can change; what is left out stays."""

    content: Content
    embeds: Embeds
    components: Rows
    allowed_mentions: AllowedMentions
    flags: Annotated[int, Field(minimum=0, description="4 no link previews, 0 with them")]
    attachments: KeptAttachments
    files: Files
    clear: Annotated[
        list[Literal["content", "embeds", "components", "attachments"]],
        Field(min_items=1, max_items=4, description="what to remove"),
    ]


class AttachmentObject(TypedDict):
    """https://discord.com/developers/docs/resources/message#attachment-object."""

    id: str
    filename: str
    size: int
    url: str
    proxy_url: NotRequired[str]
    content_type: NotRequired[str]
    description: NotRequired[str | None]
    width: NotRequired[int | None]
    height: NotRequired[int | None]


class ReactionObject(TypedDict):
    """https://discord.com/developers/docs/resources/message#reaction-object."""

    count: int
    me: bool
    emoji: EmojiObject


class MessageObject(TypedDict):
    """https://discord.com/developers/docs/resources/message#message-object. Over HTTP it does not name its guild."""

    id: str
    channel_id: str
    type: int
    author: UserObject
    content: str
    timestamp: str
    edited_timestamp: str | None
    pinned: bool
    mention_everyone: bool
    mentions: list[UserObject]
    mention_roles: list[str]
    attachments: list[AttachmentObject]
    embeds: list[dict[str, Json]]
    components: NotRequired[list[dict[str, Json]]]
    flags: NotRequired[int]
    nonce: NotRequired[str | int]
    webhook_id: NotRequired[str]
    reactions: NotRequired[list[ReactionObject]]
    sticker_items: NotRequired[list[dict[str, Json]]]
    poll: NotRequired[dict[str, Json]]
    message_reference: NotRequired[dict[str, Json]]
    message_snapshots: NotRequired[list[dict[str, Json]]]
    thread: NotRequired[dict[str, Json]]


class Attachment(TypedDict):
    """A file of a message; its link expires after about a day, its id does not."""

    id: str
    filename: Untrusted
    size: int
    url: str
    content_type: str | None
    description: Untrusted | None
    width: int | None
    height: int | None


class Reaction(TypedDict):
    """How often an emoji was given, and whether by this bot."""

    emoji: PartialEmoji
    count: int
    me: bool


class Message(TypedDict):
    """One message; what it does not have is left out."""

    id: str
    author: Author
    content: Untrusted
    timestamp: Timestamp
    edited_timestamp: Timestamp | None
    type: int
    pinned: NotRequired[bool]
    reply_to: NotRequired[str]
    forwarded: NotRequired[list[Annotated[dict[str, Json], Field(untrusted=True)]]]
    attachments: NotRequired[list[Attachment]]
    embeds: NotRequired[list[Annotated[dict[str, Json], Field(untrusted=True)]]]
    components: NotRequired[list[Annotated[dict[str, Json], Field(untrusted=True)]]]
    reactions: NotRequired[list[Reaction]]
    stickers: NotRequired[list[Untrusted]]
    poll: NotRequired[Annotated[dict[str, Json], Field(untrusted=True)]]
    mentions: NotRequired[list[str]]
    mention_roles: NotRequired[list[str]]
    mention_everyone: NotRequired[bool]
    thread_id: NotRequired[str]
    webhook_id: NotRequired[str]
    flags: NotRequired[int]


class OneMessage(Message):
    """One message by itself, with its place."""

    message_id: str
    channel_id: str
    author_id: str
    author_name: Untrusted
    edited: bool


class Warned(TypedDict):
    """Something that is probably not as it looks, with a stable code."""

    code: str
    message: str


class Messages(Page):
    """A page of a channel's history, the newest first."""

    messages: list[Message]
    count: int
    channel_id: str
    order: Literal["newest_first"]
    oldest_id: NotRequired[str]
    newest_id: NotRequired[str]
    warnings: NotRequired[list[Warned]]


class Pinged(TypedDict):
    """Who was notified, as Discord says."""

    everyone: bool
    users: list[str]
    roles: list[str]


class Sent(TypedDict):
    """A message that was sent, the first of `message_ids` where there are several.

    `jump_url` is null while its guild cannot be told.
    """

    message_id: str
    channel_id: str
    jump_url: str | None
    timestamp: Timestamp
    message_ids: NotRequired[list[str]]
    reply_to: NotRequired[str]
    pinged: Pinged
    nonce: str


class Edited(TypedDict):
    """A message as it is after the edit."""

    message_id: str
    channel_id: str
    edited_timestamp: Timestamp | None
    changed: list[str]


class Deleted(TypedDict):
    """A message that is gone."""

    deleted: bool
    message_id: str
    channel_id: str


class DeletedMany(TypedDict):
    """Messages that are gone; those that were gone before count too."""

    deleted: bool
    channel_id: str
    count: int


class Crossposted(TypedDict):
    """A message that the channels that follow its channel have got."""

    message_id: str
    channel_id: str
    crossposted: bool


class PinnedMessage(TypedDict):
    """A message that is pinned now."""

    pinned: bool
    channel_id: str
    message_id: str


class UnpinnedMessage(TypedDict):
    """A message that is no longer pinned."""

    unpinned: bool
    channel_id: str
    message_id: str


class ThreadBegun(TypedDict):
    """A public thread that begins at a message; its id is the message's."""

    thread_id: str
    name: Untrusted
    parent_id: str | None
    auto_archive_duration: int
    rate_limit_per_user: int


def something_to_send(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a message without a body."""
    if not any(arguments.get(part) for part in BODY):
        yield Issue(path="content", message="is required, or one of " + ", ".join(BODY[1:]), code="required")


def something_changes(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse an edit that changes nothing, and one that both sets and clears."""
    changes = arguments.keys() - {"channel_id", "message_id", "allowed_mentions"}
    if not changes:
        message = "or another change is required; to remove something name it in `clear`"
        yield Issue(path="content", message=message, code="required")
    for name in set(arguments.get("clear", ())) & changes:
        yield Issue(path="clear", message=f"names `{name}`, which is also given", code="conflict")


def two_or_more(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse the deletion of many messages that names a single one."""
    if len(set(arguments["message_ids"])) == 1:
        message = "names one message; delete a single one with messages_delete"
        yield Issue(path="message_ids", message=message, code="too_small")


def young_enough(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse messages that Discord does not delete with others: https://discord.com/developers/docs/resources/message."""
    oldest = id_at((datetime.now(UTC) - BULK_DELETABLE).isoformat()) or ""
    for number, message_id in enumerate(arguments["message_ids"]):
        if int(message_id) < int(oldest):
            message = f"is older than 14 days: {message_id}; delete it with messages_delete"
            yield Issue(path=f"message_ids[{number}]", message=message, code="too_old")


def few_enough_files(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse more files than a message can have, kept and new ones together."""
    if len(arguments.get("attachments", ())) + len(arguments.get("files", ())) > MOST_FILES:
        message = f"and `attachments` are together more than {MOST_FILES}"
        yield Issue(path="files", message=message, code="too_big")


def reply_is_one(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse two ways of saying what is replied to."""
    if "reply_to" in arguments and "message_reference" in arguments:
        yield Issue(path="reply_to", message="and message_reference say the same; give one", code="conflict")


def flags_of_new(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse flags that a new message cannot have. IS_COMPONENTS_V2 belongs to tools with an approval of their own."""
    if arguments.get("flags", 0) & ~(SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS):
        message = "may combine 4 and 4096"
        yield Issue(path="flags", message=message, code="invalid_flags")


def flags_of_changed(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse flags that an edit cannot change."""
    if arguments.get("flags", 0) & ~SUPPRESS_EMBEDS:
        yield Issue(path="flags", message="may be 0 or 4: an edit changes no other", code="invalid_flags")
