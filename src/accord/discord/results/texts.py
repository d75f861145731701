"""What people wrote, put together for reading."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["lines_of"]


def lines_of(texts: Iterable[str | None]) -> str:
    """Return the texts, each on a line of its own; those that are empty are left out."""
    return "\n".join(text for text in texts if text)
