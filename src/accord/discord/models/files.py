"""Files that a message takes along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Annotated, Any, TypedDict

from accord.discord.models.values import UploadName
from accord.engine import Field, Issue

__all__ = ["Files", "NewFile", "OneFile", "ShortFiles", "filename_of", "files_are_one"]


class OneFile(TypedDict, total=False):
    """A file to send: `file` of the upload folder, or `text` that becomes one; `filename` is what people see."""

    file: UploadName
    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    filename: Annotated[str, Field(min_length=1, max_length=260)]


class NewFile(OneFile, total=False):
    """The same with what a message says of it."""

    description: Annotated[str, Field(min_length=1, max_length=1024)]
    spoiler: bool


Files = Annotated[list[NewFile], Field(min_items=1, max_items=10, description="files to attach")]
ShortFiles = Annotated[Files, Field(opaque=True, description="{file or text, filename, description, spoiler}")]


def filename_of(file: Mapping[str, Any]) -> str:
    """Return the name under which people see the file, and a component refers to it."""
    return file.get("filename") or (PurePath(file["file"]).name if "file" in file else "text.txt")


def files_are_one(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse a file that is both named and written out, or neither."""
    for number, file in enumerate(arguments.get("files", ())):
        if ("file" in file) == ("text" in file):
            message = "needs `file`, the name in the upload folder, or `text`, and not both"
            yield Issue(path=f"files[{number}]", message=message, code="conflict")
