"""The file a SQLite URL names: who may read it, and how its processes share it."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path

BUSY_SECONDS = 5.0  # how long another process may hold the file before a call fails; its writes last milliseconds
RETRY_SECONDS = 0.01


def file_of(url: str) -> Path | None:
    """Return the file a SQLite URL names, None for SQLite in memory; raise ValueError for any other URL."""
    if url in {"sqlite://", "sqlite:///:memory:"}:
        return None
    path = url.removeprefix("sqlite:///")
    if path in {url, ""} or "?" in path:
        raise ValueError("a SQLite URL is sqlite:///path (four slashes for an absolute path, no options) or sqlite://")
    return Path(path)


def make_file(path: Path) -> None:
    """Make the file (0600) and its folder (0700) where they are missing; raise ValueError where no file can be.

    Nothing here opens a file that exists: closing it again would drop the locks that SQLite holds on it for this
    process (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)
    if not path.is_file():
        raise ValueError(f"{path} is not a file")


def make_private(path: Path) -> None:
    """Keep everyone but the owner from a file that was there before, and from its journals."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).chmod(0o600)


def set_pragmas(connection: sqlite3.Connection, _record: object, *, synchronous: str = "NORMAL") -> None:
    """Let readers and one writer work side by side, and survive a crash of the process without a sync each write."""
    use_write_ahead_log(connection)
    connection.execute(f"PRAGMA synchronous = {synchronous}")


def use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the file to its write-ahead log, also while other processes do the same.

    The switch fails at once where it meets another, whatever the connection's time-out, hence the patience here.
    """
    give_up_at = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up_at:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return
