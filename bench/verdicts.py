"""What must hold, whatever the machine."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from bench.gates import GateCosts
from bench.limits import Limited
from bench.loads import CHANNELS_GET, Contender
from bench.measuring import Cell, Measured

RunT = TypeVar("RunT")

Sign: TypeAlias = Literal["<=", ">=", "<"]

COMPARE: dict[Sign, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Rule(Generic[RunT]):
    """A number of a run and the limit it is held against."""

    about: str
    sign: Sign
    limit: float
    value: Callable[[RunT], float]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of a run."""

    about: str
    limit: str
    value: float
    holds: bool


def p50_beside(other: Contender, server: Contender = "server") -> Callable[[Measured], float]:
    """Compare the time of channels_get with one call in flight."""

    def ratio(run: Measured) -> float:
        cells = run.cells
        return cells[Cell(CHANNELS_GET.name, 1, server)].p50_ms / cells[Cell(CHANNELS_GET.name, 1, other)].p50_ms

    return ratio


def rate_beside(other: Contender, server: Contender = "server") -> Callable[[Measured], float]:
    """Compare the calls a second of channels_get with 64 in flight."""

    def ratio(run: Measured) -> float:
        own, beside = (run.cells[Cell(CHANNELS_GET.name, 64, name)] for name in (server, other))
        return own.calls_per_second / beside.calls_per_second

    return ratio


STUB_RULE: Rule[Measured] = Rule("the stand-in's own time a request, µs", "<=", 1e6 / 15_000, lambda run: run.stub_us)

STDIO_RULES: tuple[Rule[Measured], ...] = (
    Rule("channels_get p50, 1 in flight, beside bare aiohttp", "<=", 4.0, p50_beside("bare")),
    Rule("channels_get p50, 1 in flight, beside the skeleton", "<=", 0.65, p50_beside("skeleton")),
    Rule("channels_get calls/s, 64 in flight, beside bare aiohttp", ">=", 0.3, rate_beside("bare")),
    Rule("channels_get calls/s, 64 in flight, beside the skeleton", ">=", 1.8, rate_beside("skeleton")),
    Rule(
        "cold start to tools/list, beside the imports",
        "<=",
        1.25,
        lambda run: run.starts["server"].median_ms / run.starts["imports"].median_ms,
    ),
    Rule("resident memory after tools/list, MB", "<", 90, lambda run: run.listings["server"].resident_mb),
    STUB_RULE,
)

HTTP_RULES: tuple[Rule[Measured], ...] = (
    Rule("channels_get p50, 1 in flight, beside bare aiohttp", "<=", 5.0, p50_beside("bare")),
    Rule("channels_get p50, 1 in flight, beside the skeleton", "<=", 0.6, p50_beside("skeleton")),
    Rule("channels_get calls/s, 64 in flight, beside bare aiohttp", ">=", 0.25, rate_beside("bare")),
    Rule("in a session: p50 beside bare aiohttp", "<=", 5.0, p50_beside("bare", "server, session")),
    Rule("in a session: p50 beside the skeleton", "<=", 0.6, p50_beside("skeleton, session", "server, session")),
    Rule("in a session: calls/s beside bare aiohttp", ">=", 0.25, rate_beside("bare", "server, session")),
    STUB_RULE,
)

LIMITS_RULES: tuple[Rule[Limited], ...] = (
    Rule(
        "scenarios with more requests, 429s or seconds than they may have",
        "<=",
        0,
        lambda run: sum(not one.holds for one in run.outcomes.values()),
    ),
    Rule("limiter and resilience, processor µs a call", "<=", 60, lambda run: run.added_us["limiter and resilience"]),
)


GATES_RULES: tuple[Rule[GateCosts], ...] = (
    Rule("all gates and the record, added to a read, processor µs", "<=", 100, lambda run: run.costs["read"].added_us),
    Rule("the same of a read that is recorded", "<=", 100, lambda run: run.costs["read, recorded"].added_us),
    Rule("the same of an approved write", "<=", 160, lambda run: run.costs["approved write"].added_us),
)


def verdicts(run: RunT, rules: Iterable[Rule[RunT]]) -> list[Verdict]:
    """Hold a run against every rule."""
    return [_verdict(rule, rule.value(run)) for rule in rules]


def _verdict(rule: Rule[RunT], value: float) -> Verdict:
    holds = COMPARE[rule.sign](value, rule.limit)
    return Verdict(rule.about, f"{rule.sign} {rule.limit:.4g}", value, holds)
