"""The version of the tables."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from accord.deside.store import SCHEMA_VERSION, bring_up, open_store
from accord.deside.store.schema import SCHEMA, version_of
from accord.engine import Database


async def test_a_new_database_has_the_newest_version(store: Database) -> None:
    assert await store.read(version_of) == SCHEMA_VERSION


async def test_bringing_up_what_is_up_to_date_changes_nothing(store: Database) -> None:
    await store.write(bring_up)

    assert await store.read(version_of) == SCHEMA_VERSION


async def test_a_database_of_a_newer_version_is_refused(store: Database, database_url: str) -> None:
    await store.write(lambda connection: connection.execute(sa.update(SCHEMA).values(version=SCHEMA_VERSION + 1)))

    with pytest.raises(ValueError, match=f"has schema version {SCHEMA_VERSION + 1}"):
        open_store(database_url)
