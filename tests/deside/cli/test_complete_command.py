"""`deside-mcp serve --sandbox` and `deside-mcp complete`: the whole paid flow with two commands and no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import orjson
import pytest
from tests.deside.cli.command import ran, started
from tests.deside.completions.node import node
from tests.deside.completions.upstream import upstream
from tests.deside.served import served

from accord.deside.client.wallet import LocalWallet

REFUSED, FAILED = 4, 3


@asynccontextmanager
async def sandbox(home: Path, **variables: str) -> AsyncIterator[str]:
    """Run a sandbox on a free port, and give its URL."""
    async with started("serve", "--sandbox", "--port", "0", home=home, **variables) as running:
        assert running.process.stderr is not None
        async with asyncio.timeout(30):
            while b'"ready"' not in (line := await running.process.stderr.readline()):
                assert line, "it ended"
        yield f"http://127.0.0.1:{orjson.loads(line)['port']}"


async def balance_of(url: str, wallet: str) -> int:
    async with aiohttp.ClientSession() as http, http.get(f"{url}/sandbox/balance/{wallet}") as answer:
        return int((await answer.json())["usdc"])


async def test_a_completion_is_paid_for_at_a_sandbox_with_one_command(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as url:
        said = await ran("complete", "--url", url, "--tier", "strong", "--json", "two and two", home=tmp_path)
        told = await ran("complete", "--url", url, "four and four", home=tmp_path)
        result = said.json
        payer = result["paymentReceipt"]["payer"]
        left = await balance_of(url, payer)

    assert (said.code, said.err) == (0, "")
    assert (result["text"], result["model"], result["cost"], result["currency"]) == (
        "two and two",
        "strong",
        0.05,
        "USDC",
    )
    assert (told.code, told.err) == (0, "")
    text, empty, cost, receipt = told.out.splitlines()
    assert (text, empty, cost) == ("four and four", "", "cost: 0.002 USDC")
    assert receipt.startswith("receipt: ")
    assert payer in receipt
    assert left == 100_000_000 - 50_000 - 2_000


async def test_a_free_completion_needs_no_money_and_says_so(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as url:
        told = await ran("complete", "--url", url, "--tier", "free", "hello", home=tmp_path)

    assert (told.code, told.out) == (0, "hello\n\ncost: 0 USDC\n")


async def test_a_client_pays_no_more_than_it_may(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as url:
        told = await ran(
            "complete", "--url", url, "--tier", "strong", "--max-spend", "0.049", "--json", "x", home=tmp_path
        )
        async with aiohttp.ClientSession() as http, http.get(f"{url}/sandbox/wallet") as answer:
            left = await balance_of(url, (await answer.json())["wallet"])

    assert told.code == FAILED
    assert told.json["error"] == "NotPaid"
    assert "it costs 0.05 USDC, and 0.049 USDC is the most" in told.json["message"]
    assert left == 100_000_000


@pytest.mark.parametrize(
    ("words", "variables", "said"),
    [
        (("--host", "0.0.0.0", "--allowed-host", "x"), {}, "--host: must be loopback"),  # noqa: S104 - it is refused
        ((), {"DESIDE_MODE": "production", "DESIDE_PUBLIC_URL": "https://x.example"}, "DESIDE_MODE: must be local"),
        ((), {"LLM_ENABLED": "false"}, "LLM_ENABLED: must not be false"),
        (
            (),
            {"DESIDE_LLM_FREE_BASE_URL": "http://127.0.0.1:1", "DESIDE_LLM_FREE_MODEL": "m"},
            "DESIDE_LLM_FREE_BASE_URL: is not asked by a sandbox",
        ),
        (
            (),
            {
                "DESIDE_PAY_TO": "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
                "DESIDE_SOLANA_RPC_URL": "http://127.0.0.1:1",
                "DESIDE_FACILITATOR_URL": "http://127.0.0.1:1",
            },
            "DESIDE_PAY_TO: takes real money",
        ),
    ],
)
async def test_a_sandbox_refuses_whatever_is_meant_in_earnest(
    tmp_path: Path, words: tuple[str, ...], variables: dict[str, str], said: str
) -> None:
    told = await ran("serve", "--sandbox", "--port", "0", *words, home=tmp_path, **variables)

    assert (told.code, told.out) == (REFUSED, "")
    assert said in told.err


async def test_a_wallet_of_ones_own_pays_at_a_service_that_is_no_sandbox(tmp_path: Path) -> None:
    wallet = tmp_path / "wallet.json"
    async with node() as chain, upstream() as model:
        LocalWallet(chain.sandbox.payer).save(wallet)
        env = {"DESIDE_LLM_CHEAP_BASE_URL": model.url, "DESIDE_LLM_CHEAP_MODEL": "m", **chain.settings}
        async with served(f"sqlite:///{tmp_path / 'deside.db'}", env=env) as service:
            url = f"http://127.0.0.1:{service.port}"
            words = ("--url", url, "--wallet", str(wallet), "--rpc", chain.url)
            told = await ran("complete", *words, "two and two", home=tmp_path)

    assert told.out.splitlines()[0] == "Four."
    assert (told.code, chain.earned) == (0, 2_000)


async def test_nothing_kept_of_a_sandbox_lies_on_the_disk(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as url:
        await ran("complete", "--url", url, "canary", home=tmp_path)

    assert holding(tmp_path, b"canary") == []


def holding(folder: Path, text: bytes) -> list[Path]:
    """Return the databases in a folder, and the files that hold a text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if path.suffix == ".db" or text in path.read_bytes()]
