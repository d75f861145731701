"""What tools/list says of each tool, as it was reviewed. `UPDATE_SNAPSHOTS=1 pytest tests/contracts` writes it anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from accord.discord.app import own_tools

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("name", own_tools())
def test_a_tool_is_listed_as_its_snapshot_says(
    name: str, entries: dict[str, dict[str, Any]], snapshot: Callable[[str, Any], Any]
) -> None:
    assert entries[name] == snapshot(name, entries[name])


def test_every_snapshot_is_of_a_tool() -> None:
    taken = {file.stem for file in (Path(__file__).parent / "snapshots").glob("*.json")}

    assert taken == set(own_tools())
