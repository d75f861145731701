"""Pictures as far as the sandbox needs them: how large a PNG is, and a plain one of any size."""

from __future__ import annotations

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY = 0  # one byte a pixel


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
