"""The example of a server of one's own, installed from its wheel and started as a host would start it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from zipfile import ZipFile

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from accord.discord.sandbox import Sandbox, demo

if TYPE_CHECKING:
    from mcp.types import CallToolResult

PROJECT = Path(__file__).parents[2] / "examples" / "own_server"
OWN_TOOLS = {"greetings_describe", "greetings_welcome", "greetings_withdraw"}
WELCOME = {"channel_id": demo.WELCOME, "user_id": demo.THEO}

Era = Literal["legacy", "auto"]
both_eras = pytest.mark.parametrize("era", ["legacy", "auto"])


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the example as an installer would lay it out, made without a network."""
    built, target = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)  # noqa: S603 - our own build
    (wheel,) = built.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


@dataclass(frozen=True)
class Started:
    """The example as a running process, and what it writes to stderr."""

    client: Client
    stderr: Path

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        return await self.client.call_tool(tool, arguments)

    async def fails_with(self, tool: str, arguments: dict[str, Any]) -> str:
        """Return the code of a call that fails."""
        result = await self.call(tool, arguments)
        assert result.is_error
        assert result.structured_content is not None
        return str(result.structured_content["code"])

    async def names(self) -> set[str]:
        return {tool.name for tool in (await self.client.list_tools()).tools}

    def audited(self) -> list[tuple[str, str]]:
        """Tool and outcome of each record on stderr."""
        lines = (json.loads(line) for line in self.stderr.read_text().splitlines())
        return [(line["tool"], line["outcome"]) for line in lines if line["level"] == "audit"]


@asynccontextmanager
async def started(
    installed: Path, sandbox: Sandbox, era: Era, tmp_path: Path, **variables: str
) -> AsyncIterator[Started]:
    own = {"DISCORD_TOKEN": sandbox.token, "DISCORD_API_BASE_URL": sandbox.base_url, "MCP_DRY_RUN": "false"}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "greeting_server"],
        env={**own, "PYTHONPATH": str(installed), **variables},
        cwd=tmp_path,
    )
    stderr = tmp_path / "stderr.jsonl"
    with stderr.open("w") as written:
        async with Client(stdio_client(server, errlog=written), mode=era) as client:
            yield Started(client, stderr)


def writes(sandbox: Sandbox) -> list[str]:
    return [one.method for one in sandbox.requests if one.method != "GET"]


def test_the_installed_example_has_its_command(installed: Path) -> None:
    (entries,) = installed.glob("greeting_server-*.dist-info/entry_points.txt")
    assert "greeting-server = greeting_server.server:main" in entries.read_text()


@both_eras
async def test_its_tools_are_listed_beside_those_of_discord_mcp(
    installed: Path, sandbox: Sandbox, era: Era, tmp_path: Path
) -> None:
    async with started(installed, sandbox, era, tmp_path) as server:
        names = await server.names()
    assert names > OWN_TOOLS
    assert "messages_send" in names


@both_eras
async def test_a_tool_calls_one_of_discord_mcp(installed: Path, sandbox: Sandbox, era: Era, tmp_path: Path) -> None:
    async with started(installed, sandbox, era, tmp_path) as server:
        result = await server.call("greetings_describe", {"channel_id": demo.WELCOME})
    assert result.structured_content == {"summary": "#welcome: Read this first."}


@both_eras
async def test_without_its_category_it_is_hidden_and_refused(
    installed: Path, sandbox: Sandbox, era: Era, tmp_path: Path
) -> None:
    async with started(installed, sandbox, era, tmp_path, MCP_CATEGORIES="messages,channels") as server:
        assert not OWN_TOOLS & await server.names()
        assert await server.fails_with("greetings_welcome", WELCOME) == "SCOPE_REJECTED"
    assert writes(sandbox) == []


async def test_its_category_alone_does_not_open_the_tools_that_it_calls(
    installed: Path, sandbox: Sandbox, tmp_path: Path
) -> None:
    async with started(installed, sandbox, "auto", tmp_path, MCP_CATEGORIES="greetings") as server:
        assert await server.names() == OWN_TOOLS
        assert await server.fails_with("greetings_describe", {"channel_id": demo.WELCOME}) == "SCOPE_REJECTED"


@both_eras
async def test_its_destructive_tool_previews_first_and_runs_when_confirmed(
    installed: Path, sandbox: Sandbox, era: Era, tmp_path: Path
) -> None:
    async with started(installed, sandbox, era, tmp_path) as server:
        welcomed = (await server.call("greetings_welcome", WELCOME)).structured_content
        assert welcomed is not None
        assert await server.fails_with("greetings_withdraw", welcomed) == "DRY_RUN_PREVIEW"
        assert writes(sandbox) == ["POST"]
        withdrawn = await server.call("greetings_withdraw", {**welcomed, "__confirm": True})
    assert withdrawn.structured_content == {"withdrawn": True, "message_id": welcomed["message_id"]}
    assert writes(sandbox) == ["POST", "DELETE"]


@both_eras
async def test_its_writes_are_in_the_audit_on_stderr(
    installed: Path, sandbox: Sandbox, era: Era, tmp_path: Path
) -> None:
    async with started(installed, sandbox, era, tmp_path) as server:
        welcomed = (await server.call("greetings_welcome", WELCOME)).structured_content
        assert welcomed is not None
        await server.fails_with("greetings_withdraw", welcomed)
        await server.call("greetings_withdraw", {**welcomed, "__confirm": True})
    assert server.audited() == [
        ("greetings_welcome", "success"),
        ("greetings_withdraw", "refused"),
        ("greetings_withdraw", "success"),
    ]


def test_a_variable_that_is_not_valid_refuses_to_start(installed: Path, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(installed), "MCP_DRY_RUN": "perhaps"}
    ended = subprocess.run(
        [sys.executable, "-m", "greeting_server"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    assert ended.stdout == ""
    assert ended.stderr.startswith("Invalid configuration:\n  - MCP_DRY_RUN: ")
