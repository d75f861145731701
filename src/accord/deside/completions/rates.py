"""How often a wallet may ask: within any minute, and apart for what is free and what is paid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from accord.deside.completions.tiers import Bucket
from accord.deside.errors import RateLimitedError
from accord.deside.wallets import Wallet
from accord.engine import State

__all__ = ["MOST_PER_MINUTE", "count_call"]

MOST_PER_MINUTE: Final[Mapping[Bucket, int]] = {"free": 5, "paid": 20}
"""Calls of a wallet (spec/deside.md 3). A quote is a call, and so is the paid one that follows it."""

WINDOW_SECONDS: Final = 60.0


async def count_call(state: State, wallet: Wallet, bucket: Bucket) -> None:
    """Count a call.

    Raises:
        RateLimitedError: The wallet has made as many as it may; this one does not count.
    """
    key = f"completions:{bucket}:{wallet}"
    wait = await state.count_in_window(key, window_seconds=WINDOW_SECONDS, limit=MOST_PER_MINUTE[bucket])
    if wait > 0:
        raise RateLimitedError(retry_after_ms=math.ceil(wait * 1000))
