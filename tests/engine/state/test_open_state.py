"""How a URL becomes a state."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from accord.engine.state import MemoryState, open_state
from accord.engine.state.sql import SqlState

if TYPE_CHECKING:
    from pathlib import Path


async def test_no_url_is_memory() -> None:
    assert isinstance(open_state(None), MemoryState)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///{folder}/state.db"])
async def test_a_sqlite_url_is_a_database(url: str, tmp_path: Path) -> None:
    state = open_state(url.format(folder=tmp_path))

    assert isinstance(state, SqlState)
    await state.put("key", b"value")
    assert await state.get("key") == b"value"
    await state.close()


@pytest.mark.parametrize(
    "url", ["", "state.db", "sqlite", "sqlite:state.db", "sqlite:///", "sqlite://state.db", "sqlite:///a.db?mode=ro"]
)
def test_a_url_that_names_no_database_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="sqlite:///path"):
        open_state(url)


def test_a_refused_url_does_not_show_its_password() -> None:
    with pytest.raises(ValueError, match="not mysql://") as refused:
        open_state("mysql://someone:hunter2@127.0.0.1/accord")

    assert "hunter2" not in str(refused.value)


def test_a_database_that_cannot_be_reached_is_refused_without_its_password() -> None:
    with pytest.raises(ValueError, match="the PostgreSQL database cannot hold state") as refused:
        open_state("postgresql://someone:hunter2@127.0.0.1:1/accord")

    assert "hunter2" not in str(refused.value)


def test_memory_does_not_import_a_database() -> None:
    program = "import sys, accord.engine.state as s; s.open_state(None); print('sqlalchemy' in sys.modules)"

    ran = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )

    assert ran.stdout.strip() == "False"
