"""`discord-mcp sandbox`: the embedded Discord by itself."""

from __future__ import annotations

import signal
import socket

import aiohttp
import orjson
import pytest
from tests.discord.cli.shell import ran, started

from accord.discord.sandbox import demo


async def get(url: str, token: str) -> dict[str, object]:
    headers = {"Authorization": f"Bot {token}"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
        answer: dict[str, object] = await response.json()
    return answer


async def test_it_tells_in_one_line_of_json_where_it_is_and_how_to_get_in() -> None:
    async with started("sandbox", "--json") as running:
        facts = orjson.loads(await running.line())
        me = await get(f"{facts['base_url']}/v10/users/@me", facts["token"])
        guild = await get(f"{facts['base_url']}/v10/guilds/{facts['guild_id']}", facts["token"])
        seen = await get(f"{facts['control_url']}/requests", "")

    assert (me["id"], guild["name"]) == (facts["bot_id"], "Lantern Workshop")
    assert len(seen["requests"]) == 2  # type: ignore[arg-type] # a list, as JSON goes


async def test_it_tells_a_person_the_same() -> None:
    async with started("sandbox") as running:
        first = await running.line()
        told = first.decode() + (await running.end(signal.SIGTERM)).out

    assert "export DISCORD_TOKEN=" in told
    assert all(each in told for each in (demo.TOKEN, demo.APPLICATION, demo.BOT, demo.GUILD, demo.GENERAL))
    assert "\x1b" not in told
    assert all(len(line) <= 80 or demo.TOKEN in line for line in told.splitlines())


async def test_a_chosen_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    async with started("sandbox", "--port", str(port), "--json") as running:
        facts = orjson.loads(await running.line())

    assert facts["base_url"] == f"http://127.0.0.1:{port}/api"


async def test_a_port_that_is_taken_refuses_to_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = await ran("sandbox", "--port", str(port))

    assert (refused.code, refused.out) == (4, "")
    assert refused.err.startswith(f"cannot listen on 127.0.0.1:{port}: ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_runs_until_it_is_interrupted_and_ends_with_0(number: signal.Signals) -> None:
    async with started("sandbox", "--json") as running:
        await running.line()
        left = await running.end(number)

    assert (left.code, left.out, left.err) == (0, "", "")


async def test_one_terminal_serves_what_another_calls() -> None:
    async with started("sandbox", "--json") as running:
        facts = orjson.loads(await running.line())
        way_in = {"DISCORD_API_BASE_URL": facts["base_url"], "DISCORD_TOKEN": facts["token"]}
        read = await ran("call", "messages_read", f"channel_id={facts['channel_id']}", "limit=3", **way_in)

    assert (read.code, read.json["count"]) == (0, 3)
