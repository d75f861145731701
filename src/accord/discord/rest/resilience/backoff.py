"""The waits of one request in milliseconds, one for each failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from math import floor, sqrt, tanh
from typing import Literal, TypeAlias

__all__ = ["WAITS", "Jitter", "Random"]

Random: TypeAlias = Callable[[], float]
Jitter: TypeAlias = Literal["none", "full", "decorrelated"]


def plain_waits(base_ms: int, longest_ms: int, _random: Random) -> Iterator[int]:
    """Double the wait each time."""
    return (min(longest_ms, base_ms * 2**n) for n in count())


def full_waits(base_ms: int, longest_ms: int, random: Random) -> Iterator[int]:
    """Take any part of the plain wait, so that clients that failed together do not come back together."""
    return (floor(random() * wait_ms) for wait_ms in plain_waits(base_ms, longest_ms, random))


def decorrelated_waits(base_ms: int, longest_ms: int, random: Random) -> Iterator[int]:
    """Spread the waits smoothly, by the formula of Polly v2's DecorrelatedJitterBackoffV2."""
    before = 0.0
    for n in count():
        at = n + random()
        after = 2**at * tanh(sqrt(4 * at))
        yield min(floor(max(0.0, after - before) / 1.4 * base_ms), longest_ms)
        before = after


WAITS: Mapping[Jitter, Callable[[int, int, Random], Iterator[int]]] = {
    "none": plain_waits,
    "full": full_waits,
    "decorrelated": decorrelated_waits,
}
