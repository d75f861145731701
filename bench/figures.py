"""Times of single calls become the few numbers that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Slice:
    """One stretch of a load on one contender, until the last of its calls was answered."""

    calls: int
    calls_per_second: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The medians of a contender's slices; `cpu_us` is its processor time a call, in microseconds."""

    calls_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def sliced(latencies: Sequence[float], seconds: float) -> Slice:
    """Sum up a slice from its calls' times and its own, in seconds."""
    ordered = sorted(latencies)
    return Slice(len(ordered), len(ordered) / seconds, 1000 * _quantile(ordered, 0.5), 1000 * _quantile(ordered, 0.99))


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def figures(measured: Sequence[tuple[Slice, float]]) -> Figures:
    """Return the medians over slices, each given with the processor seconds it took."""
    return Figures(
        calls_per_second=median(one.calls_per_second for one, _ in measured),
        p50_ms=median(one.p50_ms for one, _ in measured),
        p99_ms=median(one.p99_ms for one, _ in measured),
        cpu_us=median(1e6 * seconds / one.calls for one, seconds in measured),
    )
