"""`deside-mcp complete`: a model is asked once, and paid for within a cap."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from accord.deside.cli.acting import Actor, told
from accord.deside.cli.keeping import kept_until_answered, read_payment_file
from accord.deside.client import (
    Client,
    DesideError,
    GrantFile,
    LocalWallet,
    NotSignedInError,
    ToolFailedError,
    UnreachableError,
    UntrustworthyError,
)
from accord.deside.client.discovery import origin_of
from accord.deside.client.http import checked, is_loopback, opened
from accord.deside.payments.buyer import Buyer, Caps, NotPayingError
from accord.deside.payments.keys import key_of
from accord.deside.payments.rpc import HttpNode, Rpc, RpcError, RpcUnavailableError
from accord.deside.payments.solana import Solana
from accord.deside.usdc import DECIMALS, NETWORKS, Network, NetworkName
from accord.engine import Secret, visible
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json, put

__all__ = ["Wanted", "complete"]

Json: TypeAlias = Any

SCOPES: Final = ("llm:invoke",)

PUBLIC_NODES: Final[Mapping[NetworkName, str]] = {
    "mainnet": "https://api.mainnet-beta.solana.com",
    "devnet": "https://api.devnet.solana.com",
}
"""Solana's own (https://solana.com/docs/references/clusters). They learn an address and nothing else."""

AGAIN_SECONDS: Final = 5.0
MOST_AGAIN: Final = 18
"""While a payment is being served it is presented again, for 90 seconds: longer than a provider and a settlement take.

Twelve times in a minute, of the 20 calls that are allowed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked, and what it may cost; or the file of a payment that was signed for it before."""

    text: str
    tier: str
    max_tokens: int | None
    max_usdc: Decimal
    rpc: str | None
    payment_file: Path | None = None

    @property
    def arguments(self) -> dict[str, Json]:
        """The arguments of llm_complete."""
        asked = {"messages": [{"role": "user", "content": self.text}], "model": self.tier}
        return asked | ({} if self.max_tokens is None else {"max_tokens": self.max_tokens})

    @property
    def caps(self) -> Caps:
        """The most that is paid."""
        atoms = int(self.max_usdc * 10**DECIMALS)
        return Caps(per_payment=atoms, per_run=atoms)


@dataclass(frozen=True, slots=True)
class Purse:
    """Who pays, and the node that is asked what to sign with, where that is not one of Solana's own."""

    wallet: LocalWallet
    node: str | None


async def complete(actor: Actor, wanted: Wanted, *, names_wallet: bool) -> Exit:
    """Ask and, where it costs something, pay; print the answer, its cost and the receipt."""
    try:
        purse = await _purse(actor, wanted, names_wallet=names_wallet)
        kept = GrantFile.of(actor.home.state / "completion_grants", actor.url, purse.wallet.address)
        async with Client.connect(actor.url, purse.wallet, kept, scopes=SCOPES) as client:
            result = await _bought(client, purse, wanted, actor.home.state / "payments")
    except DesideError as error:
        return told(error, as_json=actor.as_json)
    except NotPayingError as error:
        return told(NotPaidError(f"nothing was paid: {error}"), as_json=actor.as_json)
    except (RpcError, RpcUnavailableError) as error:
        return told(NotPaidError(f"nothing was paid, since the node cannot be asked: {error}"), as_json=actor.as_json)
    if actor.as_json:
        print_json(result)
    else:
        _print(result)
    return Exit.DONE


class NotPaidError(DesideError):
    """Nothing was paid."""


async def _purse(actor: Actor, wanted: Wanted, *, names_wallet: bool) -> Purse:
    """Return the wallet that was named, else that of a sandbox that runs there, else that of this machine."""
    sandbox = f"{origin_of(actor.url)}/sandbox"
    found = None if names_wallet else await _sandbox_wallet(sandbox)
    if found is not None:
        return Purse(found, wanted.rpc or f"{sandbox}/rpc")
    return Purse(LocalWallet.load(actor.wallet_file), wanted.rpc)


async def _sandbox_wallet(sandbox: str) -> LocalWallet | None:
    if not is_loopback(urlsplit(sandbox).hostname or ""):
        return None  # a key from elsewhere is not used
    async with opened() as http:
        answer = await http.get(f"{sandbox}/wallet")
    if answer.status != 200 or not isinstance(answer.json, dict):  # noqa: PLR2004 - HTTP's own number
        return None
    try:
        return LocalWallet(key_of(Secret(str(answer.json["secretKey"]))))
    except (LookupError, ValueError):
        return None


async def _bought(client: Client, purse: Purse, wanted: Wanted, folder: Path) -> dict[str, Json]:
    """Ask, and pay where it has to be; a payment that was signed before is presented, and no other one is signed."""
    if wanted.payment_file is not None:
        payment = read_payment_file(wanted.payment_file)
    else:
        try:
            return await _asked(client, wanted.arguments)
        except ToolFailedError as error:
            payment = await _signed(purse, wanted, error)
    with kept_until_answered(payment, folder, wanted.payment_file):
        return await _presented(client, {**wanted.arguments, "payment": payment})


async def _signed(purse: Purse, wanted: Wanted, refused: ToolFailedError) -> str:
    """Sign for what was asked for, if that is why the call was refused."""
    if refused.code != "PAYMENT_REQUIRED":
        raise refused
    required = refused.body.get("data") or {}
    async with _buyer(purse, wanted, required) as buyer:
        return await buyer.pay(required)


async def _presented(client: Client, paid: Mapping[str, Json]) -> dict[str, Json]:
    """Present a payment, which is never charged twice: again while it is served, and once where no answer came."""
    was_lost = False
    for _ in range(MOST_AGAIN):
        try:
            return await _asked(client, paid)
        except UnreachableError:
            if was_lost:
                raise
            was_lost = True
        except ToolFailedError as error:
            if error.code != "CONFLICT":
                raise
            await asyncio.sleep(AGAIN_SECONDS)
    return await _asked(client, paid)


async def _asked(client: Client, arguments: Mapping[str, Json]) -> dict[str, Json]:
    try:
        return await client.call("llm_complete", **arguments)
    except NotSignedInError:
        await client.sign_in()
        return await client.call("llm_complete", **arguments)


@asynccontextmanager
async def _buyer(purse: Purse, wanted: Wanted, required: Mapping[str, Json]) -> AsyncIterator[Buyer]:
    name, network = _network_of(required)
    node = HttpNode(checked(purse.node or PUBLIC_NODES[name]))
    try:
        yield Buyer(purse.wallet, Solana(Rpc(node)), network, wanted.caps)
    finally:
        await node.close()


def _network_of(required: Mapping[str, Json]) -> tuple[NetworkName, Network]:
    """Return the network on which a service wants its money."""
    asked = [way.get("network") for way in required.get("accepts") or [] if isinstance(way, dict)]
    for name, network in NETWORKS.items():
        if network.caip2 in asked:
            return name, network
    raise UntrustworthyError("it wants its money on no network that is known")


def _print(result: Mapping[str, Json]) -> None:
    receipt = result["paymentReceipt"]
    lines = [visible(result["text"]), "", f"cost: {_usdc(result['cost'])} {result['currency']}"]
    if receipt is not None:
        lines.append(f"receipt: {receipt['transaction']} from {receipt['payer']} on {receipt['network']}")
    put("".join(f"{line}\n" for line in lines).encode(sys.stdout.encoding, errors="replace"))


def _usdc(cost: float) -> str:
    return f"{Decimal(str(cost)).normalize():f}"
