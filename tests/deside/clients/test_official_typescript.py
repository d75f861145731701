"""The official TypeScript clients sign in by themselves: discovery, registration, PKCE; a person's wallet signs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import orjson
import pytest
from tests.deside.clients.browser import REDIRECT_URI, sent_back
from tests.deside.process import Served, served
from tests.discord.cli import shell
from tests.npm import node_with

from accord.deside.client import LocalWallet

FOLDER: Final = Path(__file__).parents[2] / "clients" / "typescript"


@pytest.fixture(scope="session")
def node() -> str:
    """Node, with the clients of the lock file installed."""
    return node_with(FOLDER, "the official TypeScript clients")


async def driven(
    node: str, server: Served, package: str, wallet: LocalWallet, steps: list[dict[str, Any]]
) -> tuple[int, list[dict[str, Any]]]:
    """Return how often a person was sent to sign in, and what came of each call."""
    pages = 0
    plan = {"client": package, "url": f"{server.url}/mcp", "redirectUri": REDIRECT_URI, "steps": steps}
    async with shell.started(str(FOLDER / "sign_in.mjs"), program=node) as running:
        assert running.process.stdin is not None
        running.process.stdin.write(orjson.dumps(plan) + b"\n")
        while True:
            line = await running.line()
            assert line, (await running.end()).err
            said = orjson.loads(line)
            if "results" in said:
                return pages, said["results"]
            pages += 1
            running.process.stdin.write(orjson.dumps(await sent_back(said["authorize"], wallet)) + b"\n")


@pytest.mark.parametrize("mode", ["lazy", "strict"])
@pytest.mark.parametrize("package", ["sdk", "client"])
async def test_it_signs_in_once_and_writes(node: str, tmp_path: Path, package: str, mode: str) -> None:
    wallet, other = LocalWallet.new(), LocalWallet.new()
    who = {"tool": "get_my_identity", "arguments": {}}
    write = {"tool": "send_dm", "arguments": {"to_wallet": other.address, "text": "hello"}}
    async with served(tmp_path, DESIDE_SESSION_MODE=mode) as server:
        await driven(node, server, package, other, [who])
        pages, (identity, sent) = await driven(node, server, package, wallet, [who, write])

    assert pages == 1
    assert (identity["isError"], identity["wallet"]) == (False, wallet.address)
    assert (sent["isError"], sent["status"], sent["seq"]) == (False, "delivered", 1)
