"""`discord-mcp serve --http`: who gets in, what it refuses to start with, and how it ends."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import sys
import time
from pathlib import Path

import httpx2
import orjson
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.discord.cli.shell import HELLO, ran
from tests.discord.http.serving import ACCESS_TOKEN, Served, served, variables

from accord.discord.cli.http import Address, _check
from accord.discord.config import ConfigError, load_config
from accord.discord.sandbox import Sandbox, demo

Env = dict[str, str]

GUILD_GET = {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}}

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture
def env(sandbox: Sandbox, tmp_path: Path) -> Env:
    """The environment of a server on this sandbox, with state of its own."""
    return variables(sandbox, MCP_STATE_URL=f"sqlite:///{tmp_path / 'state.db'}")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_of_either_era_lists_and_calls(env: Env, mode: str) -> None:
    headers = {"authorization": f"Bearer {ACCESS_TOKEN}"}
    async with served(env=env) as server, httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(server.url, http_client=http)
        async with Client(transport, mode="legacy" if mode == "legacy" else "auto") as client:
            listed = await client.list_tools()
            result = await client.call_tool("guild_get", {"guild_id": demo.GUILD})

    assert len(listed.tools) > 1
    assert result.structured_content is not None
    assert result.structured_content["name"] == "Lantern Workshop"


async def test_a_sandbox_serves_without_a_discord_token(env: Env) -> None:
    async with served("--sandbox", env={**env, "DISCORD_TOKEN": "", "DISCORD_API_BASE_URL": ""}) as server:
        await server.greet()
        guild = await server.call("guild_get", guild_id=demo.GUILD)

    assert guild["name"] == "Lantern Workshop"


async def test_a_page_of_a_configured_origin_may_call(env: Env) -> None:
    page = "https://app.example.test"
    asks = {"access-control-request-method": "POST", "access-control-request-headers": "authorization, content-type"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    async with served(env={**env, "MCP_HTTP_ALLOWED_ORIGINS": page}) as server:
        async with server.http.options(server.url, headers={"origin": page, **asks}) as asked:
            pass
        headers = {"origin": page, "authorization": f"Bearer {ACCESS_TOKEN}"}
        async with server.http.post(server.url, json=hello, headers=headers) as called:
            pass

    assert (asked.status, called.status) == (200, 200)
    assert {answer.headers["access-control-allow-origin"] for answer in (asked, called)} == {page}
    assert "mcp-session-id" in called.headers["access-control-expose-headers"]


async def test_only_the_access_token_lets_in(env: Env) -> None:
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
    async with served(env=env) as server:
        statuses = [await _knock(server, authorization) for authorization in [*wrong, *right]]

    # A request that gets in is told that it is no JSON-RPC.
    assert statuses == [401] * len(wrong) + [400] * len(right)


async def _knock(server: Served, authorization: str) -> int:
    headers = {"authorization": authorization, "content-type": "application/json"}
    async with server.http.post(server.url, data=b"{}", headers=headers) as answer:
        return answer.status


async def test_health_is_open_and_readiness_is_whether_discord_takes_the_token(sandbox: Sandbox, env: Env) -> None:
    async with served(env=env) as server:
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


async def test_limits_come_from_the_environment(sandbox: Sandbox, env: Env) -> None:
    async with served(env={**env, "MCP_HTTP_MAX_BODY_BYTES": "2048", "MCP_HTTP_MAX_IN_FLIGHT": "1"}) as server:
        await server.greet()
        long, _ = await server.post("ping", {"_meta": {"padding": "x" * 3000}})
        sandbox.fail("GET /guilds/{}", "delay", seconds=0.5)
        both = await asyncio.gather(
            *(
                server.post("tools/call", {"name": "guild_get", "arguments": {"guild_id": demo.GUILD}}, id=n)
                for n in "ab"
            )
        )

    assert long == 413
    assert sorted(status for status, _ in both) == [200, 503]


async def test_a_session_survives_a_restart_of_the_process(env: Env) -> None:
    async with served(env=env) as first:
        await first.greet()
        session = first.session
        first.stop(signal.SIGTERM)
        await first.ended()
    async with served(env=env) as second:
        second.session = session
        guild = await second.call("guild_get", guild_id=demo.GUILD)

    assert guild["name"] == "Lantern Workshop"


UNSAFE = [
    ({"DISCORD_MCP_ACCESS_TOKEN": ""}, (), ["DISCORD_MCP_ACCESS_TOKEN: is set but empty"]),
    ({"DISCORD_MCP_ACCESS_TOKEN": "swordfish"}, (), ["DISCORD_MCP_ACCESS_TOKEN: must be"]),
    (
        {"DISCORD_MCP_ACCESS_TOKEN": None, "DISCORD_TOKEN": None},
        ("--host", "0.0.0.0"),  # noqa: S104 - the very case
        ["DISCORD_MCP_ACCESS_TOKEN: is required", "DISCORD_TOKEN: is required", "--allowed-host: is required"],
    ),
]


@pytest.mark.parametrize(("changed", "words", "reasons"), UNSAFE)
async def test_it_refuses_to_start_where_that_would_be_unsafe(
    sandbox: Sandbox, env: Env, changed: dict[str, str | None], words: tuple[str, ...], reasons: list[str]
) -> None:
    given = {name: value for name, value in {**env, **changed}.items() if value is not None}
    refused = await ran("serve", "--http", "--port", "0", *words, **given)

    assert (refused.code, refused.out) == (4, "")
    assert [reason for reason in reasons if reason not in refused.err] == []
    assert "Traceback" not in refused.err
    assert not any(secret in refused.err for secret in (ACCESS_TOKEN, sandbox.token, "swordfish"))


COMPLETE = {"DISCORD_TOKEN": "x" * 60, "DISCORD_MCP_ACCESS_TOKEN": ACCESS_TOKEN}

ADDRESSES = [
    (Address(), None),
    (Address(host="::1"), None),
    (Address(host="::"), "--allowed-host: is required when listening on ::"),
    (Address(host="192.0.2.1"), "--allowed-host: is required"),
    (Address(host="::", allowed_hosts=["mcp.example.test", "[2001:db8::1]", "2001:db8::1"]), None),
    (Address(allowed_hosts=["mcp.example.test:443"]), None),
    (Address(allowed_hosts=["https://mcp.example.test"]), "--allowed-host: must be"),
    (Address(allowed_hosts=["*"]), "--allowed-host: must be"),
    (Address(allowed_hosts=[""]), "--allowed-host: must be"),
    (Address(allowed_origins=["https://app.example.test", "http://localhost:5173/"]), None),
    (Address(allowed_origins=["app.example.test"]), "--allowed-origin: must be"),
    (Address(allowed_origins=["*"]), "--allowed-origin: must be"),
    (Address(allowed_origins=["https://*.example.test"]), "--allowed-origin: must be"),
    (Address(allowed_origins=["https://app.example.test/path"]), "--allowed-origin: must be"),
    (Address(allowed_origins=["null"]), "--allowed-origin: must be"),
]


@pytest.mark.parametrize(("address", "reason"), ADDRESSES)
def test_an_address_that_is_unsafe_or_lets_nobody_in_is_refused(address: Address, reason: str | None) -> None:
    config = load_config(COMPLETE)

    if reason is None:
        _check(config, address, named=())
        return
    with pytest.raises(ConfigError, match=re.escape(reason)):
        _check(config, address, named=())


async def test_a_port_that_is_taken_is_refused(env: Env) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = await ran("serve", "--http", "--port", str(port), **env)

    assert (refused.code, refused.out) == (4, "")
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in refused.err


async def test_it_listens_on_the_other_loopback_too(env: Env) -> None:
    async with served("--host", "::1", env=env) as server:
        headers = {"authorization": f"Bearer {ACCESS_TOKEN}"}
        async with server.http.post(f"http://[::1]:{server.port}/mcp", json={}, headers=headers) as answer:
            status = answer.status

    assert status == 400


async def test_an_allowed_host_and_page_take_effect_and_loopback_is_no_name_of_a_public_address(env: Env) -> None:
    words = ("--host", "0.0.0.0", "--allowed-host", "mcp.example.test", "--allowed-origin", "https://app.example.test")  # noqa: S104
    async with served(*words, env=env) as server:
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
    env: Env, number: signal.Signals
) -> None:
    async with served(env=env) as server:
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
async def test_a_call_under_way_is_answered_before_it_ends(sandbox: Sandbox, env: Env) -> None:
    async with served(env=env) as server:
        await server.greet()
        sandbox.fail("GET /guilds/{}", "delay", seconds=0.5)
        call = asyncio.ensure_future(server.call("guild_get", guild_id=demo.GUILD))
        await _under_way(server)
        server.stop(signal.SIGTERM)
        left = await server.ended()
        guild = await call

    assert (left.code, guild["name"]) == (0, "Lantern Workshop")


async def _under_way(server: Served) -> None:
    """Wait until a call is under way: a second one of its id is refused from then on."""
    status = 200
    while status != 400:
        status, _ = await server.post("ping")


@needs_signals
async def test_a_call_that_takes_too_long_is_told_that_its_outcome_is_unknown(sandbox: Sandbox, env: Env) -> None:
    async with served(env=env, drain_seconds=1) as server:
        await server.greet()
        sandbox.fail("GET /guilds/{}", "delay", seconds=20)
        call = asyncio.ensure_future(server.post("tools/call", GUILD_GET))
        await _under_way(server)
        server.stop(signal.SIGTERM)
        left = await server.ended()
        status, answer = await call

    assert (left.code, status) == (0, 200)
    assert "its outcome is not known" in answer["error"]["message"]
    assert "Traceback" not in left.err


@needs_signals
async def test_a_client_that_stalls_in_its_body_keeps_nobody_waiting_beyond_the_deadline(env: Env) -> None:
    async with served(env=env, drain_seconds=1) as server:
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
async def test_a_second_signal_does_not_wait_for_anybody(sandbox: Sandbox, env: Env) -> None:
    async with served(env=env) as server:
        await server.greet()
        sandbox.fail("GET /guilds/{}", "delay", seconds=20)
        call = asyncio.ensure_future(server.post("tools/call", GUILD_GET))
        await _under_way(server)
        began = time.monotonic()
        server.stop(signal.SIGTERM)
        await asyncio.wait([call], timeout=0.3)
        server.stop(signal.SIGTERM)
        left = await server.ended()
        took = time.monotonic() - began
        _, answer = await call

    assert left.code == 0
    assert took < 5
    assert "its outcome is not known" in answer["error"]["message"]
    assert "Traceback" not in left.err


async def test_nothing_secret_is_logged_and_nothing_is_written_to_stdout(sandbox: Sandbox, env: Env) -> None:
    async with served(env={**env, "LOG_LEVEL": "trace", "MCP_AUDIT_SINK": "stderr"}) as server:
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
