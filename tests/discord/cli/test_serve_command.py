"""`discord-mcp serve`: how it starts, what it refuses, and how it ends."""

from __future__ import annotations

import os
import signal
import sys

import orjson
import pytest
from tests.discord.cli.shell import COMMAND, ran, started

from accord.discord.sandbox import Sandbox, demo

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell and terminals")

HEAVY = ("typer", "rich", "sqlalchemy", "aiohttp", "jsonschema_rs")
TELL_WHAT_WAS_IMPORTED = f"""
import atexit, json, sys
atexit.register(lambda: sys.stderr.write(json.dumps([name for name in {HEAVY} if sys.modules.get(name)])))
sys.argv = ["discord-mcp"]
from accord.discord.cli import main
main()
"""


async def test_listing_tools_imports_nothing_that_only_other_commands_or_calls_need() -> None:
    async with started("-c", TELL_WHAT_WAS_IMPORTED, program=sys.executable, LOG_LEVEL="fatal") as running:
        await running.greet()
        listed = await running.ask("tools/list")
        left = await running.end()

    assert listed["tools"]
    assert orjson.loads(left.err) == []


async def test_a_bare_command_serves() -> None:
    async with started() as running:
        greeting = await running.greet()

    assert greeting["serverInfo"]["name"] == "discord-mcp"


@pytest.mark.parametrize("words", [("serve",), ("serve", "--sandbox")])
async def test_the_end_of_stdin_ends_it_with_0(words: tuple[str, ...]) -> None:
    left = await ran(*words)

    assert (left.code, left.out) == (0, "")
    assert [orjson.loads(line)["event"] for line in left.err.splitlines()][-2:] == ["ready", "stopped"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("words", [("serve",), ("serve", "--sandbox")])
async def test_a_signal_ends_it_with_0(words: tuple[str, ...], number: signal.Signals) -> None:
    async with started(*words) as running:
        await running.greet()
        left = await running.end(number)

    assert (left.code, left.out) == (0, "")
    assert orjson.loads(left.err.splitlines()[-1])["event"] == "stopped"


@pytest.mark.parametrize("words", [("serve",), ("serve", "--sandbox")])
async def test_a_wrong_configuration_refuses_to_start_and_names_everything_at_fault(words: tuple[str, ...]) -> None:
    refused = await ran(
        *words, MCP_DRY_RUN="swordfish", LOG_LEVEL="swordfish", MCP_WRTE_MODE="swordfish", MCP_AUDIT_SINK="swordfish"
    )

    assert (refused.code, refused.out) == (4, "")
    assert refused.err.startswith("Invalid configuration:\n")
    assert all(name in refused.err for name in ("MCP_DRY_RUN", "LOG_LEVEL", "MCP_WRTE_MODE", "MCP_AUDIT_SINK"))
    assert "swordfish" not in refused.err


async def test_a_category_that_does_not_exist_refuses_to_start() -> None:
    refused = await ran("serve", MCP_CATEGORIES="messages,cooking")

    assert (refused.code, refused.out) == (4, "")
    assert "MCP_CATEGORIES" in refused.err
    assert "Traceback" not in refused.err


async def test_something_that_cannot_be_a_token_refuses_to_start_without_showing_it() -> None:
    refused = await ran("serve", DISCORD_TOKEN="not-a-token")

    assert (refused.code, refused.out) == (4, "")
    assert "DISCORD_TOKEN" in refused.err
    assert "not-a-token" not in refused.err


async def test_a_token_with_what_gets_copied_along_works(sandbox: Sandbox) -> None:
    token = f' "Bot {sandbox.token}"\n'
    async with started("serve", DISCORD_TOKEN=token, DISCORD_API_BASE_URL=sandbox.base_url) as running:
        await running.greet()
        guild = await running.call("guild_get", guild_id=demo.GUILD)

    assert guild["name"] == "Lantern Workshop"


async def test_without_a_token_tools_are_listed_and_calls_say_where_to_get_one() -> None:
    async with started("serve") as running:
        await running.greet()
        listed = await running.ask("tools/list")
        answer = await running.call("guild_get", guild_id=demo.GUILD)
        left = await running.end()

    assert len(listed["tools"]) > 1
    assert answer["code"] == "DISCORD_AUTH_INVALID"
    assert "DISCORD_TOKEN" in answer["recovery_hint"]
    assert "Developer Portal" in answer["recovery_hint"]
    assert "DISCORD_TOKEN is not set" in left.err


async def test_a_dead_token_is_answered_and_never_sent_again(sandbox: Sandbox) -> None:
    sandbox.fail("*", "unauthorized")
    async with started("serve", DISCORD_TOKEN=sandbox.token, DISCORD_API_BASE_URL=sandbox.base_url) as running:
        await running.greet()
        answers = [await running.call("guild_get", guild_id=demo.GUILD) for _ in range(3)]

    assert {answer["code"] for answer in answers} == {"DISCORD_AUTH_INVALID"}
    assert len(sandbox.requests) == 1


@needs_posix
@pytest.mark.parametrize("closing", ["<&-", ">&-"])
async def test_without_stdin_or_stdout_there_is_nobody_to_serve(closing: str) -> None:
    refused = await ran("-c", f'exec "$0" serve {closing}', COMMAND, program="/bin/sh")

    assert (refused.code, refused.err) == (4, "cannot serve: stdin or stdout is closed\n")


@needs_posix
async def test_a_person_who_starts_it_in_a_terminal_is_told_what_it_is() -> None:
    ours, theirs = os.openpty()
    os.write(ours, b"\x04")  # Ctrl-D
    left = await ran("-c", f'exec "$0" serve <{os.ttyname(theirs)}', COMMAND, program="/bin/sh", LOG_LEVEL="fatal")
    os.close(ours)
    os.close(theirs)

    assert (left.code, left.out) == (0, "")
    assert "discord-mcp --help" in left.err
