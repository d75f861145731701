"""Races for what others race for too: opens a state file, waits for the starting line, and prints what it won."""

from __future__ import annotations

import asyncio
import sys

from accord.engine.state import open_state


async def race(url: str, keys: int) -> None:
    state = open_state(url)
    print("ready", flush=True)  # noqa: T201 - how the test hears of it
    sys.stdin.readline()
    taken = [await state.take_once(f"key {number}") for number in range(keys)]
    counted = [await state.count_in_window("window", window_seconds=3600, limit=keys) for _ in range(keys)]
    print(sum(value is not None for value in taken), counted.count(0.0))  # noqa: T201 - the same
    await state.close()


if __name__ == "__main__":
    asyncio.run(race(sys.argv[1], int(sys.argv[2])))
