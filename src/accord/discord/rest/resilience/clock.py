"""Time as the layers know it, in seconds: the running event loop's, unless they are given another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

__all__ = ["Clock", "Sleep", "loop_time", "seconds_left"]

Clock: TypeAlias = Callable[[], float]
Sleep: TypeAlias = Callable[[float], Awaitable[object]]


def loop_time() -> float:
    """Return the running event loop's time, in which deadlines are given."""
    return asyncio.get_running_loop().time()


def seconds_left(deadline: float | None, clock: Clock) -> float | None:
    """Return the time until the deadline, None where there is none."""
    return None if deadline is None else deadline - clock()
