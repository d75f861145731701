"""Messages that a token in the route posts: by a webhook, or in answer to an interaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.components import (
    MOST_COMPONENTS,
    ActionRow,
    Container,
    FileBox,
    Gallery,
    Section,
    Separator,
    TextDisplay,
)
from accord.discord.models.embeds import ShortEmbeds
from accord.discord.models.files import ShortFiles
from accord.discord.models.ids import ChannelId
from accord.discord.models.mentions import ShortMentions
from accord.discord.models.messages import Attachment, KeptAttachments, LongText
from accord.discord.models.polls import ShortPoll
from accord.discord.models.values import Content, Timestamp
from accord.engine import Check, Field, Issue, Untrusted

__all__ = [
    "EPHEMERAL",
    "FetchedMessage",
    "PostBody",
    "PostChanges",
    "PostDeleted",
    "ThreadId",
    "files_say_what_stays",
    "flags_within",
]

Json: TypeAlias = Any

EPHEMERAL = 1 << 6
"""https://discord.com/developers/docs/resources/message#message-object-message-flags."""

Parts = Annotated[
    list[ActionRow | Section | TextDisplay | Gallery | FileBox | Separator | Container],
    Field(max_items=MOST_COMPONENTS, opaque=True, description="rows of buttons or a menu; a layout with flags 32768"),
]
WithComponents = Annotated[bool, Field(description="by default true when there are components")]
ThreadId = Annotated[ChannelId, Field(description="thread that it is in")]


class PostBody(LongText, total=False):
    """What is posted."""

    embeds: ShortEmbeds
    components: Parts
    poll: ShortPoll
    files: ShortFiles
    allowed_mentions: ShortMentions
    tts: bool
    with_components: WithComponents


class PostChanges(TypedDict, total=False):
    """What can be changed of what was posted; what is left out stays."""

    content: Content
    embeds: ShortEmbeds
    components: Parts
    poll: Annotated[ShortPoll, Field(description="{question, answers, duration} for an answer that was put off")]
    files: ShortFiles
    attachments: KeptAttachments
    allowed_mentions: ShortMentions
    flags: Annotated[int, Field(minimum=0, description="4 no link previews, 0 with them, 32768 a layout")]
    clear: Annotated[list[Literal["content", "embeds", "components", "attachments"]], Field(min_items=1)]
    with_components: WithComponents
    thread_id: ThreadId


class FetchedMessage(TypedDict):
    """A message that a token posted; attachment ids are what an edit keeps."""

    message_id: str
    channel_id: str
    content: Untrusted
    timestamp: Timestamp
    edited_timestamp: Timestamp | None
    flags: NotRequired[int]
    attachments: list[Attachment]
    embeds: list[Annotated[dict[str, Json], Field(untrusted=True)]]
    components: NotRequired[list[Annotated[dict[str, Json], Field(untrusted=True)]]]
    poll: NotRequired[Annotated[dict[str, Json], Field(untrusted=True)]]


class PostDeleted(TypedDict):
    """A message that is gone."""

    deleted: bool
    message_id: str


def flags_within(*allowed: int) -> Check:
    """Return the rule of a message that can have these flags and no others."""
    most = sum(allowed)

    def flags_are_known(arguments: Mapping[str, Json]) -> Iterator[Issue]:
        if arguments.get("flags", 0) & ~most:
            message = "may combine " + ", ".join(map(str, allowed))
            yield Issue(path="flags", message=message, code="invalid_flags")

    return flags_are_known


def files_say_what_stays(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse new files for a message without a word on the old ones: Discord removes those that are not listed."""
    says = "attachments" in arguments or "attachments" in arguments.get("clear", ())
    if "files" in arguments and not says:
        message = "is required with files: those to keep, [] for none"
        yield Issue(path="attachments", message=message, code="required")
