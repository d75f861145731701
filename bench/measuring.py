"""One run: everything started once, and all loads on all contenders in turn, slice by slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import product

from bench.coldstart import ColdStart, cold_starts
from bench.contenders import SERVER, SKELETON, Runner, bare, serving, stand_in
from bench.figures import Figures, Slice, figures
from bench.loads import IN_FLIGHT, LOADS, Contender, Load
from bench.process import cpu_seconds, resident_mb
from bench.stdio import McpClient, tools_in


@dataclass(frozen=True, slots=True)
class Plan:
    """How long a run takes: `rounds` of slices over all cells, and `starts` cold starts of each."""

    rounds: int
    slice_seconds: float
    starts: int


FULL = Plan(rounds=9, slice_seconds=0.3, starts=9)
QUICK = Plan(rounds=3, slice_seconds=0.1, starts=2)


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What one number of the table is about."""

    load: str
    in_flight: int
    contender: Contender


@dataclass(frozen=True, slots=True)
class Listing:
    """What a contender's tools/list costs a host: bytes on the wire, and resident memory once it has been answered."""

    tools: int
    size_bytes: int
    resident_mb: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that a run finds out."""

    cells: Mapping[Cell, Figures]
    starts: Mapping[str, ColdStart]
    listings: Mapping[Contender, Listing]
    loaded_mb: Mapping[Contender, float]
    stub_us: float


async def measure(plan: Plan) -> Measured:
    """Run the plan; every process that it starts ends with it."""
    async with AsyncExitStack() as stack:
        stub, root = await stack.enter_async_context(stand_in())
        starts = await cold_starts(root, plan.starts)
        clients: dict[Contender, McpClient] = {
            "skeleton": await stack.enter_async_context(serving(SKELETON, root)),
            "server": await stack.enter_async_context(serving(SERVER, root)),
        }
        listings = {name: await listing_of(client) for name, client in clients.items()}
        await answer_each(clients)
        runners: dict[Contender, Runner] = {"bare": await stack.enter_async_context(bare(root)), **clients}
        cells, stub_us = await in_turn(plan, runners, stub.pid)
        loaded = {name: resident_mb(runner.pid) for name, runner in runners.items()}
    return Measured(cells, starts, listings, loaded, stub_us)


async def listing_of(client: McpClient) -> Listing:
    """Shake hands and weigh the answer to tools/list."""
    line = await client.greet()
    return Listing(tools_in(line), len(line), resident_mb(client.pid))


async def answer_each(clients: Mapping[Contender, McpClient]) -> None:
    """Ask each load once: what a first call builds is built, and a wrong answer is seen before any number."""
    for load, name in product(LOADS, clients):
        if name in load.contenders:
            await clients[name].answer(load)


def cells_of_a_round() -> Iterator[tuple[Load, int, Contender]]:
    """Yield the cells so that contenders of one comparison follow each other."""
    for load, in_flight in product(LOADS, IN_FLIGHT):
        for contender in load.contenders:
            yield load, in_flight, contender


async def in_turn(plan: Plan, runners: Mapping[Contender, Runner], stub_pid: int) -> tuple[dict[Cell, Figures], float]:
    """Return each cell's figures, and the stand-in's processor time a request in microseconds."""
    taken: dict[Cell, list[tuple[Slice, float]]] = defaultdict(list)
    stub_before, fetched = cpu_seconds(stub_pid), 0
    for _ in range(plan.rounds):
        for load, in_flight, contender in cells_of_a_round():
            measured = await slice_of(runners[contender], load, in_flight, plan.slice_seconds)
            taken[Cell(load.name, in_flight, contender)].append(measured)
            fetched += measured[0].calls if load.path else 0
    stub_us = 1e6 * (cpu_seconds(stub_pid) - stub_before) / fetched
    return {cell: figures(slices) for cell, slices in taken.items()}, stub_us


async def slice_of(runner: Runner, load: Load, in_flight: int, seconds: float) -> tuple[Slice, float]:
    """Return a slice and the processor seconds that its process spent on it."""
    before = cpu_seconds(runner.pid)
    done = await runner.run(load, in_flight, seconds)
    return done, cpu_seconds(runner.pid) - before
