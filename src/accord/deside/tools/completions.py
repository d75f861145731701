"""completions: one answer of a language model, free or paid for."""

from __future__ import annotations

from typing import Unpack

from accord.deside.completions import Asked
from accord.deside.desk import Desk
from accord.deside.models.completions import Completed, Messages, Options, TierName
from accord.engine import Context, Effect, Toolset

__all__ = ["tools"]

tools = Toolset("completions", fence="untrusted_deside")


@tools.tool(Effect.CREATE, scope="llm:invoke", say="{model} answered, for {cost} {currency}.")
async def llm_complete(
    desk: Desk, context: Context, messages: Messages, model: TierName = "cheap", **options: Unpack[Options]
) -> Completed:
    """Ask a language model once; `model` is a tier.

    A paid tier first fails with PAYMENT_REQUIRED: sign `data` with x402 and repeat the same call with `payment`.
    Nothing is charged unless an answer comes back. Prompts and answers are not kept.
    """
    return await desk.complete(Asked.of(messages, model, options), context.when_answered)
