"""One run: everything started once, and all loads on all contenders in turn, slice by slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Container, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import product
from math import inf

from bench.coldstart import ColdStart, cold_starts
from bench.contenders import (
    SERVER,
    SKELETON,
    Runner,
    bare,
    listening_server,
    listening_skeleton,
    serving,
    stand_in,
)
from bench.figures import Figures, Slice, figures
from bench.loads import IN_FLIGHT, LOADS, Contender, Load
from bench.process import cpu_seconds, resident_mb
from bench.stdio import McpClient, tools_in
from bench.streamable import HttpClient, Place, alone, connected, greeted


@dataclass(frozen=True, slots=True)
class Plan:
    """How long a run takes: rounds of slices over all cells, and `starts` cold starts of each."""

    stdio_rounds: int
    http_rounds: int
    slice_seconds: float
    starts: int
    longest_scenario: float
    """Of the rate limits' scenarios, in seconds at best."""
    gate_rounds: int


FULL = Plan(stdio_rounds=9, http_rounds=7, slice_seconds=0.3, starts=9, longest_scenario=inf, gate_rounds=25)
QUICK = Plan(stdio_rounds=3, http_rounds=2, slice_seconds=0.1, starts=2, longest_scenario=1.0, gate_rounds=7)


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
    """Everything that a run over one transport finds out; starts and listings are those of stdio."""

    cells: Mapping[Cell, Figures]
    loaded_mb: Mapping[Contender, float]
    stub_us: float
    starts: Mapping[str, ColdStart] = field(default_factory=dict)
    listings: Mapping[Contender, Listing] = field(default_factory=dict)


async def measure_stdio(plan: Plan) -> Measured:
    """Run the plan over pipes; every process that it starts ends with it."""
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
        cells, stub_us = await in_turn(plan.stdio_rounds, plan.slice_seconds, runners, stub.pid)
        return Measured(cells, loaded_of(runners), stub_us, starts, listings)


async def measure_http(plan: Plan) -> Measured:
    """Run the plan over HTTP, each server in both eras of the protocol."""
    async with AsyncExitStack() as stack:
        stub, root = await stack.enter_async_context(stand_in())
        skeleton = await stack.enter_async_context(listening_skeleton(root))
        server = await stack.enter_async_context(listening_server(root))
        clients: dict[Contender, HttpClient] = {
            "skeleton": await stack.enter_async_context(modern(skeleton)),
            "server": await stack.enter_async_context(modern(server)),
            "skeleton, session": await stack.enter_async_context(in_a_session(skeleton)),
            "server, session": await stack.enter_async_context(in_a_session(server)),
        }
        await answer_each(clients)
        runners: dict[Contender, Runner] = {"bare": await stack.enter_async_context(bare(root)), **clients}
        cells, stub_us = await in_turn(plan.http_rounds, plan.slice_seconds, runners, stub.pid)
        return Measured(cells, loaded_of(runners), stub_us)


@asynccontextmanager
async def modern(place: Place) -> AsyncIterator[HttpClient]:
    """Connect a client that needs no session."""
    async with connected(place) as connections:
        yield HttpClient(place, connections, alone)


@asynccontextmanager
async def in_a_session(place: Place) -> AsyncIterator[HttpClient]:
    """Connect a client that shakes hands, with one session for all its connections."""
    async with connected(place) as connections:
        yield HttpClient(place, connections, await greeted(connections[0], place))


async def listing_of(client: McpClient) -> Listing:
    """Shake hands and weigh the answer to tools/list."""
    line = await client.greet()
    return Listing(tools_in(line), len(line), resident_mb(client.pid))


async def answer_each(clients: Mapping[Contender, McpClient] | Mapping[Contender, HttpClient]) -> None:
    """Ask each load once: what a first call builds is built, and a wrong answer is seen before any number."""
    for load, name in product(LOADS, clients):
        if name in load.contenders:
            await clients[name].answer(load)


def loaded_of(runners: Mapping[Contender, Runner]) -> dict[Contender, float]:
    """Return what memory their processes have by now; two clients of one server name it twice."""
    return {name: resident_mb(runner.pid) for name, runner in runners.items()}


def cells_of_a_round(among: Container[Contender]) -> Iterator[tuple[Load, int, Contender]]:
    """Yield the cells so that contenders of one comparison follow each other."""
    for load, in_flight in product(LOADS, IN_FLIGHT):
        for contender in load.contenders:
            if contender in among:
                yield load, in_flight, contender


async def in_turn(
    rounds: int, slice_seconds: float, runners: Mapping[Contender, Runner], stub_pid: int
) -> tuple[dict[Cell, Figures], float]:
    """Return each cell's figures, and the stand-in's processor time a request in microseconds."""
    taken: dict[Cell, list[tuple[Slice, float]]] = defaultdict(list)
    stub_before, fetched = cpu_seconds(stub_pid), 0
    for _ in range(rounds):
        for load, in_flight, contender in cells_of_a_round(runners):
            measured = await slice_of(runners[contender], load, in_flight, slice_seconds)
            taken[Cell(load.name, in_flight, contender)].append(measured)
            fetched += measured[0].calls if load.path else 0
    stub_us = 1e6 * (cpu_seconds(stub_pid) - stub_before) / fetched
    return {cell: figures(slices) for cell, slices in taken.items()}, stub_us


async def slice_of(runner: Runner, load: Load, in_flight: int, seconds: float) -> tuple[Slice, float]:
    """Return a slice and the processor seconds that its process spent on it."""
    before = cpu_seconds(runner.pid)
    done = await runner.run(load, in_flight, seconds)
    return done, cpu_seconds(runner.pid) - before
