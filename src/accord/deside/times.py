"""Instants: milliseconds since the epoch (UTC) in the database, ISO 8601 with Z on the wire."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TypeAlias

__all__ = ["DAY_MS", "Clock", "iso", "ms_of"]

DAY_MS: Final = 24 * 60 * 60 * 1000

Clock: TypeAlias = Callable[[], float]
"""Tells the time in seconds since the epoch."""


def ms_of(clock: Clock) -> int:
    """Return the time now."""
    return int(clock() * 1000)


def iso(ms: int) -> str:
    """Return the instant as it is written on the wire: `2026-07-05T12:00:00.000Z`."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
