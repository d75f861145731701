"""A lean MCP client over a child's pipes, which keeps requests in flight and times their answers."""

from __future__ import annotations

import asyncio
import re
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING

import orjson
from bench.figures import Slice, sliced
from bench.loads import TOOLS_LIST, Load

if TYPE_CHECKING:
    from bench.child import Child

PROTOCOL_VERSION = "2025-11-25"
"""The newest era with a handshake, which today's hosts speak."""

INITIALIZE = {
    "protocolVersion": PROTOCOL_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
HELLO = Load("initialize", "initialize", INITIALIZE, ())
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'

ANSWERED_ID = re.compile(rb'\{"jsonrpc":"2\.0","id":([0-9]+),')
TOOL_ERROR = b'"isError":true'
ERROR = b'"error":'


def request(number: int, tail: bytes) -> bytes:
    """Return a request's line."""
    return b'{"jsonrpc":"2.0","id":%d,%b' % (number, tail)


def answered(load: Load, line: bytes) -> int:
    """Return which request a line answers, without parsing all of it.

    Raises:
        ValueError: It is no answer, or it failed where it should not, or did not where it should.
    """
    found = ANSWERED_ID.match(line)
    if not found or (TOOL_ERROR in line) is not load.fails or line.startswith(ERROR, found.end()):
        raise ValueError(f"{load.name} was answered: {line[:400]!r}")
    return int(found[1])


class Stretch:
    """Keeps `in_flight` requests of a load open for some seconds, then waits for the rest."""

    def __init__(self, child: Child, load: Load, in_flight: int, seconds: float) -> None:
        self._child, self._load, self._tail = child, load, load.tail
        self._in_flight, self._seconds = in_flight, seconds
        self._numbers = count(1)
        self._open: dict[int, float] = {}
        self._latencies: list[float] = []
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> Slice:
        began = perf_counter()
        self._until = began + self._seconds
        self._ask(self._in_flight)
        await self._child.listen(self._hear, self._done)
        return sliced(self._latencies, perf_counter() - began)

    def _ask(self, many: int) -> None:
        numbers = [next(self._numbers) for _ in range(many)]
        self._open |= dict.fromkeys(numbers, perf_counter())
        self._child.write(b"".join([request(number, self._tail) for number in numbers]))

    def _hear(self, lines: list[bytes]) -> None:
        now = perf_counter()
        try:
            for line in lines:
                self._latencies.append(now - self._open.pop(answered(self._load, line)))
        except (ValueError, KeyError) as error:
            self._done.set_exception(error)
            return
        self._go_on(len(lines), now)

    def _go_on(self, answered: int, now: float) -> None:
        if now < self._until:
            self._ask(answered)
        elif not self._open:
            self._done.set_result(None)


class McpClient:
    """An MCP server as the bench uses it."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self.pid = child.pid

    async def greet(self) -> bytes:
        """Shake hands and return the answer to tools/list, which is when a host can begin to work."""
        await self.answer(HELLO)
        self._child.write(INITIALIZED)
        return await self.answer(TOOLS_LIST)

    async def answer(self, load: Load) -> bytes:
        """Ask once and return the answer's line."""
        line = await self._child.line(request(0, load.tail))
        answered(load, line)
        return line

    async def run(self, load: Load, in_flight: int, seconds: float) -> Slice:
        """Keep requests in flight for some seconds."""
        return await Stretch(self._child, load, in_flight, seconds).run()


def tools_in(line: bytes) -> int:
    """Return how many tools an answer to tools/list names."""
    return len(orjson.loads(line)["result"]["tools"])
