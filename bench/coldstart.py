"""From the start of a process to its answer to tools/list, beside the imports that it cannot avoid."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from bench.child import started
from bench.contenders import SERVER, SKELETON, serving, settings

IMPORTS = (sys.executable, "-c", "import mcp.server.lowlevel, aiohttp; print(flush=True)")


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Milliseconds; the best is what the machine can do, the median what to expect of it."""

    median_ms: float
    best_ms: float


async def answer_of(command: tuple[str, ...], root: str) -> float:
    """Return the seconds until a server has answered tools/list."""
    began = perf_counter()
    async with serving(command, root) as client:
        await client.greet()
        return perf_counter() - began


async def import_of(root: str) -> float:
    """Return the seconds until an interpreter has imported the parts."""
    began = perf_counter()
    async with started(IMPORTS, settings(root)) as child:
        await child.line()
        return perf_counter() - began


STARTS: Mapping[str, Callable[[str], Awaitable[float]]] = {
    "imports": import_of,
    "skeleton": lambda root: answer_of(SKELETON, root),
    "server": lambda root: answer_of(SERVER, root),
}


async def cold_starts(root: str, times: int) -> dict[str, ColdStart]:
    """Start each in turn, `times` times; the first round only warms the disk and is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(times + 1):
        for name, start in STARTS.items():
            seconds[name].append(await start(root))
    return {name: ColdStart(1000 * median(taken[1:]), 1000 * min(taken[1:])) for name, taken in seconds.items()}
