"""Waiting until it is known what became of a transaction that was sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from accord.deside.payments.rpc import RpcError, RpcUnavailableError
from accord.deside.payments.solana import Outcome, Solana

__all__ = ["Sleep", "confirmed"]

Sleep: TypeAlias = Callable[[float], Awaitable[None]]

POLL_SECONDS: Final = (0.0, 0.1, 0.2, 0.3, *[0.5] * 38)
"""Between two questions: twenty seconds in all. Forty are the provider's, and a blockhash lives about sixty."""


async def confirmed(solana: Solana, signature: str, sleep: Sleep) -> Outcome | None:
    """Return what became of it, None where that is not known after twenty seconds."""
    for seconds in POLL_SECONDS:
        await sleep(seconds)
        try:
            outcome = await solana.outcome(signature)
        except (RpcError, RpcUnavailableError):
            continue
        if outcome is not None:
            return outcome
    return None
