"""A file of a message, fetched to be looked at."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from accord.engine import Untrusted

__all__ = ["FetchedAttachment"]


class FetchedAttachment(TypedDict):
    """A file: an image stands beside this as a block, a text in `text`, and of others `not_shown` says why not.

    `media_type` is what the file's own bytes say, null where they were not read or say nothing.
    """

    attachment_id: str
    message_id: str
    channel_id: str
    filename: Untrusted
    description: Untrusted | None
    size: int
    width: int | None
    height: int | None
    url: str
    media_type: str | None
    shown: Literal["image", "text", "metadata"]
    text: NotRequired[Untrusted]
    truncated: NotRequired[bool]
    scaled: NotRequired[bool]
    not_shown: NotRequired[str]
