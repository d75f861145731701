"""The one folder from which files may be sent: nothing outside of it can be read, whatever a caller names."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from copy import copy
from pathlib import Path

from accord.engine import ToolError, ValidationError

__all__ = ["MOST_UPLOAD_BYTES", "UploadFolder"]

MOST_UPLOAD_BYTES = 100 * 1024 * 1024
"""What a guild of the highest boost level takes (https://support.discord.com/hc/en-us/articles/25444343291031)."""

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""A link in place of what was resolved is refused, and a pipe does not hold up whoever opens it."""


class UploadFolder:
    """The files that tools may send; without a `root` there are none.

    A name is a path inside of the folder. Links are resolved, and the file is opened step by step from the folder's
    own handle, so that nothing can be put in its place between the check and the reading.
    """

    def __init__(self, root: Path | None = None, *, most_bytes: int = MOST_UPLOAD_BYTES) -> None:
        self._root = root
        self.most_bytes = most_bytes
        self._agreed: tuple[Mapping[str, str], ToolError] | None = None

    def only(self, files: Mapping[str, str], *, otherwise: ToolError) -> UploadFolder:
        """Return this folder with these files alone, each by its name with the SHA-256, in hex, of what is in it.

        Reading anything else raises `otherwise`.
        """
        view = copy(self)
        view._agreed = files, otherwise  # noqa: SLF001 - its own class
        return view

    async def read(self, name: str, *, path: str, most_bytes: int | None = None) -> bytes:
        """Return the bytes of a file; `path` names the argument that names it.

        Raises:
            ValidationError: There is no folder, no such file in it, or the file is empty or too large.
            ToolError: It is none of the files that this view is for.
        """
        if self._root is None:
            raise _wrong(path, "names a file, but MCP_UPLOAD_DIR is not set: no file can be sent", "uploads_disabled")
        limit = min(most_bytes or self.most_bytes, self.most_bytes)
        content = await asyncio.to_thread(_read, self._root, name, path, limit)
        self._check_agreed(name, content)
        return content

    def _check_agreed(self, name: str, content: bytes) -> None:
        if self._agreed is None:
            return
        files, otherwise = self._agreed
        if files.get(name) != hashlib.sha256(content).hexdigest():
            raise otherwise


def _read(root: Path, name: str, path: str, most_bytes: int) -> bytes:
    try:
        with ExitStack() as opened:
            handle = _opened(root.resolve(strict=True), name, opened)
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise _missing(path)
            _check_size(found.st_size, path, most_bytes)
            with os.fdopen(os.dup(handle), "rb") as file:
                content = file.read(most_bytes + 1)
    except (OSError, ValueError, RuntimeError):
        raise _missing(path) from None
    _check_size(len(content), path, most_bytes)
    return content


def _opened(root: Path, name: str, opened: ExitStack) -> int:
    """Open what the name resolves to, if that lies in the folder.

    Raises:
        OSError: It does not exist, or is not what it was a moment ago.
        ValueError: It lies elsewhere.
    """
    inside = (root / name).resolve(strict=True).relative_to(root)
    if os.open not in os.supports_dir_fd:
        return _kept(os.open(root / inside, os.O_RDONLY | getattr(os, "O_BINARY", 0)), opened)
    handle = _kept(os.open(root, os.O_RDONLY | os.O_DIRECTORY), opened)
    *folders, file = inside.parts
    for folder in folders:
        handle = _kept(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | NO_LINK, dir_fd=handle), opened)
    return _kept(os.open(file, os.O_RDONLY | NO_LINK, dir_fd=handle), opened)


def _kept(handle: int, opened: ExitStack) -> int:
    opened.callback(os.close, handle)
    return handle


def _check_size(size: int, path: str, most_bytes: int) -> None:
    if size == 0:
        raise _wrong(path, "names an empty file, which Discord does not take", "too_small")
    if size > most_bytes:
        raise _wrong(path, f"names a file of {size} bytes; at most {most_bytes} can be sent here", "too_big")


def _missing(path: str) -> ValidationError:
    return _wrong(path, "names no file of the upload folder", "unknown_file")


def _wrong(path: str, message: str, code: str) -> ValidationError:
    return ValidationError(issues=[{"path": path, "message": message, "code": code}])
