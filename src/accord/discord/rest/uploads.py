"""Files that go along with a request, and the form that they go in."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, TypeAlias

__all__ = ["Content", "Form", "Upload", "safe_filename"]

Content: TypeAlias = bytes | Path | BinaryIO | AsyncIterable[bytes]

MOST_FILENAME_CHARACTERS = 260
"""The longest path that Windows takes by default, so that who downloads a file can save it."""

MOST_SUFFIX_CHARACTERS = 16
UNNAMED = "file"

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of Unicode that break a header or a line, or make a name look like another one."""

ANY_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send.

    `filename` is made safe. `content` may be the bytes; the path of a file, which is read in pieces; an open binary
    file, from where it stands to its end, which stays open; or an async iterable of pieces. `content_type` is by
    default what the filename's suffix says. `field_name` is the file's name in the form, by default `files[n]` by its
    place among the files, as messages have it.
    """

    filename: str
    content: Content = field(repr=False)
    content_type: str | None = None
    field_name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "filename", safe_filename(self.filename))

    @property
    def media_type(self) -> str:
        """The type that is said to be in it."""
        return self.content_type or mimetypes.guess_type(self.filename, strict=False)[0] or ANY_TYPE

    @property
    def is_spent_by_reading(self) -> bool:
        """Whether it can be read only once."""
        return not isinstance(self.content, bytes | Path)


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a multipart form; where the request has a body as well, it is the part `payload_json`.

    Source: https://discord.com/developers/docs/reference#uploading-files
    """

    fields: Mapping[str, str]
    files: tuple[Upload, ...]

    @property
    def is_spent_by_sending(self) -> bool:
        """Whether it can be sent only once."""
        return any(upload.is_spent_by_reading for upload in self.files)


def safe_filename(name: str) -> str:
    """Return the last part of the name without quotes and what cannot be seen, at most 260 characters of it.

    A long name keeps its suffix. What leaves nothing is called `file`.
    """
    last = re.split(r"[/\\]", name)[-1]
    seen = "".join(char for char in last if char != '"' and unicodedata.category(char) not in UNSEEN).strip()
    if not seen.strip("."):
        return UNNAMED
    return seen if len(seen) <= MOST_FILENAME_CHARACTERS else _shortened(seen)


def _shortened(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    kept = suffix if len(suffix) <= MOST_SUFFIX_CHARACTERS else ""
    return name[: MOST_FILENAME_CHARACTERS - len(kept)] + kept
