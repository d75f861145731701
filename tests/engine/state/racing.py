"""Processes that race on one state; see racer.py."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

__all__ = ["raced", "started"]

RACER = Path(__file__).parent / "racer.py"


async def started(url: str, keys: int) -> asyncio.subprocess.Process:
    """Start one racer, which waits for its starting line."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(RACER),
        url,
        str(keys),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


async def raced(url: str, keys: int, racers: int) -> list[int]:
    """Return how many values and how many places in a window all racers won together."""
    async with asyncio.timeout(50):
        running = [await started(url, keys) for _ in range(racers)]
        for racer in running:
            assert racer.stdout is not None
            assert await racer.stdout.readline() == b"ready\n"
        printed = [out for out, _ in await asyncio.gather(*(racer.communicate(b"go\n") for racer in running))]
    return [sum(column) for column in zip(*(tuple(map(int, out.split())) for out in printed), strict=True)]
