"""The parts of a run: how each is measured, what must hold of it, and how it is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic

from bench.contenders import HTTP_IN_FLIGHT
from bench.gates import measure_gates
from bench.limits import measure_limits
from bench.measuring import Plan, measure_http, measure_stdio
from bench.report import cells_table, gates_table, limits_tables, sizes_table, starts_table
from bench.verdicts import GATES_RULES, HTTP_RULES, LIMITS_RULES, STDIO_RULES, Rule, RunT, Verdict, verdicts


@dataclass(frozen=True, slots=True)
class Part(Generic[RunT]):
    """One part; `note` is said above its tables."""

    title: str
    note: str
    measure: Callable[[Plan], Awaitable[RunT]]
    tables: Callable[[RunT], tuple[str, ...]]
    rules: tuple[Rule[RunT], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A part that was run."""

    title: str
    note: str
    facts: Any
    tables: tuple[str, ...]
    verdicts: list[Verdict]


async def result_of(part: Part[RunT], plan: Plan) -> Result:
    """Run a part."""
    run = await part.measure(plan)
    return Result(part.title, part.note, run, part.tables(run), verdicts(run, part.rules))


PARTS: dict[str, Part[Any]] = {
    "stdio": Part(
        "Over stdio",
        "One agent's pipe; a request in flight is one that was written and not answered yet.",
        measure_stdio,
        lambda run: (cells_table(run), starts_table(run), sizes_table(run)),
        STDIO_RULES,
    ),
    "http": Part(
        "Over Streamable HTTP",
        f"One connection for each request in flight. MCP_HTTP_MAX_IN_FLIGHT={HTTP_IN_FLIGHT}: of 64 requests the usual "
        "16 would refuse most, with 503. In a session they are of the 2025 era, else of that of 2026.",
        measure_http,
        lambda run: (cells_table(run),),
        HTTP_RULES,
    ),
    "limits": Part(
        "Discord's rate limits",
        "The ideal counts windows alone, no round trips.",
        lambda plan: measure_limits(plan.longest_scenario),
        limits_tables,
        LIMITS_RULES,
    ),
    "gates": Part(
        "The gates",
        "All gates and the record in a file, where nothing has to be asked; no gates: the same call with checked "
        "arguments. In one process, nothing is sent.",
        lambda plan: measure_gates(plan.gate_rounds),
        lambda run: (gates_table(run),),
        GATES_RULES,
    ),
}
