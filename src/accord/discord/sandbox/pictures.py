"""Pictures and sounds: what a data URI holds, a picture's hash, a PNG's size, and a plain PNG of any size."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accord.discord.sandbox.forms import Check, Complaints

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif")
SOUNDS = ("audio/mpeg", "audio/mp3", "audio/ogg")
SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY = 0  # one byte a pixel
_DATA_URI = re.compile(r"data:(?P<kind>[a-z]+/[a-z0-9.+-]+);base64,(?P<content>[A-Za-z0-9+/]+={0,2})")


def content_of(*kinds: str, most: int) -> Check:
    """The bytes of a data URI of one of these kinds, at most so many."""

    def check(value: Any, complaints: Complaints) -> bytes:
        found = _DATA_URI.fullmatch(value) if isinstance(value, str) else None
        try:
            content = base64.b64decode(found["content"]) if found and found["kind"] in kinds else b""
        except binascii.Error:
            content = b""
        if not content:
            complaints.say("IMAGE_INVALID", "Invalid image data")
        elif len(content) > most:
            complaints.say("BINARY_TYPE_MAX_SIZE", f"File cannot be larger than {most / 1024:.1f} kb.")
        return content

    return check


_picture = content_of(*PICTURES, most=10 * 1024 * 1024)


def picture(value: Any, complaints: Complaints) -> str:
    """The hash of a picture."""
    return hashlib.md5(_picture(value, complaints), usedforsecurity=False).hexdigest()


def png_size(content: bytes) -> tuple[int, int] | None:
    """The width and height of a PNG, None for any other file."""
    if not content.startswith(SIGNATURE) or len(content) < 24:  # noqa: PLR2004 - where the height ends
        return None
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def plain_png(width: int, height: int) -> bytes:
    """A black picture of this size."""
    head = struct.pack(">IIBBBBB", width, height, 8, GREY, 0, 0, 0)
    rows = zlib.compress((b"\0" * (width + 1)) * height)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
