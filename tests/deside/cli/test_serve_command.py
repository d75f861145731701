"""`deside-mcp serve` as its operator runs it: which names it answers to, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import orjson
import pytest
from tests.deside.cli.command import started
from tests.discord.cli.shell import Running
from tests.loopback import HELLO, Plain, post_of

START_SECONDS = 20

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@asynccontextmanager
async def serving(home: Path, **variables: str) -> AsyncIterator[tuple[Running, Plain]]:
    """Start it on a free port and wait until it is ready."""
    async with started("serve", "--port", "0", home=home, **variables) as running, aiohttp.ClientSession() as http:
        assert running.process.stderr is not None
        async with asyncio.timeout(START_SECONDS):
            ready = orjson.loads(await running.process.stderr.readline())
        assert ready["event"] == "ready"
        yield running, Plain(ready["port"], http, None)


async def test_it_answers_to_this_machines_names_and_that_of_its_public_url(tmp_path: Path) -> None:
    async with serving(tmp_path, DESIDE_PUBLIC_URL="https://dm.example.com") as (_, server):
        hosts = ("localhost:3100", "dm.example.com", "evil.example")
        path = "/.well-known/oauth-authorization-server"
        answers = [await server.send("GET", path, host=host) for host in hosts]

    assert [answer.status for answer in answers] == [200, 200, 421]
    assert answers[0].json["issuer"] == "https://dm.example.com"


async def test_a_page_of_a_configured_origin_may_register_and_call(tmp_path: Path) -> None:
    page = "https://app.example.test"
    asks = {"access_control_request_method": "POST", "access_control_request_headers": "content-type,mcp-session-id"}
    async with serving(tmp_path, DESIDE_ALLOWED_ORIGINS=page) as (_, server):
        asked = await server.send("OPTIONS", origin=page, **asks)
        called = await server.post(post_of("initialize", HELLO), origin=page)
        registering = await server.send("OPTIONS", "/oauth/register", origin=page, **asks)

    assert (asked.status, called.status, registering.status) == (200, 200, 204)
    assert [answer.headers["access-control-allow-origin"] for answer in (asked, called, registering)] == [
        page,
        page,
        "*",  # the OAuth endpoints may be called from any page, configured or not
    ]


@needs_signals
async def test_it_ends_on_a_signal_though_a_stream_is_open(tmp_path: Path) -> None:
    async with serving(tmp_path) as (running, server):
        session = await server.greet()
        async with server.stream(session) as stream:
            ran = await running.end(signal.SIGTERM)
            rest = await stream.read()

    assert (ran.code, ran.out, rest) == (0, "", b"")
    assert orjson.loads(ran.err.splitlines()[-1])["event"] == "stopped"


@needs_signals
async def test_it_keeps_everything_in_one_private_file_of_the_users_own_by_default(tmp_path: Path) -> None:
    async with serving(tmp_path) as (running, server):
        await server.greet()
        await running.end(signal.SIGTERM)

    assert modes_of(tmp_path, "deside.db") == [0o600]


def modes_of(folder: Path, name: str) -> list[int]:
    """Return who may do what with the files of that name."""
    return [path.stat().st_mode & 0o777 for path in folder.rglob(name)]
