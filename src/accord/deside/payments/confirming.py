"""Waiting until it is known what became of a transaction that was sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias, TypeVar

from accord.deside.payments.rpc import RpcError, RpcUnavailableError
from accord.deside.payments.solana import Outcome, Solana

__all__ = ["Sleep", "confirmed"]

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
Known = TypeVar("Known")

WAIT_SECONDS: Final = 20.0
"""How long is waited in all, however slow a node is. Forty are the provider's, and a blockhash lives about sixty."""

POLL_SECONDS: Final = (0.0, 0.1, 0.2, 0.3, *[0.5] * 38)
"""Between two questions."""


async def confirmed(solana: Solana, signature: str, sleep: Sleep, *, digest: str | None = None) -> Outcome | None:
    """Return what became of it, None where that is not known after twenty seconds.

    Args:
        solana: Who is asked.
        signature: Of the transaction, as whoever sent it says.
        sleep: Waits between two questions.
        digest: Of what was to be sent, where it is not sure that this is it; another transaction counts as none.
    """
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            outcome = await _known(partial(solana.outcome, signature), sleep)
            if outcome is None or digest is None:
                return outcome
            # A node may know of a status before it has the transaction.
            return outcome if await _known(partial(solana.digest, signature), sleep) == digest else None
    except TimeoutError:
        return None


async def _known(ask: Callable[[], Awaitable[Known | None]], sleep: Sleep) -> Known | None:
    """Ask until there is an answer."""
    for seconds in POLL_SECONDS:
        await sleep(seconds)
        try:
            known = await ask()
        except (RpcError, RpcUnavailableError):
            continue
        if known is not None:
            return known
    return None
