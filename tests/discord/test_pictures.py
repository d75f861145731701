"""The size of a picture, read from its first bytes."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.discord.pictures import size_of
from accord.discord.sandbox.pictures import plain_png

JPEG_START = b"\xff\xd8" + b"\xff\xe0\x00\x10JFIF\x00" + b"\0" * 9


def jpeg(width: int, height: int, marker: int = 0xC0, before: bytes = b"") -> bytes:
    return JPEG_START + before + bytes([0xFF, marker]) + struct.pack(">HBHH", 17, 8, height, width) + b"\x03"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def webp(chunk: bytes, body: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + chunk + struct.pack("<I", len(body)) + body


def lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height))


def lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14))


def extended(width: int, height: int) -> bytes:
    return webp(b"VP8X", b"\0" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (plain_png(640, 480), "image/png"),
        (gif(640, 480), "image/gif"),
        (jpeg(640, 480), "image/jpeg"),
        (jpeg(640, 480, 0xC2), "image/jpeg"),
        (jpeg(640, 480, before=b"\xff\xc4\x00\x04\x11\x22\xff\xff"), "image/jpeg"),
        (lossy(640, 480), "image/webp"),
        (lossless(640, 480), "image/webp"),
        (extended(640, 480), "image/webp"),
    ],
)
def test_each_kind_says_how_wide_and_high_it_is(content: bytes, kind: str) -> None:
    assert size_of(content, kind) == (640, 480)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (plain_png(640, 480)[:20], "image/png"),
        (plain_png(0, 480), "image/png"),
        (JPEG_START, "image/jpeg"),
        (b"\xff\xd8\xff\xe0\x00\x00" * 9, "image/jpeg"),
        (webp(b"ICCP", b"x" * 20), "image/webp"),
        (b"", "image/gif"),
        (plain_png(1, 1), "image/avif"),
    ],
)
def test_a_head_that_does_not_tell_is_no_size(content: bytes, kind: str) -> None:
    assert size_of(content, kind) is None


@given(
    st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF0000WEBPVP8L"]),
    st.binary(max_size=80),
    st.sampled_from(["image/png", "image/jpeg", "image/gif", "image/webp"]),
)
def test_any_bytes_are_read_without_a_failure(start: bytes, rest: bytes, kind: str) -> None:
    size = size_of(start + rest, kind)

    assert size is None or min(size) > 0
