"""Values that many resources share, their limits said once."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, TypeAlias, TypedDict

from accord.engine import Field, Shaped, Worded

__all__ = [
    "RGB",
    "AuditReason",
    "Color",
    "Content",
    "Cursor",
    "Image",
    "Json",
    "Moment",
    "Page",
    "Timestamp",
    "UploadName",
    "Url",
    "WebUrl",
    "Wire",
]

Json: TypeAlias = Any
"""A value that came from Discord, or goes there."""

Wire: TypeAlias = dict[str, Any]
"""An object as Discord sends it, of which a result shows what its type names."""

Content = Annotated[str, Field(min_length=1, max_length=2000, description="Markdown text, at most 2000 characters")]
"""A message's text. The OpenAPI file admits 4000, which only people with Nitro have; bots have the documented 2000."""

AuditReason = Annotated[str, Field(min_length=1, max_length=512, description="shown in the guild's audit log")]
"""https://discord.com/developers/docs/resources/audit-log: 1 to 512 characters."""

Timestamp = str
"""ISO 8601 with an offset, as Discord writes it."""

Url = Annotated[str, Field(max_length=2048, pattern="^(https?|attachment)://")]
"""An address that Discord loads: http, https, or a file of the same message."""

WebUrl = Annotated[str, Field(max_length=2048, pattern="^https?://")]
"""An address on the web."""

Cursor = Annotated[str, Field(max_length=200, description="next_cursor of the page before")]


class Page(TypedDict):
    """What every list says of the rest: whether there is more, and what to pass as `cursor` for it."""

    next_cursor: str | None
    has_more: bool


class Moment(Shaped):
    """A moment in time, ISO 8601 with an offset."""

    __slots__ = ()
    pattern: ClassVar[str] = (
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$"
    )
    wants: ClassVar[str] = "an ISO 8601 time with an offset, such as 2026-11-30T17:00:00Z"


COLOR_NAMES = {
    "default": 0x000000,
    "white": 0xFFFFFF,
    "aqua": 0x1ABC9C,
    "teal": 0x1ABC9C,
    "green": 0x57F287,
    "blue": 0x3498DB,
    "yellow": 0xFEE75C,
    "purple": 0x9B59B6,
    "pink": 0xE91E63,
    "gold": 0xF1C40F,
    "orange": 0xE67E22,
    "red": 0xED4245,
    "grey": 0x95A5A6,
    "gray": 0x95A5A6,
    "navy": 0x34495E,
    "blurple": 0x5865F2,
}
"""Names that people use for colours in Discord."""


class Color(Worded):
    """A colour as a number, 0xRRGGBB; `#RRGGBB` and the usual names are taken too."""

    __slots__ = ()

    @classmethod
    def unwrap(cls, raw: str) -> int | str:
        """Return the number of `#RRGGBB`, `0xRRGGBB` or a name; anything else as it was given."""
        if found := re.fullmatch(r"(?:#|0x)([0-9A-Fa-f]{6})", raw):
            return int(found.group(1), 16)
        return COLOR_NAMES.get(raw.strip().lower(), raw)


RGB = Annotated[Color, Field(minimum=0, maximum=0xFFFFFF, description="#RRGGBB, a name or a number")]
"""A colour to set."""

Image = Annotated[
    str,
    Field(
        min_length=1,
        max_length=15_000_000,
        description="a file of the upload folder, or data:image/png;base64,…",
    ),
]
"""A picture to set: what stands behind a name is read when the request is made."""

UploadName = Annotated[str, Field(min_length=1, max_length=1024, description="a file of the upload folder")]
"""The path of a file, inside of MCP_UPLOAD_DIR."""
