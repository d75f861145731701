"""`discord-mcp serve --http`: who gets in, what it refuses to start with, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time

import httpx2
import orjson
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from accord.discord.cli.http import Address
from accord.discord.sandbox import Sandbox, demo
from tests.discord.cli.shell import ran
from tests.discord.http.serving import ACCESS_TOKEN, Served, served, variables

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_of_either_era_lists_and_calls(sandbox: Sandbox, mode: str) -> None:
    headers = {"authorization": f"Bearer {ACCESS_TOKEN}"}
    async with served(**variables(sandbox)) as server, httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(server.url, http_client=http)
        async with Client(transport, mode="legacy" if mode == "legacy" else "auto") as client:
            listed = await client.list_tools()
            result = await client.call_tool("guild_get", {"guild_id": demo.GUILD})

    assert len(listed.tools) > 1
    assert result.structured_content is not None
    assert result.structured_content["name"] == "Lantern Workshop"


async def test_a_sandbox_serves_without_a_discord_token() -> None:
    async with served("--sandbox", DISCORD_MCP_ACCESS_TOKEN=ACCESS_TOKEN) as server:
        await server.greet()
        guild = await server.call("guild_get", guild_id=demo.GUILD)

    assert guild["name"] == "Lantern Workshop"


async def test_only_the_access_token_lets_in(sandbox: Sandbox) -> None:
    wrong = [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {ACCESS_TOKEN}x",
        f"Bearer {ACCESS_TOKEN[:-1]}",
        f"Basic {ACCESS_TOKEN}",
        ACCESS_TOKEN,
        "Bearer \u00e9",
    ]
    right = [f"Bearer {ACCESS_TOKEN}", f"bearer {ACCESS_TOKEN}", f"BEARER   {ACCESS_TOKEN}"]
    async with served(**variables(sandbox)) as server:
        statuses = [await _knock(server, authorization) for authorization in [*wrong, *right]]

    # A request that gets in is told that it is no JSON-RPC.
    assert statuses == [401] * len(wrong) + [400] * len(right)


async def _knock(server: Served, authorization: str) -> int:
    headers = {"authorization": authorization, "content-type": "application/json"}
    async with server.http.post(server.url, data=b"{}", headers=headers) as answer:
        return answer.status


async def test_health_is_open_and_readiness_is_whether_discord_takes_the_token(sandbox: Sandbox) -> None:
    async with served(**variables(sandbox)) as server:
        root = server.url.removesuffix("/mcp")
        untried = await _asked(server, f"{root}/readyz")
        sandbox.fail("*", "unauthorized")
        await server.greet()
        await server.call("guild_get", guild_id=demo.GUILD)
        dead = await _asked(server, f"{root}/readyz")
        health = await _asked(server, f"{root}/healthz")

    assert untried == (200, {"status": "ready"})
    assert dead == (503, {"status": "not ready"})
    assert health == (200, {"status": "ok"})


async def _asked(server: Served, url: str) -> tuple[int, object]:
    async with server.http.get(url) as answer:
        return answer.status, await answer.json()


async def test_limits_come_from_the_environment(sandbox: Sandbox) -> None:
    async with served(**variables(sandbox, MCP_HTTP_MAX_BODY_BYTES="2048", MCP_HTTP_MAX_IN_FLIGHT="1")) as server:
        await server.greet()
        long, _ = await server.post("ping", {"_meta": {"padding": "x" * 3000}})
        sandbox.fail("GET /guilds/{}", "delay", seconds=0.5)
        both = await asyncio.gather(
            *(server.post("tools/call", {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}}, id=n) for n in "ab")
        )

    assert long == 413
    assert sorted(status for status, _ in both) == [200, 503]


async def test_a_session_survives_a_restart_of_the_process(sandbox: Sandbox, tmp_path: object) -> None:
    kept = variables(sandbox, MCP_STATE_URL=f"sqlite:///{tmp_path}/state.db")
    async with served(**kept) as first:
        await first.greet()
        session = first.session
        first.stop(signal.SIGTERM)
        await first.ended()
    async with served(**kept) as second:
        second.session = session
        guild = await second.call("guild_get", guild_id=demo.GUILD)

    assert guild["name"] == "Lantern Workshop"


UNSAFE = [
    ({"DISCORD_MCP_ACCESS_TOKEN": None}, (), "DISCORD_MCP_ACCESS_TOKEN: is required"),
    ({"DISCORD_MCP_ACCESS_TOKEN": ""}, (), "DISCORD_MCP_ACCESS_TOKEN: is set but empty"),
    ({"DISCORD_MCP_ACCESS_TOKEN": "swordfish"}, (), "DISCORD_MCP_ACCESS_TOKEN: must be"),
    ({"DISCORD_TOKEN": None}, (), "DISCORD_TOKEN: is required"),
    ({}, ("--host", "0.0.0.0"), "--allowed-host: is required"),  # noqa: S104 - the very case
    ({}, ("--host", "::"), "--allowed-host: is required"),
    ({}, ("--allowed-host", "https://mcp.example.test"), "--allowed-host: must be"),
    ({}, ("--allowed-host", "*"), "--allowed-host: must be"),
    ({}, ("--allowed-origin", "app.example.test"), "--allowed-origin: must be"),
    ({}, ("--allowed-origin", "*"), "--allowed-origin: must be"),
    ({}, ("--allowed-origin", "https://app.example.test/path"), "--allowed-origin: must be"),
]


@pytest.mark.parametrize(("changed", "words", "reason"), UNSAFE)
async def test_it_refuses_to_start_where_that_would_be_unsafe(
    sandbox: Sandbox, changed: dict[str, str | None], words: tuple[str, ...], reason: str
) -> None:
    env = {name: value for name, value in {**variables(sandbox), **changed}.items() if value is not None}
    refused = await ran("serve", "--http", "--port", "0", *words, **env)

    assert (refused.code, refused.out) == (4, "")
    assert reason in refused.err
    assert "Traceback" not in refused.err
    assert not any(secret in refused.err for secret in (ACCESS_TOKEN, sandbox.token, "swordfish"))


async def test_a_port_that_is_taken_is_refused(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = await ran("serve", "--http", "--port", str(port), **variables(sandbox))

    assert (refused.code, refused.out) == (4, "")
    assert refused.err.endswith(f"cannot listen on 127.0.0.1:{port}: Address already in use\n")


@pytest.mark.parametrize("host", ["::1", "localhost"])
async def test_other_names_of_this_machine_are_listened_on(sandbox: Sandbox, host: str) -> None:
    async with served("--host", host, **variables(sandbox)) as server:
        where = f"[{host}]" if ":" in host else host
        status, _ = await _asked(server, f"http://{where}:{server.port}/healthz")
        headers = {"authorization": f"Bearer {ACCESS_TOKEN}"}
        async with server.http.post(f"http://{where}:{server.port}/mcp", json={}, headers=headers) as answer:
            let_in = answer.status

    assert (status, let_in) == (200, 400)


async def test_an_allowed_host_and_page_take_effect_and_loopback_stays_out_of_a_public_address(sandbox: Sandbox) -> None:
    words = ("--host", "0.0.0.0", "--allowed-host", "mcp.example.test", "--allowed-origin", "https://app.example.test")  # noqa: S104
    async with served(*words, **variables(sandbox)) as server:
        headers = {"authorization": f"Bearer {ACCESS_TOKEN}"}
        statuses = []
        for more in (
            {"host": "mcp.example.test"},
            {"host": "mcp.example.test", "origin": "https://app.example.test"},
            {"host": "mcp.example.test", "origin": "https://evil.test"},
            {},
        ):
            async with server.http.post(server.url, json={}, headers={**headers, **more}) as answer:
                statuses.append(answer.status)

    assert statuses == [400, 400, 403, 421]


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_an_idle_server_with_0_although_clients_hold_streams_open(
    sandbox: Sandbox, number: signal.Signals
) -> None:
    async with served(**variables(sandbox)) as server:
        await server.greet()
        headers = {"authorization": f"Bearer {ACCESS_TOKEN}", "mcp-session-id": server.session}
        async with server.http.get(server.url, headers=headers) as stream:
            began = time.monotonic()
            server.stop(number)
            await stream.read()
            left = await server.ended()
            took = time.monotonic() - began

    assert (left.code, left.out) == (0, "")
    assert orjson.loads(left.err.splitlines()[-1])["event"] == "stopped"
    assert took < 5


@needs_signals
async def test_a_call_under_way_is_answered_before_it_ends(sandbox: Sandbox) -> None:
    async with served(**variables(sandbox)) as server:
        await server.greet()
        sandbox.fail("GET /guilds/{}", "delay", seconds=0.5)
        call = asyncio.ensure_future(server.call("guild_get", guild_id=demo.GUILD))
        await _requested(sandbox, server)
        server.stop(signal.SIGTERM)
        left = await server.ended()
        guild = await call

    assert (left.code, guild["name"]) == (0, "Lantern Workshop")


async def _requested(sandbox: Sandbox, server: Served) -> None:
    """Wait until a call is under way: a second one of its id is refused from then on."""
    status = 200
    while status != 400:
        status, _ = await server.post("ping")


@needs_signals
async def test_a_call_that_takes_too_long_is_told_that_its_outcome_is_unknown(sandbox: Sandbox) -> None:
    async with served(drain_seconds=1, **variables(sandbox)) as server:
        await server.greet()
        sandbox.fail("GET /guilds/{}", "delay", seconds=20)
        call = asyncio.ensure_future(
            server.post("tools/call", {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}})
        )
        await _requested(sandbox, server)
        server.stop(signal.SIGTERM)
        left = await server.ended()
        status, answer = await call

    assert (left.code, status) == (0, 200)
    assert "its outcome is not known" in answer["error"]["message"]
    assert "Traceback" not in left.err


@needs_signals
async def test_a_client_that_stalls_in_its_body_keeps_nobody_waiting_beyond_the_deadline(sandbox: Sandbox) -> None:
    async with served(drain_seconds=1, **variables(sandbox)) as server:
        await server.greet()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ACCESS_TOKEN}\r\n"
        rest = "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
        writer.write(f"{head}{rest}".encode())
        await reader.readuntil(b"100 Continue\r\n\r\n")
        began = time.monotonic()
        server.stop(signal.SIGTERM)
        left = await server.ended()
        took = time.monotonic() - began
        writer.close()

    assert left.code == 0
    assert took < 6
    assert "Traceback" not in left.err


@needs_signals
async def test_a_second_signal_does_not_wait_for_anybody(sandbox: Sandbox) -> None:
    async with served(**variables(sandbox)) as server:
        await server.greet()
        sandbox.fail("GET /guilds/{}", "delay", seconds=20)
        call = asyncio.ensure_future(server.post("tools/call", {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}}))
        await _requested(sandbox, server)
        began = time.monotonic()
        server.stop(signal.SIGTERM)
        await asyncio.wait([call], timeout=0.3)
        server.stop(signal.SIGTERM)
        left = await server.ended()
        took = time.monotonic() - began
        await asyncio.wait([call])
        call.exception()

    assert left.code == 0
    assert took < 5
    assert "Traceback" not in left.err


async def test_nothing_secret_is_logged_and_nothing_is_written_to_stdout(sandbox: Sandbox) -> None:
    async with served(**variables(sandbox, LOG_LEVEL="trace", MCP_AUDIT_SINK="stderr", MCP_DRY_RUN="false")) as server:
        await server.greet()
        await server.call("messages_send", channel_id=demo.GENERAL, content="a private word")
        await server.post("ping", key="wrong-access-token-swordfish")
        async with server.http.post(server.url, data=b"{", headers={"host": "evil.test"}) as answer:
            await answer.read()
        async with server.http.post(server.url, json={"a": "b"}, headers={"authorization": f"Bearer {ACCESS_TOKEN}"}):
            pass
        server.stop(signal.SIGTERM)
        left = await server.ended()

    assert left.out == ""
    assert "Traceback" not in left.err
    for secret in (ACCESS_TOKEN, sandbox.token, "swordfish", server.session, "a private word"):
        assert secret not in left.err


def test_an_address_allows_loopback_only_where_it_is_one() -> None:
    assert Address().hosts.names == {"127.0.0.1", "localhost", "::1"}
    assert Address(host="192.0.2.1", allowed_hosts=["mcp.example.test:443"]).hosts.names == {"mcp.example.test"}
