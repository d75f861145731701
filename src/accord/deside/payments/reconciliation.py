"""What became of payments whose process died or stopped waiting: asked of the chain until nothing can land any more."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from accord.deside.payments.books import Books
from accord.deside.payments.ledger import Sale
from accord.deside.payments.rpc import RpcError, RpcUnavailableError
from accord.deside.payments.solana import BLOCKHASH_BLOCKS, Outcome, Solana
from accord.deside.payments.wire import receipt_of
from accord.engine import logger

__all__ = ["Reconciled", "Reconciliation"]

Found: TypeAlias = Literal["owed", "failed", "open"]

RESERVED_MS: Final = 120_000
"""A reservation that is older is nobody's: the provider has 40 seconds, settling about 60."""

SETTLING_MS: Final = 60_000
"""Whoever settles is waiting himself until then: for a remote facilitator 35 seconds, for the chain 20."""

LAGGING_BLOCKS: Final = BLOCKHASH_BLOCKS
"""How far the nodes behind one URL may lie apart: so many blocks later than a blockhash is dead it counts as dead."""

UNFOUND_MS: Final = 300_000
"""What is not found is not given up earlier, whatever heights say: the one written down may be of a node far behind."""

QUOTES_MS: Final = 24 * 3_600_000
"""How long a quote is kept that nobody paid."""

EVERY_SECONDS: Final = 5.0
AT_ONCE: Final = 100
"""Payments looked at in one round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What one round found out: nonces by what became of them."""

    released: tuple[str, ...] = ()
    owed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


class Reconciliation:
    """Looks after what nobody looks after. Any number of replicas may do so at once: each step is one statement."""

    def __init__(self, books: Books, solana: Solana) -> None:
        self._books = books
        self._solana = solana

    async def forever(self) -> None:
        """Do a round every few seconds until cancelled; a round that fails is logged, and the next one tries again."""
        while True:
            try:
                await self.round()
            except Exception as error:  # noqa: BLE001 - it must outlive whatever a database or a node does
                logger("deside.payments").warning("reconciliation_failed", error=type(error).__name__)
            await asyncio.sleep(EVERY_SECONDS)

    async def round(self) -> Reconciled:
        """Look at everything once."""
        await self._books.forget_quotes(QUOTES_MS)
        released = await self._released()
        settling = await self._books.older(frozenset({"settling"}), SETTLING_MS, AT_ONCE)
        if not settling:
            return Reconciled(released=released)
        # The height comes first: what landed below it is seen by whoever asks later.
        final_height = await self._solana.final_height()
        verdicts = [(sale.nonce, await self._resolved(sale, final_height)) for sale in settling]
        return Reconciled(
            released=released,
            **{
                state: tuple(nonce for nonce, found in verdicts if found == state)
                for state in ("owed", "failed", "open")
            },
        )

    async def _released(self) -> tuple[str, ...]:
        stale = await self._books.older(frozenset({"reserved", "answered"}), RESERVED_MS, AT_ONCE)
        released = [await self._books.release(sale.nonce) for sale in stale]
        return tuple(sale.nonce for sale in released if sale is not None)

    async def _resolved(self, sale: Sale, final_height: int) -> Found:
        try:
            outcome = await self._outcome(sale)
        except (RpcError, RpcUnavailableError):
            return "open"
        if outcome is not None and outcome.succeeded:
            await self._owed(sale, outcome.signature)
            return "owed"
        if outcome is None and self._may_still_land(sale, final_height):
            return "open"
        await self._books.fail(sale.nonce)
        return "failed"

    def _may_still_land(self, sale: Sale, final_height: int) -> bool:
        is_alive = final_height <= (sale.last_block_height or 0) + LAGGING_BLOCKS
        return is_alive or self._books.now_ms - sale.state_ms < UNFOUND_MS

    async def _outcome(self, sale: Sale) -> Outcome | None:
        signature = sale.signature or await self._solana.find(
            sale.payer or "", sale.nonce, sale.digest or "", sale.reserved_ms or 0
        )
        return None if signature is None else await self._solana.outcome(signature, long_ago=True)

    async def _owed(self, sale: Sale, signature: str) -> None:
        receipt = receipt_of(sale.requirements, signature=signature, payer=sale.payer or "")
        if await self._books.arrive(sale.nonce, receipt, is_answered=False) is not None:
            logger("deside.payments").warning("answer_owed", nonce=sale.nonce, transaction=signature)
