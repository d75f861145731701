"""The server is killed at any moment of a mixed load, again and again: nothing that it acknowledged is lost.

20 kills, or as many as the environment says, as `make crash` does: `ACCORD_CRASH_KILLS=200`. The moments come from
`ACCORD_CRASH_SEED`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.deside.crash.load import crashes

KILLS = int(os.environ.get("ACCORD_CRASH_KILLS", "20"))
SEED = int(os.environ.get("ACCORD_CRASH_SEED", "20261130"))
KILLS_ON_POSTGRESQL = max(2, KILLS // 10)
SECONDS_A_KILL = 20

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forks of one that is loaded"),
    pytest.mark.timeout(120 + SECONDS_A_KILL * KILLS),
]


async def test_a_server_on_a_file_loses_nothing_however_often_it_is_killed(tmp_path: Path) -> None:
    await survive(f"sqlite:///{tmp_path / 'deside.db'}", KILLS)


async def test_a_server_on_postgresql_loses_nothing_when_it_is_killed(postgres: Iterator[str]) -> None:
    await survive(next(postgres), KILLS_ON_POSTGRESQL)


async def survive(database_url: str, kills: int) -> None:
    """Kill it so often; what is printed is seen where the test fails, or with `-s`."""
    sys.stderr.write(f"seed {SEED}, {kills} kills\n")
    begun = time.monotonic()
    async with crashes(database_url, SEED) as story:
        for number in range(kills):
            await story.round()
            assert not story.faults, told(number, story.faults)
        await story.end()
        assert not story.faults, told(kills, story.faults)
    counted = ", ".join(f"{count} {name}" for name, count in story.done.most_common())
    sys.stderr.write(f"answered: {counted}; {time.monotonic() - begun:.1f} s\n")


def told(number: int, faults: list[str]) -> str:
    return "\n".join([f"seed {SEED}, after kill {number + 1}:", *faults])
