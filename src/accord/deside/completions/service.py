"""Completions: what is asked of a wallet's call, in its order, and what comes of it (spec/deside.md 5)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from accord.deside.completions.budgets import Budgets
from accord.deside.completions.digests import Digests
from accord.deside.completions.provider import Answer, Prompt, ProviderFailed
from accord.deside.completions.rates import count_call
from accord.deside.completions.tiers import Tier, Tiers
from accord.deside.errors import (
    InputTooLargeError,
    ModelUnavailableError,
    PaymentRequiredError,
    ProviderTimeoutError,
)
from accord.deside.models.completions import (
    MOST_CHARACTERS,
    MOST_MESSAGES,
    Completed,
    Message,
    Options,
    PaymentReceipt,
    TierName,
)
from accord.deside.payments import Held, Order, Owed, Resource, Seller, Settled
from accord.deside.wallets import Wallet
from accord.engine import State, ToolError, logger

__all__ = ["PROVIDER_SECONDS", "Asked", "Completions"]

_log = logger("accord.deside.completions")

Result = TypeVar("Result")

PROVIDER_SECONDS: Final = 40.0
"""How long a provider may take.

With the settlement it must fit in the life of the payer's transaction, which ends 60 to 90 seconds after it was signed,
and in the 45 seconds of a call.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller asks for. Neither its messages nor its payment are in its repr."""

    messages: list[Message] = field(repr=False)
    tier: TierName
    max_tokens: int | None = None
    temperature: float = 1.0
    payment: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, messages: list[Message], tier: TierName, options: Options) -> Asked:
        """Make it of a tool's checked arguments."""
        return cls(messages=messages, tier=tier, **options)


class Completions:
    """Completions for wallets that may ask for them: who calls and with which scope was asked before.

    Args:
        tiers: Those that can be served.
        state: Counts calls in windows.
        budgets: What each wallet has used up today.
        digests: What is kept of a request.
        seller: Takes payments; without one no paid tier can be served.
        provider_seconds: How long a provider may take.
    """

    def __init__(
        self,
        tiers: Tiers,
        *,
        state: State,
        budgets: Budgets,
        digests: Digests,
        seller: Seller | None = None,
        provider_seconds: float = PROVIDER_SECONDS,
    ) -> None:
        self._tiers = tiers
        self._state = state
        self._budgets = budgets
        self._digests = digests
        self._seller = seller
        self._provider_seconds = provider_seconds
        self._under_way = set[asyncio.Task[Any]]()

    async def complete(self, wallet: Wallet, asked: Asked) -> Completed:
        """Ask a model; a paid tier is asked once its payment is held, and answers once that is settled.

        Raises:
            ToolError: A row of spec/deside.md 3.
        """
        tier = self._served(asked.tier)
        _judge(asked.messages)
        await count_call(self._state, wallet, tier.bucket)
        prompt = Prompt(
            messages=asked.messages, max_tokens=tier.clamped(asked.max_tokens), temperature=asked.temperature
        )
        if self._seller is None or tier.bucket == "free":
            return await self._free(wallet, tier, prompt)
        return await self._paid(self._seller, wallet, tier, prompt, asked.payment)

    async def close(self) -> None:
        """Let settlements that began come to their end, and let go of the providers."""
        while self._under_way:
            await asyncio.wait(self._under_way)
        for tier in self._tiers.values():
            await tier.provider.close()

    def _served(self, name: TierName) -> Tier:
        tier = self._tiers.get(name)
        if tier is None or (tier.bucket == "paid" and self._seller is None):
            raise ModelUnavailableError
        return tier

    async def _free(self, wallet: Wallet, tier: Tier, prompt: Prompt) -> Completed:
        counted_ms = await self._budgets.count_free(wallet)
        try:
            answer = await self._asked(tier, prompt)
        except ProviderFailed as failed:
            if not failed.reached:
                await self._budgets.give_back_free(wallet, counted_ms)
            raise failed.row from None
        return _completed(tier, answer, None)

    async def _paid(self, seller: Seller, wallet: Wallet, tier: Tier, prompt: Prompt, payment: str | None) -> Completed:
        order = await self._order(wallet, tier, prompt)
        if payment is None:
            await self._budgets.check_paid(wallet, tier.price)
            raise PaymentRequiredError(data=await seller.quote(order))
        outcome = await self._presented(seller, order, payment)
        if isinstance(outcome, Settled):
            return _answered_before(tier, outcome)
        answer = await self._asked_for_money(seller, tier, prompt, outcome)
        receipt = outcome.receipt if isinstance(outcome, Owed) else await self._charged(seller, outcome)
        await self._to_its_end(seller.deliver(outcome))
        return _completed(tier, answer, {**receipt})

    async def _order(self, wallet: Wallet, tier: Tier, prompt: Prompt) -> Order:
        return Order(
            wallet=wallet,
            tier=tier.name,
            price=tier.price,
            request_hash=await self._digests.of(wallet, tier.name, prompt),
            resource=_resource(tier),
        )

    async def _presented(self, seller: Seller, order: Order, payment: str) -> Held | Owed | Settled:
        """Present a payment; whoever has no budget for what it asks is not given a fresh quote for it."""
        try:
            return await seller.present(order, payment)
        except PaymentRequiredError:
            await self._budgets.check_paid(order.wallet, order.price)
            raise

    async def _asked_for_money(self, seller: Seller, tier: Tier, prompt: Prompt, outcome: Held | Owed) -> Answer:
        """Ask the model for somebody whose payment is held; without an answer it is let go, even if nobody waits."""
        try:
            return await self._asked(tier, prompt)
        except ProviderFailed as failed:
            await self._to_its_end(seller.release(outcome))
            raise failed.row from None
        except BaseException:
            await self._to_its_end(seller.release(outcome))
            raise

    async def _asked(self, tier: Tier, prompt: Prompt) -> Answer:
        try:
            async with asyncio.timeout(self._provider_seconds):
                return await tier.provider.complete(prompt)
        except TimeoutError:
            _log.warning("provider failed", code=ProviderTimeoutError.code, tier=tier.name, cause="deadline")
            raise ProviderFailed(ProviderTimeoutError(), reached=True) from None

    async def _charged(self, seller: Seller, held: Held) -> PaymentReceipt:
        """Settle. A caller that gives up meanwhile may have paid: its answer is owed then."""
        settling = self._begun(seller.settle(held))
        try:
            return {**await asyncio.shield(settling)}
        except asyncio.CancelledError:
            self._begun(_left_owed(seller, held, settling))
            raise

    async def _to_its_end(self, step: Coroutine[Any, Any, Result]) -> Result:
        """Take a step that is carried out even if the caller gives up."""
        return await asyncio.shield(self._begun(step))

    def _begun(self, step: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.create_task(step)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task


async def _left_owed(seller: Seller, held: Held, settling: asyncio.Task[Any]) -> None:
    """Put what was charged for nobody where the same payment finds it again."""
    with suppress(ToolError):  # then nothing arrived, or the ledger finds out what did
        await seller.release(Owed(nonce=held.nonce, receipt=await settling))


def _judge(messages: list[Message]) -> None:
    if len(messages) > MOST_MESSAGES or sum(len(message["content"]) for message in messages) > MOST_CHARACTERS:
        raise InputTooLargeError


def _resource(tier: Tier) -> Resource:
    return {
        "url": f"mcp://deside/llm_complete/{tier.name}",
        "description": f"One completion by the tier {tier.name}, at most {tier.most_tokens} tokens",
        "mimeType": "application/json",
    }


def _completed(tier: Tier, answer: Answer, receipt: PaymentReceipt | None) -> Completed:
    request_id = _request_id()
    _log.info(
        "completion",
        id=request_id,
        tier=tier.name,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost=tier.cost,
    )
    return {
        "text": answer.text,
        "model": tier.name,
        "usage": {"inputTokens": answer.input_tokens, "outputTokens": answer.output_tokens},
        "cost": tier.cost,
        "currency": "USDC",
        "paymentReceipt": receipt,
        "requestId": request_id,
        "finishReason": answer.finish_reason,
    }


def _answered_before(tier: Tier, outcome: Settled) -> Completed:
    """Say how a payment ended that was answered before: answers are not kept, so there is no text."""
    return {
        "text": "",
        "model": tier.name,
        "usage": {"inputTokens": 0, "outputTokens": 0},
        "cost": tier.cost,
        "currency": "USDC",
        "paymentReceipt": {**outcome.receipt},
        "requestId": _request_id(),
        "finishReason": "already_answered",
    }


def _request_id() -> str:
    return f"llm_{secrets.token_hex(12)}"
