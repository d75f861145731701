"""Databases for the states that need one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.postgres import databases

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[str]]:
    """The URLs of new PostgreSQL databases, one after another."""
    with databases(tmp_path_factory.mktemp("postgres")) as urls:
        yield urls
