"""Agents of both generations, strict about every step of the contract, at a server that was just started."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import orjson
import pytest
from tests.deside.completions.upstream import answered, upstream
from tests.deside.process import Served, served
from tests.discord.cli import shell
from tests.npm import node_with

from accord.deside.client import LocalWallet

FOLDER: Final = Path(__file__).parent / "agents"

Json: TypeAlias = dict[str, Any]
Generation: TypeAlias = Literal["july", "august"]

MODES: Final = [("july", "lazy"), ("august", "lazy"), ("august", "strict")]
"""Which generation a server takes in which mode: July's agents begin without a token, which strict does not let in."""


@pytest.fixture(scope="session")
def node() -> str:
    """Node, with what the agents need installed."""
    return node_with(FOLDER, "agents of the wallet contract")


@dataclass(frozen=True)
class Agent:
    """An agent that runs."""

    running: shell.Running

    async def said(self) -> Json:
        """Return its next line."""
        line = await self.running.line()
        assert line, (await self.running.end()).err
        return dict(orjson.loads(line))


@asynccontextmanager
async def agent(
    node: str, server: Served, generation: Generation, wallet: LocalWallet, **variables: str
) -> AsyncIterator[Agent]:
    """Start an agent of this wallet."""
    own = {"GENERATION": generation, "MCP_BASE_URL": server.url, "AGENT_SECRET_KEY_B58": wallet.reveal()}
    async with shell.started(str(FOLDER / "agent.mjs"), program=node, **own, **variables) as running:
        yield Agent(running)


async def ran(node: str, server: Served, generation: Generation, wallet: LocalWallet, **variables: str) -> Json:
    """Let an agent do all it is to do."""
    async with agent(node, server, generation, wallet, **variables) as started:
        return await started.said()


@pytest.mark.parametrize(("generation", "mode"), MODES)
async def test_an_agent_signs_in_writes_and_another_one_gets_the_push(
    node: str, tmp_path: Path, generation: Generation, mode: str
) -> None:
    reader, writer = LocalWallet.new(), LocalWallet.new()
    async with (
        served(tmp_path, DESIDE_SESSION_MODE=mode) as server,
        agent(node, server, generation, reader, WATCH_PUSH="1") as watching,
    ):
        assert await watching.said() == {"step": "watching", "wallet": reader.address}
        wrote = await ran(node, server, generation, writer, TO_WALLET=reader.address, TEXT="x" * 150)
        got = await watching.said()

    assert wrote["ok"] is True
    assert wrote["before"] == 0
    assert wrote["sent"]["seq"] == 1
    push = got["push"]
    assert (push["sender"], push["preview"]) == (writer.address, "x" * 100)
    assert (push["convId"], push["seq"], push["isNewConversation"]) == (wrote["sent"]["convId"], 1, True)


@pytest.mark.parametrize(("generation", "mode"), MODES)
async def test_an_agent_sends_what_a_free_model_says(
    node: str, tmp_path: Path, generation: Generation, mode: str
) -> None:
    wallet, other = LocalWallet.new(), LocalWallet.new()
    loop = {"OAUTH_SCOPE": "dm:read dm:write llm:invoke", "MINI_AGENT_LLM_FREE": "1"}
    async with (
        upstream(answered("Good evening.")) as model,
        served(
            tmp_path, DESIDE_SESSION_MODE=mode, DESIDE_LLM_FREE_BASE_URL=model.url, DESIDE_LLM_FREE_MODEL="small"
        ) as server,
    ):
        await ran(node, server, generation, other)
        told = await ran(node, server, generation, wallet, TO_WALLET=other.address, **loop)

    assert (told["before"], told["said"], told["sent"]["seq"]) == (0, "Good evening.", 1)


async def test_in_strict_mode_a_wallets_second_process_adopts_the_session_of_the_first(
    node: str, tmp_path: Path
) -> None:
    wallet, other = LocalWallet.new(), LocalWallet.new()
    async with (
        served(tmp_path, DESIDE_SESSION_MODE="strict") as server,
        agent(node, server, "august", wallet, WATCH_PUSH="1") as first,
    ):
        await first.said()
        second = await ran(node, server, "august", wallet)
        await ran(node, server, "august", other, TO_WALLET=wallet.address)
        got = await first.said()

    assert second["adopted"] is True
    assert (got["adopted"], got["push"]["sender"]) == (False, other.address)


async def test_in_the_default_mode_each_process_has_a_session_and_both_get_the_push(node: str, tmp_path: Path) -> None:
    wallet, other = LocalWallet.new(), LocalWallet.new()
    async with (
        served(tmp_path) as server,
        agent(node, server, "july", wallet, WATCH_PUSH="1") as first,
        agent(node, server, "august", wallet, WATCH_PUSH="1") as second,
    ):
        await asyncio.gather(first.said(), second.said())
        await ran(node, server, "july", other, TO_WALLET=wallet.address)
        got = [await first.said(), await second.said()]

    assert [(one["adopted"], one["push"]["sender"]) for one in got] == [(False, other.address)] * 2


async def test_the_next_run_of_an_agent_finds_what_it_wrote(node: str, tmp_path: Path) -> None:
    wallet, other = LocalWallet.new(), LocalWallet.new()
    async with served(tmp_path) as server:
        await ran(node, server, "july", other)
        first = await ran(node, server, "july", wallet, TO_WALLET=other.address)
        second = await ran(node, server, "august", wallet, TO_WALLET=other.address)

    assert (first["conversations"], first["before"], first["sent"]["seq"]) == (0, 0, 1)
    assert (second["conversations"], second["before"], second["sent"]["seq"]) == (1, 1, 2)
