"""How large a picture is, as its first bytes say: none is decoded, so none can take up memory or time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

__all__ = ["size_of"]

Size: TypeAlias = tuple[int, int]

JPEG_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of the segments that hold the size (ITU-T T.81, table B.1); the three are tables and an extension."""


def size_of(content: bytes, kind: str) -> Size | None:
    """Return the width and height in pixels of a PNG, JPEG, GIF or WebP; None where its head does not tell."""
    read = _READERS.get(kind)
    size = read(content) if read else None
    return size if size and min(size) > 0 else None


def _png(content: bytes) -> Size | None:
    """https://www.w3.org/TR/png-3/#11IHDR: the first chunk begins with both, four bytes each."""
    if content[12:16] != b"IHDR" or len(content) < 24:  # noqa: PLR2004 - where the height ends
        return None
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def _gif(content: bytes) -> Size | None:
    """https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18: the logical screen, two bytes each."""
    return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")


def _jpeg(content: bytes) -> Size | None:
    """ITU-T T.81, B.2.2: segments one after the other, until that of a frame."""
    at = 2
    while content[at : at + 1] == b"\xff" and at + 9 <= len(content):
        marker = content[at + 1]
        if marker == 0xFF:  # noqa: PLR2004 - a byte that fills
            at += 1
        elif marker in JPEG_FRAMES:
            return int.from_bytes(content[at + 7 : at + 9], "big"), int.from_bytes(content[at + 5 : at + 7], "big")
        else:
            at += 2 + max(2, int.from_bytes(content[at + 2 : at + 4], "big"))
    return None


def _webp(content: bytes) -> Size | None:
    """https://developers.google.com/speed/webp/docs/riff_container: one of three kinds of first chunk."""
    chunk = content[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if chunk == b"VP8 ":
        return int.from_bytes(content[26:28], "little") & 0x3FFF, int.from_bytes(content[28:30], "little") & 0x3FFF
    bits = int.from_bytes(content[21:25], "little")
    return (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)) if chunk == b"VP8L" and len(content) > 24 else None  # noqa: PLR2004


_READERS: Mapping[str, Callable[[bytes], Size | None]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
