"""What the gates and the record in a file add to a call, in processor time, where nothing has to be asked of Discord.

Each call is made in this process, once through all gates and once through none, on a client whose answers are prepared.
"""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import orjson
from bench.loads import BOT_ID, CHANNEL_ID
from bench.stub import CHANNEL, message

from accord.discord.app import BuildServerResult, build_rest, build_server, own_tools
from accord.discord.config import load_config
from accord.discord.rest.client import Discord
from accord.discord.rest.exchange import Answer, HttpRequest
from accord.engine import Caller, Calls, InputRequired, Reply

Json: TypeAlias = Any
Timed: TypeAlias = Callable[[], Awaitable[float]]

CALLS_A_ROUND = 200
WARMING_CALLS = 50

READ = ("channels_get", {"channel_id": CHANNEL_ID})
LAYOUT = [{"type": 10, "content": "## The release is planned for Thursday"}, {"type": 14}]
WRITE = ("components_v2_send", {"channel_id": CHANNEL_ID, "components": LAYOUT})

ANSWERS: Mapping[str, Json] = {"GET": CHANNEL, "POST": message(1)}


@dataclass(frozen=True, slots=True)
class Gated:
    """Processor time of one call in microseconds, as medians of rounds that took turns."""

    bare_us: float
    gated_us: float

    @property
    def added_us(self) -> float:
        """What all gates together cost."""
        return self.gated_us - self.bare_us


@dataclass(frozen=True, slots=True)
class GateCosts:
    """What gates cost, by the kind of call."""

    costs: Mapping[str, Gated]


async def measure_gates(rounds: int) -> GateCosts:
    """Measure a read, a read that is recorded, and a write that uses an approval up."""
    logging.getLogger("accord").setLevel(logging.ERROR)
    measured = {}
    async with served() as plain, served(MCP_AUDIT_READS="true") as recording:
        for name, built, call in (
            ("read", plain, READ),
            ("read, recorded", recording, READ),
            ("approved write", plain, WRITE),
        ):
            measured[name] = await gated(built, *call, rounds=rounds)
    return GateCosts(measured)


async def gated(built: BuildServerResult, tool: str, arguments: Json, *, rounds: int) -> Gated:
    """Let calls with and without gates take turns, round by round."""
    ways = (without_gates(tool, arguments), through_gates(built, tool, arguments))
    for way in ways:
        await spent(way, WARMING_CALLS)
    gc.collect()
    gc.freeze()  # as a server does when it has started
    taken = [[await spent(way, CALLS_A_ROUND) for way in ways] for _ in range(rounds)]
    bare, whole = (median(column) for column in zip(*taken, strict=True))
    return Gated(1e6 * bare, 1e6 * whole)


async def spent(way: Timed, calls: int) -> float:
    """Return the seconds of one call, of those that are to be counted."""
    return sum([await way() for _ in range(calls)]) / calls


def without_gates(tool: str, arguments: Json) -> Timed:
    """Make calls with arguments that were checked before, behind no gate."""
    known = own_tools()
    rest = answering(MCP_AUDIT_SINK="none")
    calls = Calls(known, (), lambda _caller, deadline: rest.until(deadline), voice=unexpected)
    checked = known[tool].shape.check(arguments, {})

    async def once() -> float:
        return await timed(calls, Caller(id="bench", transport="memory"), tool, checked)

    return once


def through_gates(built: BuildServerResult, tool: str, arguments: Json) -> Timed:
    """Make calls as a server does; what has to be approved is, and only the call that uses the approval counts."""
    callers = somebody_new()

    async def once() -> float:
        caller = next(callers)
        return await timed(built.calls, caller, tool, await approved(built.calls, caller, tool, arguments))

    return once


def somebody_new() -> Iterator[Caller]:
    """Yield callers of whom nobody has approvals pending."""
    everything = frozenset({"read", "write"})
    return (Caller(id=f"bench {number}", transport="memory", scopes=everything) for number in count())


async def approved(calls: Calls, caller: Caller, tool: str, arguments: Json) -> Json:
    """Return the arguments with the approval that they need, if they need one."""
    if tool == READ[0]:
        return arguments
    shown = reply_of(await calls.enter(caller, tool, arguments)).structured or {}
    keys = {"__confirm_hash": shown["payload_hash"], "__confirm_id": shown["approval_id"]}
    return {**arguments, "__confirm": True, **keys}


async def timed(calls: Calls, caller: Caller, tool: str, arguments: Json) -> float:
    """Return the processor seconds of one call that succeeds."""
    begun = time.process_time()
    outcome = await calls.enter(caller, tool, arguments)
    seconds = time.process_time() - begun
    if reply_of(outcome).is_error:
        raise ValueError(f"{tool} failed: {reply_of(outcome).text}")
    return seconds


def reply_of(outcome: Reply | InputRequired) -> Reply:
    if not isinstance(outcome, Reply):
        raise TypeError("nobody is there to be asked")
    return outcome


@asynccontextmanager
async def served(**more: str) -> AsyncIterator[BuildServerResult]:
    """Build a server that records to a file in a folder of its own and asks Discord nothing."""
    with TemporaryDirectory() as folder:
        variables = {"MCP_DRY_RUN": "false", "MCP_AUDIT_SINK": "file", "MCP_AUDIT_FILE": str(Path(folder, "audit"))}
        config = load_config(variables | more)
        built = build_server(rest=answering(**variables), config=config, transport="memory")
        yield built
        await built.audit_sink.close()
        await built.state.close()


def answering(**variables: str) -> Discord:
    """Return a client that makes every request and sends none."""
    rest = build_rest(load_config({"DISCORD_TOKEN": "x" * 60, **variables}))
    bodies = {method: orjson.dumps(body | {"author": {"id": BOT_ID}}) for method, body in ANSWERS.items()}

    async def answer(request: HttpRequest) -> Answer:
        return Answer(200, {}, bodies[request.method])

    rest._send = answer  # noqa: SLF001 - in place of everything that is not a gate
    return rest


def unexpected(error: Exception, tool: str) -> Reply:
    """End the run: here nothing fails."""
    raise ValueError(f"{tool} failed: {error}")
