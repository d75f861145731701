"""A server process on stdin and stdout: nothing but JSON-RPC comes out, and it ends when it should."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from mcp import Client, StdioServerParameters
from tests.engine.serving.stdio_process import INITIALIZE, PROGRAM, call, cancel, message, started

from accord.engine.serving.stdio import MESSAGE_BYTES

if TYPE_CHECKING:
    from pathlib import Path

PING = message("ping", id=99)


async def test_the_first_line_is_the_answer_to_the_first_request() -> None:
    async with started() as server:
        opened = await server.shake_hands()

    assert (opened["id"], opened["result"]["serverInfo"]["name"]) == (0, "program")


async def test_whatever_prints_stdout_carries_json_rpc_only() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "make_noise"))
        answer = await server.receive()
        code = await server.end()
        rest = await server.rest()

    assert answer["result"]["structuredContent"] == {"text": "done"}
    assert (rest, code) == ([], 0)
    for word in ("print", "child", "a warning", "a log line", "in the background", "straight to the descriptor"):
        assert any(word in line for line in server.said)


NO_MESSAGES = {
    "no JSON": b"{nope\n",
    "an empty line": b"\n\r\n  \n",
    "a batch": b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]\n',
    "text": b'"ping"\n',
    "an id of null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
    "an id of half": b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
    "no version": b'{"id":5,"method":"ping"}\n',
    "nesting without end": b"[" * 5_000 + b"\n",
    "half a character": b'{"jsonrpc":"2.0","id":5,"method":"\\ud800"}\n',
    "no UTF-8": b'{"jsonrpc":"2.0","id":5,"method":"\xff"}\n',
    "an answer to nothing": b'{"jsonrpc":"2.0","id":5,"result":{}}\n',
    "an unknown notification": b'{"jsonrpc":"2.0","method":"notifications/nothing"}\n',
}


@pytest.mark.parametrize("line", NO_MESSAGES.values(), ids=NO_MESSAGES.keys())
async def test_a_line_that_is_no_request_is_passed_over_and_the_server_goes_on(line: bytes) -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(line, PING)

        assert await server.receive() == {"jsonrpc": "2.0", "id": 99, "result": {}}
        assert await server.end() == 0


async def test_lines_may_end_as_windows_writes_them_and_come_in_pieces() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(PING[:9])
        await server.send(PING[9:-1], b"\r\n")

        assert (await server.receive())["id"] == 99


async def test_an_unknown_method_is_the_protocols_error() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(message("nothing", id=1))

        assert (await server.receive())["error"]["code"] == -32601


async def test_a_line_that_is_too_long_ends_the_connection_and_says_why() -> None:
    async with started() as server:
        await server.shake_hands()
        server.stdin.write(b"x" * (MESSAGE_BYTES + 1024 * 1024))
        await server.noted("ended")
        rest = await server.rest()
        code = await server.process.wait()

    assert (rest, code) == ([], 0)
    assert any("a message is longer than" in line for line in server.said)


async def test_a_long_line_within_the_limit_is_served() -> None:
    text = "x" * (4 * 1024 * 1024)
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "echo", text=text))
        answer = await server.receive()

    assert answer["result"]["structuredContent"]["text"] == text


async def test_the_end_of_input_answers_what_is_under_way_and_ends_with_zero() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "hold"))
        await server.noted("holding")
        await server.send(call(2, "release"))
        code = await server.end()
        rest = await server.rest()

    assert {answer["id"] for answer in rest} == {1, 2}
    assert code == 0


async def test_the_last_request_may_lack_its_line_end() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(PING.rstrip())
        code = await server.end()

        assert [answer["id"] for answer in await server.rest()] == [99]
    assert code == 0


async def test_input_that_ends_before_it_began_ends_with_zero() -> None:
    async with started() as server:
        assert await server.end() == 0
        assert await server.rest() == []


async def test_a_request_to_stop_ends_cleanly_in_the_middle_of_a_call() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "hold"))
        await server.noted("holding")
        server.process.send_signal(signal.SIGTERM)
        await server.noted("ended")
        code = await server.process.wait()
        rest = await server.rest()

    assert code == 0
    assert all("result" not in line for line in rest)


async def test_a_client_that_is_gone_ends_the_server() -> None:
    reading, writing = os.pipe()
    async with started(stdout=writing) as server:
        os.close(writing)
        os.close(reading)
        await server.send(PING)

        assert await server.end() == 0


async def test_a_cancelled_call_stops_gets_no_answer_and_the_server_lives() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "hold"))
        await server.noted("holding")
        await server.send(cancel(1))
        await server.noted("let go")
        await server.send(PING)
        pong = await server.receive()
        code = await server.end()

    assert pong["id"] == 99
    assert (await server.rest(), code) == ([], 0)


async def test_cancelling_what_is_answered_or_never_was_changes_nothing() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "echo", text="hi"))
        answer = await server.receive()
        await server.send(cancel(1), cancel(7), cancel([1]), cancel({}), PING)

        assert (answer["id"], (await server.receive())["id"]) == (1, 99)


async def test_cancelling_one_call_leaves_the_others() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(call(1, "hold"))
        await server.noted("holding")
        await server.send(call(2, "hold"))
        await server.noted("holding")
        await server.send(cancel(1))
        await server.noted("let go")
        await server.send(call(3, "release"))
        answers = [await server.receive(), await server.receive()]

    assert {answer["id"] for answer in answers} == {2, 3}


async def test_a_client_that_reads_late_gets_every_answer() -> None:
    async with started() as server:
        await server.shake_hands()
        await server.send(*(call(number, "long_text", size=100_000) for number in range(1, 201)))
        answers = [await server.receive() for _ in range(200)]

    assert {answer["id"] for answer in answers} == set(range(1, 201))


async def test_a_file_as_input_is_served_too(tmp_path: Path) -> None:
    conversation = tmp_path / "conversation.jsonl"
    conversation.write_bytes(
        message("initialize", INITIALIZE, id=0) + message("notifications/initialized") + call(1, "echo", text="hi")
    )

    with conversation.open("rb") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(PROGRAM), stdin=file, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        out, _ = await process.communicate()

    assert b'"serverInfo"' in out
    assert process.returncode == 0


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_lists_and_calls_in_both_eras(mode: str) -> None:
    told: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    program = StdioServerParameters(command=sys.executable, args=[str(PROGRAM)])
    async with Client(program, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("echo", {"text": "hi"})
        await client.call_tool("count", progress_callback=on_progress)

    assert names[0] == "echo"
    assert result.structured_content == {"text": "hi"}
    assert told == ["step 1", "step 2"]
