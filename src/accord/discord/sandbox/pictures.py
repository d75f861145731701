"""Pictures and sounds that come as data URIs: what they are, and the hash under which a picture is known then."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accord.discord.sandbox.forms import Check, Complaints

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif")
SOUNDS = ("audio/mpeg", "audio/mp3", "audio/ogg")
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
