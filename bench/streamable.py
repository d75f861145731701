"""A lean MCP client over keep-alive connections, one request at a time on each, which times their answers."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from time import perf_counter
from typing import NamedTuple, TypeAlias

from bench.child import ANSWER_SECONDS
from bench.figures import Slice, sliced
from bench.loads import IN_FLIGHT, Load
from bench.stdio import HELLO, INITIALIZED, PROTOCOL_VERSION, answered, request

MODERN_VERSION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

HEAD_ENDS = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
SESSION = re.compile(rb"\r\nmcp-session-id: *([^\r]+)", re.IGNORECASE)


class Answer(NamedTuple):
    """What came back, undecoded."""

    head: bytes
    body: bytes


class Spoken(NamedTuple):
    """What an era of the protocol makes of a load: headers, and the request's line behind its id."""

    headers: Mapping[str, str]
    tail: bytes


Speech: TypeAlias = Callable[[Load], Spoken]


def alone(load: Load) -> Spoken:
    """Speak as clients of the 2026 era: each request says everything itself."""
    named = {"mcp-name": load.params["name"]} if "name" in load.params else {}
    headers = {"mcp-protocol-version": MODERN_VERSION, "mcp-method": load.method, **named}
    return Spoken(headers, replace(load, params={**load.params, "_meta": ENVELOPE}).tail)


def in_session(session: str) -> Speech:
    """Speak as clients of the handshake era do once it is over."""
    headers = {"mcp-protocol-version": PROTOCOL_VERSION, "mcp-session-id": session}
    return lambda load: Spoken(headers, load.tail)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is, and whose process it is."""

    pid: int
    port: int
    bearer: str

    def opening(self, headers: Mapping[str, str]) -> bytes:
        """Return a request's head as far as the value of its length."""
        usual = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.bearer}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        lines = [f"{name}: {value}\r\n" for name, value in {**usual, **headers}.items()]
        return "".join(["POST /mcp HTTP/1.1\r\n", *lines, "content-length: "]).encode()


def question(opening: bytes, body: bytes) -> bytes:
    """Return a whole request."""
    return b"%b%d%b%b" % (opening, len(body), HEAD_ENDS, body)


class Connection(asyncio.Protocol):
    """Gives the answer to what was asked last to who asked it."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: Callable[[Answer], None] | None = None
        self._failed: Callable[[Exception], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - create_connection makes one
        self._write = transport.write
        self.close = transport.close

    def ask(self, question: bytes, answer: Callable[[Answer], None], failed: Callable[[Exception], None]) -> None:
        self._answer, self._failed = answer, failed
        self._write(question)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, ends, body = self._received.partition(HEAD_ENDS)
        if ends and len(body) >= length_of(head) and self._answer is not None:
            self._received = b""
            self._answer(Answer(head, body))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._failed is not None:
            self._failed(exc or RuntimeError("a server closed its connection"))


def length_of(head: bytes) -> int:
    """Return how long the body is; an answer that does not say it never ends, and runs into the time-out."""
    found = LENGTH.search(head)
    return int(found[1]) if found else sys.maxsize


class Stretch:
    """Keeps each connection asking for some seconds, then waits for the rest."""

    def __init__(self, place: Place, connections: Sequence[Connection], load: Load, spoken: Spoken) -> None:
        self._connections, self._load, self._tail = connections, load, spoken.tail
        self._opening = place.opening(spoken.headers)
        self._numbers = count(1)
        self._latencies: list[float] = []
        self._busy = len(connections)
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self, seconds: float) -> Slice:
        began = perf_counter()
        self._until = began + seconds
        for connection in self._connections:
            self._ask(connection, began)
        async with asyncio.timeout(seconds + ANSWER_SECONDS):
            await self._done
        return sliced(self._latencies, perf_counter() - began)

    def _ask(self, connection: Connection, now: float) -> None:
        number = next(self._numbers)
        body = request(number, self._tail)

        def hear(answer: Answer) -> None:
            self._hear(connection, answer, number, now)

        connection.ask(question(self._opening, body), hear, self._fail)

    def _hear(self, connection: Connection, answer: Answer, number: int, asked: float) -> None:
        now = perf_counter()
        try:
            check(self._load, answer, number)
        except ValueError as error:
            self._fail(error)
            return
        self._latencies.append(now - asked)
        if now < self._until:
            self._ask(connection, now)
            return
        self._busy -= 1
        if not self._busy:
            self._done.set_result(None)

    def _fail(self, error: Exception) -> None:
        if not self._done.done():
            self._done.set_exception(error)


def check(load: Load, answer: Answer, number: int) -> None:
    """Let an answer pass that is the one to this request.

    Raises:
        ValueError: It is not, or it failed where it should not, or did not where it should.
    """
    if answered(load, answer.body) != number:
        raise ValueError(f"request {number} of {load.name} was answered: {answer.body[:400]!r}")


class HttpClient:
    """An MCP server over HTTP as the bench uses it, spoken to as one era does."""

    def __init__(self, place: Place, connections: Sequence[Connection], speech: Speech) -> None:
        self._place, self._connections, self._speech = place, connections, speech
        self.pid = place.pid

    async def answer(self, load: Load) -> bytes:
        """Ask once and return the answer's body."""
        spoken = self._speech(load)
        answer = await asked(self._connections[0], self._place, spoken.headers, request(0, spoken.tail))
        check(load, answer, 0)
        return answer.body

    async def run(self, load: Load, in_flight: int, seconds: float) -> Slice:
        """Keep requests in flight for some seconds."""
        return await Stretch(self._place, self._connections[:in_flight], load, self._speech(load)).run(seconds)


async def asked(connection: Connection, place: Place, headers: Mapping[str, str], body: bytes) -> Answer:
    """Post once and return the answer."""
    answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    def fail(error: Exception) -> None:
        if not answered.done():
            answered.set_exception(error)

    connection.ask(question(place.opening(headers), body), answered.set_result, fail)
    async with asyncio.timeout(ANSWER_SECONDS):
        return await answered


async def greeted(connection: Connection, place: Place) -> Speech:
    """Shake hands, and return how to speak from then on."""
    answer = await asked(connection, place, {}, request(0, HELLO.tail))
    check(HELLO, answer, 0)
    found = SESSION.search(answer.head)
    if found is None:
        raise ValueError(f"no session stands in {answer.head[:400]!r}")
    speech = in_session(found[1].decode())
    await asked(connection, place, speech(HELLO).headers, INITIALIZED)
    return speech


@asynccontextmanager
async def connected(place: Place) -> AsyncIterator[Sequence[Connection]]:
    """Open as many connections as there can be requests in flight."""
    loop = asyncio.get_running_loop()
    connections = [
        (await loop.create_connection(Connection, "127.0.0.1", place.port))[1] for _ in range(max(IN_FLIGHT))
    ]
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()
