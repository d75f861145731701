"""Messages that are laid out from components: what is sent, what is edited, what is told of a layout."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from accord.discord.models.files import ShortFiles
from accord.discord.models.ids import MessageId
from accord.discord.models.mentions import ShortMentions
from accord.discord.models.messages import KeptAttachments, Nonce, Sent
from accord.engine import Field

__all__ = [
    "IS_COMPONENTS_V2",
    "Built",
    "LayoutChanges",
    "LayoutCheck",
    "LayoutSent",
    "NewLayout",
    "NewTemplated",
    "Preview",
    "TemplateSent",
]

IS_COMPONENTS_V2 = 1 << 15
"""https://discord.com/developers/docs/resources/message#message-object-message-flags: it cannot be taken back."""


class NewTemplated(TypedDict, total=False):
    """What a new message has besides its channel and its layout."""

    allowed_mentions: ShortMentions
    reply_to: Annotated[MessageId, Field(description="message to reply to")]
    flags: Annotated[Literal[0, 4096], Field(description="4096 no notification")]
    nonce: Nonce


class NewLayout(NewTemplated, total=False):
    """The same, and the files that its components show."""

    files: ShortFiles


class LayoutChanges(TypedDict, total=False):
    """What an edit brings besides the new layout."""

    allowed_mentions: ShortMentions
    files: ShortFiles
    attachments: KeptAttachments


class Built(TypedDict):
    """One component, ready to be sent."""

    component: dict[str, Any]


class LayoutFault(TypedDict):
    """One thing that Discord would refuse, and what to do about it."""

    code: str
    path: str
    message: str
    fix: str


class LayoutCheck(TypedDict):
    """Whether a layout can be sent; `component_count` counts nested ones."""

    valid: bool
    issues: list[LayoutFault]
    component_count: int


class Preview(TypedDict):
    """A layout as an indented tree of text."""

    ascii: str


class LayoutSent(Sent):
    """A layout that was sent, and how many components stand at its top."""

    component_count: int


class TemplateSent(Sent):
    """A template that was sent."""

    template: str
