"""The parts of the stdio transport that need no process: how lines are cut, and how both ends are slowed down."""

from __future__ import annotations

import asyncio

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import types
from mcp.shared.message import SessionMessage
from tests.engine.small_server import tool_of

from accord.engine import Shaped, listing
from accord.engine.serving.stdio import MESSAGE_BYTES, READ_AHEAD, Lines, Outbound, Pipe, _Pending
from accord.engine.serving.wire import encoded, parsed


class Source(asyncio.ReadTransport):
    """A pipe that remembers whether it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def close(self) -> None:
        self.reading = False


class Sink(asyncio.WriteTransport):
    """A pipe that keeps what is written; one with a protocol is full after each write."""

    def __init__(self, full: Pipe | None = None) -> None:
        super().__init__()
        self.written = b""
        self._full = full

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)
        if self._full:
            self._full.pause_writing()


async def lines_of(*chunks: bytes) -> list[bytes]:
    lines = Lines()
    for chunk in chunks:
        lines.data_received(chunk)
    lines.eof_received()
    found = []
    while (line := await lines.next()) is not None:
        found.append(line)
    return found


@given(st.lists(st.binary(max_size=9).filter(lambda line: b"\n" not in line)), st.integers(1, 7))
async def test_lines_are_the_same_however_they_are_cut(lines: list[bytes], size: int) -> None:
    sent = b"\n".join(lines)
    chunks = [sent[start : start + size] for start in range(0, len(sent), size)]

    assert await lines_of(*chunks) == [line for line in lines if line.strip()]


async def test_reading_pauses_while_too_many_lines_wait_and_goes_on_when_they_are_taken() -> None:
    lines, source = Lines(), Source()
    lines.connection_made(source)

    lines.data_received(b"line\n" * (READ_AHEAD + 1))
    assert not source.reading

    for _ in range(READ_AHEAD):
        await lines.next()
    assert source.reading


async def test_a_line_that_is_too_long_is_the_end() -> None:
    lines, source = Lines(), Source()
    lines.connection_made(source)

    lines.data_received(b"first\n" + b"x" * (MESSAGE_BYTES + 1))

    assert await lines.next() == b"first"
    assert await lines.next() is None
    assert not source.reading


async def test_a_writer_waits_while_the_client_does_not_read() -> None:
    pipe, sink = Pipe(), Sink()
    out = Outbound(sink, pipe, _Pending())
    answer = SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
    pipe.pause_writing()

    sending = asyncio.ensure_future(out.send(answer))
    _, waiting = await asyncio.wait([sending], timeout=0.01)
    assert waiting

    pipe.resume_writing()
    await sending
    assert sink.written == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


async def test_an_answer_that_was_written_is_not_waited_for_while_the_pipe_is_busy() -> None:
    pipe = Pipe()
    sink = Sink(full=pipe)
    out = Outbound(sink, pipe, _Pending())

    await asyncio.wait_for(out.send(SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}))), 1)

    assert sink.written


async def test_nobody_waits_for_a_client_that_is_gone() -> None:
    pipe = Pipe()
    pipe.pause_writing()

    pipe.connection_lost(None)

    await pipe.drained()


async def read(client: object, place: str) -> None:
    """Read."""


class PlaceId(Shaped):
    __slots__ = ()
    pattern = "^[0-9]+$"


def test_a_prepared_listing_is_written_byte_for_byte() -> None:
    prepared = listing([tool_of(read)], {})

    line = encoded(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"tools": prepared}))

    assert prepared.wire in line
    assert orjson.loads(line)["result"]["tools"] == list(prepared)


def test_an_id_is_written_as_the_text_that_it_is() -> None:
    line = encoded(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"id": PlaceId("7")}))

    assert orjson.loads(line)["result"] == {"id": "7"}


def test_what_is_no_json_is_not_written() -> None:
    with pytest.raises(TypeError):
        encoded(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"it": object()}))


MESSAGES = [
    types.JSONRPCRequest(jsonrpc="2.0", id=1, method="ping"),
    types.JSONRPCRequest(jsonrpc="2.0", id="a", method="tools/call", params={"name": "x"}),
    types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"),
    types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": None}),
    types.JSONRPCError(jsonrpc="2.0", id=1, error=types.ErrorData(code=-1, message="no")),
]


@pytest.mark.parametrize("message", MESSAGES)
def test_what_is_written_is_read_as_the_same_message(message: types.JSONRPCMessage) -> None:
    assert parsed(orjson.loads(encoded(message))) == message


@pytest.mark.parametrize("value", [[], "ping", 1, None, {}, {"jsonrpc": "2.0"}, {"jsonrpc": "1.0", "method": "ping"}])
def test_what_is_no_message_is_refused(value: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are the SDK's
        parsed(value)
