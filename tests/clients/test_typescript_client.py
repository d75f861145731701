"""The official TypeScript clients, over pipes and over HTTP, take every tool's results and its errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import orjson
import pytest
from tests.discord.cli import shell
from tests.discord.tools.usual_calls import REFUSED, TOOLS, example
from tests.npm import node_with
from tests.served import environment

from accord.discord.app import own_tools
from accord.discord.sandbox import Sandbox

FOLDER: Final = Path(__file__).parent / "typescript"
ACCESS_TOKEN: Final = "an-access-token-for-tests-of-clients"

Json: TypeAlias = dict[str, Any]
Transport: TypeAlias = Literal["stdio", "http"]


@dataclass(frozen=True)
class Call:
    """A call of a tool, and what is to come of it: "ok", or the code of an error."""

    tool: str
    arguments: Json
    expected: str

    @property
    def step(self) -> Json:
        """The call, as the driver takes it."""
        return {"do": "call", "tool": self.tool, "arguments": self.arguments}


@dataclass(frozen=True)
class Client:
    """One of the two clients, in one of the eras that it speaks."""

    package: Literal["sdk", "client"]
    era: Literal["2025", "2026"]

    def __str__(self) -> str:
        return f"{self.package}-{self.era}"

    async def drive(self, node: str, server: Json, steps: list[Json]) -> Json:
        """Let it take these steps with a server, and return what came of each of them."""
        plan = orjson.dumps({"client": self.package, "era": self.era, "server": server, "steps": steps})
        async with shell.started(str(FOLDER / "drive.mjs"), program=node) as running:
            out, err = await running.process.communicate(plan)
        assert running.process.returncode == 0, err.decode()
        return dict(orjson.loads(out))


SDK: Final = Client("sdk", "2025")
CLIENT_2025: Final = Client("client", "2025")
CLIENT_2026: Final = Client("client", "2026")


@pytest.fixture(scope="session")
def node() -> str:
    """Node, with the clients of the lock file installed."""
    return node_with(FOLDER, "the official TypeScript clients")


@asynccontextmanager
async def served(sandbox: Sandbox, transport: Transport) -> AsyncIterator[Json]:
    """Return where a client finds a server on this sandbox."""
    variables = environment(sandbox, DISCORD_MCP_ACCESS_TOKEN=ACCESS_TOKEN)
    if transport == "stdio":
        yield {"command": shell.COMMAND, "args": ["serve"], "env": variables}
        return
    async with shell.started("serve", "--http", "--port", "0", **variables) as running:
        yield {"url": f"http://127.0.0.1:{await port_of(running)}/mcp", "token": ACCESS_TOKEN}


async def port_of(running: shell.Running) -> int:
    """Wait until a server is ready, and return the port that it was given."""
    assert running.process.stderr is not None
    said = b""
    async for line in running.process.stderr:
        said += line
        if b'"ready"' in line:
            return int(orjson.loads(line)["port"])
    pytest.fail(f"the server ended before it was ready: {said.decode()}")


APART: Mapping[str, frozenset[str]] = {
    "calm": frozenset(
        {
            "automod_create_rule",
            "commands_bulk_overwrite_global",
            "guild_modify_current_voice_state",
            "stickers_create_guild_sticker",
            "templates_diff",
            "templates_get",
            "templates_inspect",
        }
    ),
    "without a template": frozenset({"templates_create"}),
}
"""Tools whose usual call needs a sandbox that the usual calls of others have not changed: a limit not reached, say."""

WORLDS = {"busy": frozenset(own_tools()).difference(*APART.values()), **APART}


def calls(sandbox: Sandbox, names: Collection[str]) -> list[Call]:
    """Return calls of these tools: refused for a made-up argument, by Discord or with a preview, and then carried out.

    Tools that destroy are carried out last: others may need what they delete.
    """
    tools = {name: tool for name, tool in own_tools().items() if name in names}
    confirmed = [name for name in tools if tools[name].confirms]
    destroying_last = sorted(tools, key=lambda name: tools[name].effect.destroys)
    return [
        *(Call(name, {**example(sandbox, name), "made_up": True}, "VALIDATION_FAILED") for name in tools),
        *(Call(name, REFUSED[name].arguments, REFUSED[name].code) for name in tools if name in REFUSED),
        *(Call(name, {**example(sandbox, name), "__confirm": False}, "DRY_RUN_PREVIEW") for name in confirmed),
        *(Call(name, example(sandbox, name), "ok") for name in destroying_last),
    ]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("client", [SDK, CLIENT_2025, CLIENT_2026], ids=str)
async def test_the_client_takes_the_result_and_the_errors_of_every_tool(
    node: str, sandbox: Sandbox, client: Client, transport: Transport, world: str
) -> None:
    planned = calls(sandbox, WORLDS[world])

    async with served(sandbox, transport) as server:
        driven = await client.drive(node, server, [call.step for call in planned])

    met = zip(planned, driven["outcomes"], strict=True)
    wrong = [(call.tool, outcome, call.expected) for call, outcome in met if outcome != call.expected]
    assert (driven["era"], driven["checked"]) == (client.era, list(TOOLS))
    assert wrong == []


@pytest.mark.parametrize("client", [SDK, CLIENT_2025], ids=str)
async def test_a_call_in_a_session_that_is_over_is_answered_404_and_a_new_connection_works(
    node: str, sandbox: Sandbox, client: Client
) -> None:
    ask = Call("users_list_current_user_guilds", {}, "ok").step

    async with served(sandbox, "http") as server:
        driven = await client.drive(node, server, [ask, {"do": "end_session"}, ask, {"do": "connect"}, ask])

    assert driven["outcomes"] == ["ok", "ok", "HTTP 404", "ok", "ok"]
