"""Many clients that come, call and go, and what is left of them in memory."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest
from tests.engine.serving.http.running import Running, running

CYCLES = 2000
WARM_UP = 300
MOST_GROWTH_BYTES = 8 * 1024 * 1024


def resident_bytes() -> int:
    """Return what this process holds in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


async def cycle(server: Running, *, closes: bool) -> None:
    """Be one client."""
    session = await server.greet()
    answer = await server.call("echo", {"text": "hi"}, mcp_session_id=session)
    assert answer.status == 200
    if closes:
        await server.send("DELETE", mcp_session_id=session)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_memory_does_not_grow_with_the_clients_that_came_and_went() -> None:
    async with running() as server:
        for _ in range(WARM_UP):
            await cycle(server, closes=True)
        gc.collect()
        before = resident_bytes()
        for _ in range(CYCLES):
            await cycle(server, closes=True)
        gc.collect()
        grown = resident_bytes() - before

    assert grown < MOST_GROWTH_BYTES


async def test_clients_that_leave_without_a_word_are_forgotten_when_their_sessions_are_idle() -> None:
    async with running(idle_seconds=0.0) as server:
        for _ in range(50):
            await server.greet()

    assert len(server.app._door._live) <= 1
