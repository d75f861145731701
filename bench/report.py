"""A run as Markdown, which also reads well in a terminal, and as one line of JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from bench.verdicts import verdicts

if TYPE_CHECKING:
    from bench.measuring import Measured

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


def as_json(run: Measured, where: Setting) -> bytes:
    """Return the whole run as one line."""
    whole: Json = {
        **asdict(where),
        "cells": [asdict(cell) | asdict(found) for cell, found in run.cells.items()],
        "starts": run.starts,
        "listings": run.listings,
        "loaded_mb": run.loaded_mb,
        "stub_us": run.stub_us,
        "verdicts": verdicts(run),
    }
    return orjson.dumps(whole, option=orjson.OPT_APPEND_NEWLINE)


def as_markdown(run: Measured, where: Setting) -> str:
    """Return the run's tables under its date."""
    versions = ", ".join(f"{name} {number}" for name, number in where.versions.items())
    head = (
        f"## {where.date}\n\nPython {where.python}, {where.cpus} CPUs (load {where.load_average} before), {versions}."
    )
    return "\n\n".join([head, _cells(run), _starts(run), _sizes(run), _verdicts(run)]) + "\n"


def _cells(run: Measured) -> str:
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


def _starts(run: Measured) -> str:
    rows = ([name, f"{start.median_ms:.0f}", f"{start.best_ms:.0f}"] for name, start in run.starts.items())
    return table(("cold start", "median ms", "best ms"), rows)


def _sizes(run: Measured) -> str:
    rows = (
        [name, listing.tools, f"{listing.size_bytes:,}", f"{listing.resident_mb:.1f}", f"{run.loaded_mb[name]:.1f}"]
        for name, listing in run.listings.items()
    )
    return table(("contender", "tools", "tools/list bytes", "RSS MB after it", "RSS MB after load"), rows)


def _verdicts(run: Measured) -> str:
    rows = ([one.about, one.limit, f"{one.value:.2f}", "yes" if one.holds else "NO"] for one in verdicts(run))
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
