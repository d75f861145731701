"""The audit file: a JSON line a record, each holding the hash of the one before it, so that no line can be changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import orjson

from accord.engine.calls.audit import Record

try:
    import fcntl
except ImportError:  # Windows, where one process writes the file
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileAudit", "Verified", "records_of", "verify"]

GENESIS = "0" * 64
"""What stands before the first line."""

TAIL_BYTES = 64 * 1024
"""More than any record has: where the last line is looked for."""


class FileAudit:
    """Appends records to a file of the owner's alone (0600), which several processes may share.

    A line is `{"prev": <hash of the line before>, …record}`; a line's hash is the SHA-256 of its bytes. What was
    written survives the end of the process; a power cut may undo the last moments.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._end = 0
        self._last = GENESIS

    def emit(self, record: Record) -> None:
        """Append one record.

        Raises:
            OSError: It cannot be written.
        """
        file = self._opened()
        with _locked(file):
            self._catch_up(file)
            line = orjson.dumps({"prev": self._last, **record})
            file.write(line + b"\n")
            self._end += len(line) + 1
            self._last = hash_of(line)

    async def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            with suppress(AttributeError):
                os.fchmod(handle, 0o600)  # of a file that was there before
            self._file = os.fdopen(handle, "ab+", buffering=0)
        return self._file

    def _catch_up(self, file: BinaryIO) -> None:
        """Read the last line where another process wrote since, and end one that a crash cut off."""
        size = os.fstat(file.fileno()).st_size
        if size == self._end:
            return
        file.seek(max(0, size - TAIL_BYTES))
        tail = file.read()
        if not tail.endswith(b"\n"):
            file.write(b"\n")
            tail += b"\n"
            size += 1
        self._last = hash_of(tail[:-1].rsplit(b"\n", 1)[-1])
        self._end = size


@contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    """Keep other processes from writing meanwhile."""
    if fcntl is None:
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def hash_of(line: bytes) -> str:
    """Return what the next line holds of this one."""
    return hashlib.sha256(line).hexdigest()


@dataclass(frozen=True, slots=True)
class Verified:
    """What a file's chain says: how many lines, the hash of the last, and what is wrong with which line."""

    lines: int
    last: str
    wrong_line: int | None = None
    flaw: str | None = None


def verify(path: Path) -> Verified:
    """Check that every line holds the hash of the one before it.

    Lines that are missing at the end cannot be told from lines that were never written: compare `last` with a hash that
    was noted elsewhere.

    Raises:
        OSError: The file cannot be read.
    """
    last, number = GENESIS, 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            bare = line.rstrip(b"\n")
            if flaw := _flaw(bare, last):
                return Verified(number, last, number, flaw)
            last = hash_of(bare)
    return Verified(number, last)


def _flaw(line: bytes, last: str) -> str | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return "it is no record: it was cut off or overwritten"
    if not isinstance(record, dict) or record.get("prev") != last:
        return "it does not follow the line before it: a line was changed, removed or put in between"
    return None


def records_of(path: Path) -> Iterator[Record]:
    """Yield the file's records, the oldest first; lines that are none are passed over.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        for line in file:
            with suppress(orjson.JSONDecodeError):
                record = orjson.loads(line)
                record.pop("prev", None)
                yield record
