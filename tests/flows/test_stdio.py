"""Whole conversations over real pipes: the official client in both eras, and raw bytes."""

from __future__ import annotations

import signal
from typing import Any, Literal

import orjson
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.discord.cli.shell import COMMAND, silent_server, started

from accord.discord.app import own_tools
from accord.discord.sandbox import demo

Mode = Literal["legacy", "auto"]

both_eras = pytest.mark.parametrize("mode", ["legacy", "auto"])


def client(mode: Mode, **variables: str) -> Client:
    """Return the official client, not yet entered, on a server with a sandbox of its own."""
    return Client(StdioServerParameters(command=COMMAND, args=["serve", "--sandbox"], env=variables), mode=mode)


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured result."""
    result = await client.call_tool(tool, arguments)
    return {"failed": result.is_error, **(result.structured_content or {})}


@both_eras
async def test_the_official_client_is_greeted_in_its_own_era(mode: Mode) -> None:
    async with client(mode) as session:
        version = session.protocol_version

    assert version is not None
    assert (version >= "2026-07-28") == (mode == "auto")


@both_eras
async def test_the_official_client_lists_every_tool(mode: Mode) -> None:
    async with client(mode) as session:
        listed = await session.list_tools()

    assert [tool.name for tool in listed.tools] == list(own_tools())


@both_eras
async def test_the_official_client_reads_what_it_sent(mode: Mode) -> None:
    async with client(mode) as session:
        sent = await called(session, "messages_send", channel_id=demo.GENERAL, content="Ünïcödé 🐟, and a\nsecond line")
        read = await called(session, "messages_read", channel_id=demo.GENERAL, limit=1)

    assert not sent["failed"]
    assert [(each["id"], each["content"]) for each in read["messages"]] == [
        (sent["message_id"], "Ünïcödé 🐟, and a\nsecond line")
    ]


@both_eras
async def test_a_failure_is_a_result_with_its_four_fields(mode: Mode) -> None:
    async with client(mode) as session:
        failure = await called(session, "channels_get", channel_id="123456789012345678")

    assert failure["failed"]
    assert failure["code"] == "DISCORD_NOT_FOUND"
    assert {"code", "retriable", "category", "recovery_hint"} <= failure.keys()


async def test_two_servers_at_once_have_nothing_in_common() -> None:
    async with client("auto") as one, client("legacy") as other:
        await called(one, "messages_send", channel_id=demo.GENERAL, content="only here")
        here = await called(one, "messages_read", channel_id=demo.GENERAL, limit=1)
        there = await called(other, "messages_read", channel_id=demo.GENERAL, limit=1)

    assert here["messages"][0]["content"] == "only here"
    assert there["messages"][0]["content"] != "only here"


async def test_stdout_carries_nothing_but_the_protocol_however_much_is_logged() -> None:
    async with started("serve", "--sandbox", LOG_LEVEL="trace", PYTHONWARNINGS="default") as running:
        await running.greet()
        running.request("tools/list")
        running.request("tools/call", {"name": "messages_read", "arguments": {"channel_id": demo.GENERAL}})
        running.request("tools/call", {"name": "messages_send", "arguments": {"channel_id": demo.GENERAL}})
        running.request("tools/call", {"name": "no_such_tool", "arguments": {}})
        running.request("no/such/method")
        left = await running.end()

    assert left.code == 0
    assert sorted(message["id"] for message in left.messages) == [2, 3, 4, 5, 6]
    assert all(orjson.loads(line) for line in left.err.splitlines())


async def test_calls_under_way_are_answered_after_stdin_ended() -> None:
    async with started("serve", "--sandbox") as running:
        await running.greet()
        for _ in range(20):
            running.request("tools/call", {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}})
        left = await running.end()

    names = [message["result"]["structuredContent"]["name"] for message in left.messages]
    assert (left.code, names) == (0, ["Lantern Workshop"] * 20)


async def test_a_line_that_is_no_message_does_not_end_the_conversation() -> None:
    async with started("serve", "--sandbox") as running:
        await running.greet()
        assert running.process.stdin is not None
        running.process.stdin.write(b'not json\n[1, 2]\n\n"text"\n')
        running.request("ping")
        left = await running.end()

    assert {"jsonrpc": "2.0", "id": 2, "result": {}} in left.messages


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_while_a_call_is_under_way_ends_it_with_0(number: signal.Signals) -> None:
    async with silent_server() as (base_url, asked):
        way_in = {"DISCORD_TOKEN": demo.TOKEN, "DISCORD_API_BASE_URL": base_url}
        async with started("serve", **way_in) as running:
            await running.greet()
            running.request("tools/call", {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}})
            await asked.wait()
            left = await running.end(number)

    assert left.code == 0
    assert all("result" not in message for message in left.messages)
    assert "Traceback" not in left.err
