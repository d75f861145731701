"""What selling asks of Solana, and what the answers mean."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
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

MOST_PAGES: Final = 20
"""So many times 1,000 transactions of one payer are looked through: more than any wallet makes in some minutes."""

CLOCKS_APART_SECONDS: Final = 600
"""So far, at most, is the chain's clock behind ours: what it dates earlier than that was there before."""


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

    async def find(self, payer: str, memo: str, digest: str, since_ms: int) -> str | None:
        """Find the signature of a payer's transaction by its memo, where somebody else signed it first.

        None is said where certainly none has landed since that time. Where the node did not show all since then, or has
        not got a transaction yet that may be the one, it counts as not having answered.
        """
        is_all_read = True
        async for signature in self._with_memo(payer, memo, since_ms // 1000 - CLOCKS_APART_SECONDS):
            found = await self.digest(signature)
            if found == digest:
                return signature
            is_all_read = is_all_read and found is not None
        if not is_all_read:
            raise RpcUnavailableError("getTransaction: a transaction that landed is not there yet")
        return None

    async def _with_memo(self, payer: str, memo: str, since: int) -> AsyncIterator[str]:
        """Yield the signatures of a payer's transactions with a memo since a time, the newest first."""
        options: dict[str, Json] = {"limit": MOST_SIGNATURES, **CONFIRMED}
        for _ in range(MOST_PAGES):
            page = await self._ask("getSignaturesForAddress", payer, options, read=_signed)
            for one in page:
                if memo in one.memo:
                    yield one.signature
            if not page or page[-1].is_before(since):
                return
            options["before"] = page[-1].signature
        raise RpcUnavailableError("getSignaturesForAddress: there are more than can be looked through")

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


@dataclass(frozen=True, slots=True)
class _Signed:
    """A transaction that landed, as a node lists it; it may not know when that was."""

    signature: str
    memo: str
    at: int | None

    def is_before(self, time: int) -> bool:
        return self.at is not None and self.at < time


def _signed(said: Json) -> list[_Signed]:
    return [_Signed(str(one["signature"]), str(one["memo"] or ""), _whole(one.get("blockTime"))) for one in said]


def _whole(seconds: Json) -> int | None:
    return None if seconds is None else int(seconds)


def _digest(said: Json) -> str | None:
    return None if said is None else digest_of(read_base64(said["transaction"][0]))
