"""A run as Markdown, which also reads well in a terminal, and as one line of JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from bench.gates import GateCosts
from bench.limits import Limited

if TYPE_CHECKING:
    from bench.measuring import Measured
    from bench.parts import Result
    from bench.verdicts import Verdict

Json: TypeAlias = Any

PACKAGES = ("accord-mcp", "mcp", "aiohttp", "orjson", "pydantic")


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and when a run was made, as far as its numbers depend on it."""

    date: str
    python: str
    cpus: int
    load_average: float
    versions: dict[str, str]


def setting() -> Setting:
    """Return this machine's."""
    return Setting(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        python=platform.python_version(),
        cpus=os.cpu_count() or 1,
        load_average=round(os.getloadavg()[0], 2),
        versions={name: version(name) for name in PACKAGES},
    )


def as_json(results: Mapping[str, Result], where: Setting) -> bytes:
    """Return the whole run as one line."""
    parts = {name: _facts(result.facts) | {"verdicts": result.verdicts} for name, result in results.items()}
    return orjson.dumps(asdict(where) | parts, option=orjson.OPT_APPEND_NEWLINE)


def _facts(run: Measured | Limited | GateCosts) -> Json:
    """Return a part's facts; cells, which are keys there, become rows."""
    if isinstance(run, Limited | GateCosts):
        return asdict(run)
    rest = {name: getattr(run, name) for name in ("loaded_mb", "stub_us", "starts", "listings")}
    return rest | {"cells": [asdict(cell) | asdict(found) for cell, found in run.cells.items()]}


def headline(where: Setting) -> str:
    """Return what stands above a run."""
    versions = ", ".join(f"{name} {number}" for name, number in where.versions.items())
    return (
        f"## {where.date}\n\nPython {where.python}, {where.cpus} CPUs (load {where.load_average} before), {versions}.\n"
    )


def as_markdown(result: Result) -> str:
    """Return a part's tables under its title."""
    parts = (f"### {result.title}", result.note, *result.tables, _verdicts(result.verdicts))
    return "\n\n".join(parts) + "\n"


def cells_table(run: Measured) -> str:
    rows = (
        [
            cell.load,
            cell.in_flight,
            cell.contender,
            f"{found.p50_ms:.3f}",
            f"{found.p99_ms:.3f}",
            f"{found.calls_per_second:,.0f}",
            f"{found.cpu_us:.0f}",
        ]
        for cell, found in run.cells.items()
    )
    return table(("load", "in flight", "contender", "p50 ms", "p99 ms", "calls/s", "CPU µs a call"), rows)


def starts_table(run: Measured) -> str:
    rows = ([name, f"{start.median_ms:.0f}", f"{start.best_ms:.0f}"] for name, start in run.starts.items())
    return table(("cold start", "median ms", "best ms"), rows)


def sizes_table(run: Measured) -> str:
    rows = (
        [name, listing.tools, f"{listing.size_bytes:,}", f"{listing.resident_mb:.1f}", f"{run.loaded_mb[name]:.1f}"]
        for name, listing in run.listings.items()
    )
    return table(("contender", "tools", "tools/list bytes", "RSS MB after it", "RSS MB after load"), rows)


def limits_tables(run: Limited) -> tuple[str, ...]:
    played = (
        [name, one.requests, one.refusals, f"{one.seconds:.2f}", f"{one.ideal:.2f}", "yes" if one.holds else "NO"]
        for name, one in run.outcomes.items()
    )
    added = ([name, f"{cost:.1f}"] for name, cost in run.added_us.items())
    return (
        table(("scenario", "requests", "429s", "seconds", "ideal", "holds"), played),
        table(("added to a call by", "CPU µs"), added),
    )


def gates_table(run: GateCosts) -> str:
    rows = (
        [name, f"{one.bare_us:.0f}", f"{one.gated_us:.0f}", f"{one.added_us:.0f}", f"{one.gated_us / one.bare_us:.2f}"]
        for name, one in run.costs.items()
    )
    return table(("call", "no gates, CPU µs", "all gates, CPU µs", "added µs", "ratio"), rows)


def _verdicts(found: Iterable[Verdict]) -> str:
    rows = ([one.about, one.limit, f"{one.value:.2f}", "yes" if one.holds else "NO"] for one in found)
    return table(("must hold", "limit", "found", "holds"), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table with its columns aligned."""
    cells = [list(head), *([str(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = list(_lines(cells, widths))
    rule = "|".join("-" * (width + 2) for width in widths)
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _lines(cells: Iterable[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for row in cells:
        yield "| " + " | ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)) + " |"
