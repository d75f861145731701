"""The database of a URL, with the service's tables in it."""

from __future__ import annotations

from accord.deside.store.schema import bring_up
from accord.engine import Database, open_database

__all__ = ["open_store"]


def open_store(url: str) -> Database:
    """Open `sqlite:///path`, `sqlite://` in memory or `postgresql://…`; blocks until the tables are up to date.

    Raises:
        ValueError: The database cannot be used, or a newer version of this program made its tables.
    """
    return open_database(url, bring_up)
