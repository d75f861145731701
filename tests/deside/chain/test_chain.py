"""The chain in process behaves as a node does, as far as paying takes it, and is there for this machine alone."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.token.state import Mint
from solders.transaction import VersionedTransaction
from tests.deside.payments.serving import on_port

from accord.deside.chain import Chain, ChainSandbox, sandbox_app
from accord.deside.chain.methods import METHODS, answered

USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"

Json = Any


@pytest.fixture
def sandbox() -> ChainSandbox:
    return ChainSandbox()


def ask(chain: Chain, method: str, *params: Json) -> Json:
    """Return the result of a request, or its error."""
    said = answered(chain, {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
    assert said["id"] == 1
    return said.get("result", said.get("error"))


def transfer_of(sandbox: ChainSandbox, lamports: int, blockhash: str | None = None) -> VersionedTransaction:
    """Return a signed transfer of SOL from the fee payer to itself."""
    own = sandbox.fee_payer.pubkey()
    instruction = transfer(TransferParams(from_pubkey=own, to_pubkey=own, lamports=lamports))
    recent = Hash.from_string(blockhash or sandbox.chain.blockhash)
    return VersionedTransaction(MessageV0.try_compile(own, [instruction], [], recent), [sandbox.fee_payer])


def wired(transaction: VersionedTransaction) -> str:
    return base64.b64encode(bytes(transaction)).decode()


def test_usdc_lies_where_it_lies_on_mainnet(sandbox: ChainSandbox) -> None:
    account = ask(sandbox.chain, "getAccountInfo", USDC, {"encoding": "base64"})["value"]

    assert Mint.from_bytes(base64.b64decode(account["data"][0])).decimals == 6
    assert ask(sandbox.chain, "getGenesisHash").startswith("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp")


def test_the_sandbox_has_a_wallet_with_money_and_a_treasury_that_can_be_paid(sandbox: ChainSandbox) -> None:
    assert sandbox.balance(sandbox.wallet) == 100_000_000
    assert sandbox.balance(sandbox.treasury) == 0
    assert str(Keypair.from_base58_string(sandbox.secret_key).pubkey()) == sandbox.wallet
    assert sandbox.secret_key not in repr(sandbox)


def test_a_wallet_can_be_funded_again_and_again(sandbox: ChainSandbox) -> None:
    wallet = str(Keypair().pubkey())

    sandbox.fund(wallet, 5)
    sandbox.fund(wallet, 7)

    assert sandbox.balance(wallet) == 12


def test_a_transaction_lands_once(sandbox: ChainSandbox) -> None:
    sent = wired(transfer_of(sandbox, 1))

    signature = ask(sandbox.chain, "sendTransaction", sent)

    (status,) = ask(sandbox.chain, "getSignatureStatuses", [signature])["value"]
    assert (status["err"], status["confirmationStatus"]) == (None, "finalized")
    again = ask(sandbox.chain, "sendTransaction", sent)
    assert (again["code"], again["data"]["err"]) == (-32002, "AlreadyProcessed")
    assert ask(sandbox.chain, "getTransaction", signature)["transaction"][0] == sent
    history = ask(sandbox.chain, "getSignaturesForAddress", str(sandbox.fee_payer.pubkey()), {"limit": 10})
    assert [one["signature"] for one in history] == [signature]


def test_what_fails_its_preflight_is_not_sent(sandbox: ChainSandbox) -> None:
    refused = ask(sandbox.chain, "sendTransaction", wired(transfer_of(sandbox, 10**18)))

    assert refused["code"] == -32002
    assert refused["data"]["err"] == {"InstructionError": [0, {"Custom": 1}]}
    assert sandbox.chain.history(str(sandbox.fee_payer.pubkey())) == []


def test_without_a_preflight_it_lands_and_fails(sandbox: ChainSandbox) -> None:
    signature = ask(sandbox.chain, "sendTransaction", wired(transfer_of(sandbox, 10**18)), {"skipPreflight": True})

    (status,) = ask(sandbox.chain, "getSignatureStatuses", [signature])["value"]
    assert status["err"] == {"InstructionError": [0, {"Custom": 1}]}
    assert status["confirmationStatus"] == "finalized"


def test_a_blockhash_ages(sandbox: ChainSandbox) -> None:
    latest = ask(sandbox.chain, "getLatestBlockhash")["value"]
    assert ask(sandbox.chain, "isBlockhashValid", latest["blockhash"])["value"]
    before = ask(sandbox.chain, "getBlockHeight")

    sandbox.chain.age()

    assert not ask(sandbox.chain, "isBlockhashValid", latest["blockhash"])["value"]
    assert ask(sandbox.chain, "getBlockHeight") > before + 150
    simulated = ask(sandbox.chain, "simulateTransaction", wired(transfer_of(sandbox, 1, latest["blockhash"])))
    assert simulated["value"]["err"] == "BlockhashNotFound"


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("getSomething", [], -32601),
        ("getBalance", ["no address"], -32602),
        ("getBalance", [], -32602),
        ("sendTransaction", ["%%%"], -32602),
        ("getTokenAccountBalance", [str(Keypair().pubkey())], -32602),
    ],
)
def test_what_cannot_be_done_is_an_error(sandbox: ChainSandbox, method: str, params: list[Json], code: int) -> None:
    assert ask(sandbox.chain, method, *params)["code"] == code


def test_every_method_that_paying_takes_is_there() -> None:
    assert set(METHODS) == {
        "getAccountInfo",
        "getBalance",
        "getBlockHeight",
        "getGenesisHash",
        "getHealth",
        "getLatestBlockhash",
        "getMinimumBalanceForRentExemption",
        "getSignatureStatuses",
        "getSignaturesForAddress",
        "getSlot",
        "getTokenAccountBalance",
        "getTransaction",
        "getVersion",
        "isBlockhashValid",
        "sendTransaction",
        "simulateTransaction",
    }


def test_what_is_small_is_answered(sandbox: ChainSandbox) -> None:
    chain, own = sandbox.chain, str(sandbox.fee_payer.pubkey())
    assert ask(chain, "getHealth") == "ok"
    assert ask(chain, "getVersion")["solana-core"]
    assert ask(chain, "getSlot") == ask(chain, "getBlockHeight")
    assert ask(chain, "getBalance", own)["value"] == 10**10
    assert ask(chain, "getMinimumBalanceForRentExemption", 165) > 0
    assert ask(chain, "getAccountInfo", str(Pubkey.default()))["value"] is not None
    assert ask(chain, "getAccountInfo", str(Keypair().pubkey()))["value"] is None


# --- The sandbox over HTTP ---


@pytest.fixture
async def url(sandbox: ChainSandbox) -> AsyncIterator[str]:
    async with on_port(sandbox_app(sandbox)) as served:
        yield served


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def test_the_sandbox_gives_its_key_and_its_money_away(
    sandbox: ChainSandbox, url: str, http: aiohttp.ClientSession
) -> None:
    async with http.get(f"{url}/wallet") as answer:
        assert await answer.json() == {"wallet": sandbox.wallet, "secretKey": sandbox.secret_key}
    other = str(Keypair().pubkey())
    async with http.post(f"{url}/fund", json={"wallet": other, "usdc": 7}) as answer:
        assert await answer.json() == {"usdc": "7"}
    async with http.get(f"{url}/balance/{other}") as answer:
        assert await answer.json() == {"usdc": "7"}
    async with http.post(f"{url}/rpc", json={"id": 1, "method": "getHealth"}) as answer:
        assert await answer.json() == {"jsonrpc": "2.0", "id": 1, "result": "ok"}


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"wallet": "x", "usdc": 1}', b'{"wallet": "x", "usdc": -1}', b'{"usdc": 10000000000000}'],
)
async def test_what_cannot_be_funded_is_refused(url: str, http: aiohttp.ClientSession, body: bytes) -> None:
    async with http.post(f"{url}/fund", data=body) as answer:
        assert answer.status == 400


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{}", b'{"method": "getHealth", "params": 7}'])
async def test_what_is_no_json_rpc_is_an_error(url: str, http: aiohttp.ClientSession, body: bytes) -> None:
    async with http.post(f"{url}/rpc", data=body) as answer:
        assert answer.status == 200
        said = await answer.json()

    assert "error" in said or said["result"] == "ok"


async def test_no_balance_of_what_is_no_address(url: str, http: aiohttp.ClientSession) -> None:
    async with http.get(f"{url}/balance/nobody") as answer:
        assert answer.status == 400


@pytest.mark.parametrize("path", ["/wallet", "/balance/x", "/rpc", "/fund"])
@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "evil.example:3100"}, {"Origin": "https://evil.example"}, {"Origin": "null"}],
)
async def test_the_sandbox_is_for_this_machine_alone(
    url: str, http: aiohttp.ClientSession, path: str, headers: dict[str, str]
) -> None:
    async with http.get(url + path, headers=headers) as answer:
        assert answer.status == 403
