"""What selling asks of Solana, and what the answers mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from accord.deside.payments.rpc import Rpc, RpcUnavailableError
from accord.deside.payments.transactions import digest_of, read_base64

__all__ = ["BLOCKHASH_BLOCKS", "Outcome", "Solana"]

Json: TypeAlias = Any
Read = TypeVar("Read")

BLOCKHASH_BLOCKS: Final = 150
"""How many blocks a blockhash lives (https://solana.com/docs/core/transactions#recent-blockhash)."""

CONFIRMED: Final = {"commitment": "confirmed"}
FINALIZED: Final = {"commitment": "finalized"}
SURE: Final = frozenset({"confirmed", "finalized"})

MOST_SIGNATURES: Final = 1000
"""As many as a node returns at once."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a transaction that landed: whether it did what it says, or failed."""

    signature: str
    succeeded: bool


class Solana:
    """A node, asked by what selling wants to know. Every method raises RpcError and RpcUnavailableError."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    async def simulate(self, transaction: str) -> Json:
        """Return how a signed transaction would fail, None where it would not."""
        options = {"encoding": "base64", "sigVerify": True, **CONFIRMED}
        return await self._ask("simulateTransaction", transaction, options, read=lambda said: said["value"]["err"])

    async def send(self, transaction: str) -> str:
        """Send a signed transaction, which the node tries first; return its signature."""
        options = {"encoding": "base64", "preflightCommitment": "confirmed"}
        return await self._ask("sendTransaction", transaction, options, read=str)

    async def outcome(self, signature: str, *, long_ago: bool = False) -> Outcome | None:
        """Return what became of a transaction; None while that is not known or not sure.

        Confirmed does not mean that it succeeded: a transaction that failed is confirmed as well, and pays nothing.
        """
        options = {"searchTransactionHistory": long_ago}
        return await self._ask(
            "getSignatureStatuses", [signature], options, read=lambda said: _outcome(signature, said["value"][0])
        )

    async def height(self) -> int:
        """Return the height of the newest block."""
        return await self._ask("getBlockHeight", CONFIRMED, read=int)

    async def final_height(self) -> int:
        """Return the height of the newest block that cannot be undone."""
        return await self._ask("getBlockHeight", FINALIZED, read=int)

    async def digest(self, signature: str) -> str | None:
        """Return the digest of a transaction that landed, None where none did."""
        options = {"encoding": "base64", "maxSupportedTransactionVersion": 0, **CONFIRMED}
        return await self._ask("getTransaction", signature, options, read=_digest)

    async def find(self, payer: str, memo: str, digest: str) -> str | None:
        """Find the signature of a payer's transaction by its memo, where somebody else signed it first."""
        options = {"limit": MOST_SIGNATURES, **CONFIRMED}
        for signature in await self._ask(
            "getSignaturesForAddress", payer, options, read=lambda said: _with_memo(said, memo)
        ):
            if await self.digest(signature) == digest:
                return signature
        return None

    async def blockhash(self) -> str:
        """Return a blockhash to sign with."""
        return await self._ask("getLatestBlockhash", CONFIRMED, read=lambda said: str(said["value"]["blockhash"]))

    async def genesis(self) -> str:
        """Return the hash of the first block, which says which network this is."""
        return await self._ask("getGenesisHash", read=str)

    async def has_account(self, address: str) -> bool:
        """Whether there is an account at this address."""
        options = {"encoding": "base64", **CONFIRMED}
        return await self._ask("getAccountInfo", address, options, read=lambda said: said["value"] is not None)

    async def lamports(self, address: str) -> int:
        """Return the SOL of an address, in lamports."""
        return await self._ask("getBalance", address, CONFIRMED, read=lambda said: int(said["value"]))

    async def _ask(self, method: str, *params: Json, read: Callable[[Json], Read]) -> Read:
        """Ask; an answer of another form than Solana's counts as none."""
        said = await self._rpc(method, *params)
        try:
            return read(said)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise RpcUnavailableError(f"{method}: an answer of another form") from None


def _outcome(signature: str, status: Json) -> Outcome | None:
    if status is None or status["confirmationStatus"] not in SURE:
        return None
    return Outcome(signature, succeeded=status["err"] is None)


def _with_memo(landed: Json, memo: str) -> list[str]:
    return [str(one["signature"]) for one in landed if memo in (one["memo"] or "")]


def _digest(said: Json) -> str | None:
    return None if said is None else digest_of(read_base64(said["transaction"][0]))
