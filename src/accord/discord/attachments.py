"""A message's file as a model can look at it: a picture as a picture, a text as text, of the rest what it is.

Only ids are taken, and the links that Discord sends for them; what a file says of itself is not believed.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from accord.discord.files import image_type_of
from accord.discord.models.messages import AttachmentObject, MessageObject
from accord.discord.pictures import size_of
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import DiscordNotFoundError
from accord.discord.rest.media import Media
from accord.engine import Block, ToolError

__all__ = ["Look", "attachment_of", "looked_at"]

MOST_IMAGE_BYTES: Final = 750_000
"""1 MB as base64: what hosts take in one result."""

MOST_PIXELS: Final = 4_000_000
SCALED_SIDE: Final = 1024
"""The longer side of a picture that was too large; models see little more."""

MOST_TEXT_CHARACTERS: Final = 20_000
MOST_TEXT_BYTES: Final = 4 * MOST_TEXT_CHARACTERS

IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What hosts show."""

UNREAD: Final = ("video/", "audio/")
"""Claims of files that are never worth fetching."""


@dataclass(frozen=True, slots=True)
class Look:
    """What came of looking at a file: facts for the result, and a picture's block."""

    facts: Mapping[str, Any]
    blocks: tuple[Block, ...] = field(default=(), repr=False)


def attachment_of(message: MessageObject, attachment_id: str) -> AttachmentObject:
    """Return the message's file of this id; files of a forwarded message count too.

    Raises:
        DiscordNotFoundError: It has none.
    """
    forwarded = [one["message"].get("attachments") or () for one in message.get("message_snapshots") or ()]
    for files in (message["attachments"], *forwarded):
        for file in files:
            if file["id"] == attachment_id:
                found: AttachmentObject = file
                return found
    raise DiscordNotFoundError(
        resource_type="attachment", id=attachment_id, recovery_hint="Take an id from the message's `attachments`."
    )


async def looked_at(discord: Discord, file: AttachmentObject) -> Look:
    """Fetch as much of a file as is shown, and return what can be shown of it.

    Raises:
        ToolError: It could not be fetched.
    """
    claimed = file.get("content_type") or ""
    if claimed.startswith(UNREAD):
        return _unshown("sound and video are not shown", None)
    is_picture = claimed.startswith("image/") and "svg" not in claimed
    if is_picture and _is_too_large(file["size"], (file.get("width"), file.get("height"))):
        return await _scaled(discord, file)
    media = await discord.file(file["url"], most_bytes=MOST_IMAGE_BYTES if is_picture else MOST_TEXT_BYTES)
    kind = image_type_of(media.content)
    if kind is None and not is_picture:
        return _as_text(media)
    return (kind and _as_image(media, kind)) or await _scaled(discord, file, kind)


def _is_too_large(size: int, sides: tuple[int | None, int | None]) -> bool:
    return size > MOST_IMAGE_BYTES or (sides[0] or 0) * (sides[1] or 0) > MOST_PIXELS


def _as_image(media: Media, kind: str, **more: bool) -> Look | None:
    """A picture within the budget, None for anything else. Its bytes say how large it is, and nothing else does."""
    sides = size_of(media.content, kind)
    if kind not in IMAGES or media.is_cut or sides is None or _is_too_large(len(media.content), sides):
        return None
    block = {"type": "image", "data": base64.b64encode(media.content).decode(), "mimeType": kind}
    return Look({"shown": "image", "media_type": kind, **more}, (block,))


async def _scaled(discord: Discord, file: AttachmentObject, kind: str | None = None) -> Look:
    """The picture as Discord's media proxy scales it down, where that knows its size."""
    link, width, height = file.get("proxy_url"), file.get("width"), file.get("height")
    if not (link and width and height):
        return _unshown("too large to show, or no PNG, JPEG, GIF or WebP", kind)
    try:
        media = await discord.file(_smaller(link, width, height), most_bytes=MOST_IMAGE_BYTES)
    except ToolError:
        return _unshown("too large to show, and Discord does not scale it down", kind)
    kind = image_type_of(media.content)
    return (kind and _as_image(media, kind, scaled=True)) or _unshown("too large to show, even scaled down", kind)


def _smaller(link: str, width: int, height: int) -> str:
    """Return the link to the picture with its longer side cut to 1024; the link's own query is its signature."""
    factor = min(1.0, SCALED_SIDE / max(width, height))
    sides = {"width": max(1, round(width * factor)), "height": max(1, round(height * factor))}
    return f"{link.rstrip('?&')}{'&' if '?' in link else '?'}{urlencode({'format': 'webp', **sides})}"


def _as_text(media: Media) -> Look:
    """A text, of which the beginning is enough; a file with a zero byte, or that is no UTF-8, is none."""
    text = _decoded(media)
    if text is None:
        return _unshown("neither a picture nor a text", None)
    truncated = media.is_cut or len(text) > MOST_TEXT_CHARACTERS
    facts = {"shown": "text", "media_type": "text/plain", "text": text[:MOST_TEXT_CHARACTERS], "truncated": truncated}
    return Look(facts)


def _decoded(media: Media) -> str | None:
    """The content as text; the end may have been cut within a character, which has at most four bytes."""
    for cut in range(4 if media.is_cut else 1):
        try:
            text = media.content[: len(media.content) - cut].decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def _unshown(why: str, kind: str | None) -> Look:
    return Look({"shown": "metadata", "media_type": kind, "not_shown": why})
