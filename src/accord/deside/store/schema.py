"""The version of the tables, and how a database is brought up to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import sqlalchemy as sa

from accord.deside.store import tables as _tables  # noqa: F401 - fills the metadata
from accord.deside.store.metadata import METADATA
from accord.deside.store.transactions import catch_up

__all__ = ["SCHEMA_VERSION", "bring_up", "version_of"]

Step: TypeAlias = Callable[[sa.Connection], None]

STEPS: Sequence[Step] = ()
"""What brings version n+1 to version n+2; a new database is made whole."""

SCHEMA_VERSION = 1 + len(STEPS)

SCHEMA = sa.Table("deside_schema", METADATA, sa.Column("version", sa.Integer, primary_key=True))


def version_of(connection: sa.Connection) -> int | None:
    """Return the version of the tables, None where there are none."""
    if not sa.inspect(connection).has_table(SCHEMA.name):
        return None
    return connection.scalar(sa.select(SCHEMA.c.version))


def bring_up(connection: sa.Connection) -> None:
    """Make the tables of a new database, or bring older ones up to this version, within one transaction.

    Raises:
        ValueError: A newer version of this program made them.
    """
    found = version_of(connection)
    if found is not None and found > SCHEMA_VERSION:
        raise ValueError(f"it has schema version {found}, and this program knows versions up to {SCHEMA_VERSION}")
    if found != SCHEMA_VERSION:
        _change(connection, found)
    catch_up(connection)


def _change(connection: sa.Connection, found: int | None) -> None:
    if found is None:
        METADATA.create_all(connection)
    else:
        for step in STEPS[found - 1 :]:
            step(connection)
    connection.execute(sa.delete(SCHEMA))
    connection.execute(sa.insert(SCHEMA).values(version=SCHEMA_VERSION))
