"""Processes that race on one state; see racer.py and approval_racer.py."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson

__all__ = ["raced", "raced_for_approvals"]

RACER = Path(__file__).with_name("racer.py")
APPROVAL_RACER = Path(__file__).with_name("approval_racer.py")


async def raced(url: str, keys: int, racers: int) -> list[int]:
    """Return how many values and how many places in a window all racers won together."""
    return await _raced([str(RACER), url, str(keys)], b"go", racers)


async def raced_for_approvals(url: str, ids: Sequence[str], racers: int, key: str = "") -> list[int]:
    """Return how many approvals all racers used together, and how many they found used; a key seals them."""
    return await _raced([str(APPROVAL_RACER), url, key], orjson.dumps(ids), racers)


async def _raced(command: Sequence[str], start: bytes, racers: int) -> list[int]:
    """Run so many of them from one starting line, and return what they won together."""
    async with asyncio.timeout(50):
        running = [await _started(command) for _ in range(racers)]
        for racer in running:
            assert racer.stdout is not None
            assert await racer.stdout.readline() == b"ready\n"
        printed = [out for out, _ in await asyncio.gather(*(racer.communicate(start + b"\n") for racer in running))]
    return [sum(column) for column in zip(*(tuple(map(int, out.split())) for out in printed), strict=True)]


async def _started(command: Sequence[str]) -> asyncio.subprocess.Process:
    """Start one racer, which waits for its starting line."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
