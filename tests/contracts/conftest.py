"""The registered tools, and how snapshots are taken: UPDATE_SNAPSHOTS=1 writes them anew instead of comparing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from accord.discord.app import own_tools
from accord.engine import entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.engine import Tool

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture(scope="session")
def tools() -> dict[str, Tool]:
    """Every tool by its name."""
    return own_tools()


@pytest.fixture(scope="session")
def entries(tools: dict[str, Tool]) -> dict[str, dict[str, Any]]:
    """What tools/list says of every tool."""
    return {name: entry(tool) for name, tool in tools.items()}


@pytest.fixture
def snapshot() -> Callable[[str, Any], Any]:
    """Return what was written of a tool the last time, after writing it anew where that is asked for."""

    def taken(name: str, now: Any) -> Any:
        file = SNAPSHOTS / f"{name}.json"
        if os.environ.get("UPDATE_SNAPSHOTS") == "1":
            file.write_bytes(orjson.dumps(now, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return orjson.loads(file.read_bytes())

    return taken
