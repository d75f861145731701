"""A tier's provider is asked once, within a deadline."""

from __future__ import annotations

import asyncio
from typing import Final

from accord.deside.completions.provider import Answer, Prompt, ProviderFailed
from accord.deside.completions.tiers import Tier
from accord.deside.errors import ProviderTimeoutError
from accord.engine import logger

__all__ = ["PROVIDER_SECONDS", "answer_of"]

_log = logger("accord.deside.completions")

PROVIDER_SECONDS: Final = 40.0
"""How long a provider may take.

With the settlement it must fit in the life of the payer's transaction, which ends 60 to 90 seconds after it was signed,
and in the 45 seconds of a call.
"""


async def answer_of(tier: Tier, prompt: Prompt, seconds: float) -> Answer:
    """Ask, and return the answer.

    Raises:
        ProviderFailed: There is none, or it took too long.
    """
    try:
        async with asyncio.timeout(seconds):
            return await tier.provider.complete(prompt)
    except TimeoutError:
        _log.warning("provider failed", code=ProviderTimeoutError.code, tier=tier.name, cause="deadline")
        raise ProviderFailed(ProviderTimeoutError(), reached=True) from None
