"""Completions: what is asked of a wallet's call, in its order, and what comes of it (spec/deside.md 5)."""

from __future__ import annotations

from dataclasses import dataclass, field

from accord.deside.completions.asking import PROVIDER_SECONDS, answer_of
from accord.deside.completions.budgets import Budgets
from accord.deside.completions.digests import Digests
from accord.deside.completions.provider import Prompt, ProviderFailed
from accord.deside.completions.rates import count_call
from accord.deside.completions.results import completed
from accord.deside.completions.sales import Sale, Sales, WhenAnswered, nobody_knows
from accord.deside.completions.tiers import Tier, Tiers
from accord.deside.errors import InputTooLargeError, ModelUnavailableError
from accord.deside.models.completions import (
    MOST_CHARACTERS,
    MOST_MESSAGES,
    Completed,
    Message,
    Options,
    TierName,
)
from accord.deside.payments import Order, Seller
from accord.deside.wallets import Wallet
from accord.engine import State

__all__ = ["Asked", "Completions"]


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
        self._sales = None if seller is None else Sales(seller, budgets, provider_seconds)
        self._provider_seconds = provider_seconds

    async def complete(self, wallet: Wallet, asked: Asked, when_answered: WhenAnswered = nobody_knows) -> Completed:
        """Ask a model; a paid tier is asked once its payment is held, and answers once that is settled.

        Args:
            wallet: Who asks, and whose budget it is.
            asked: What is asked.
            when_answered: Lets hear whether the answer went out: until then it is owed.

        Raises:
            ToolError: A row of spec/deside.md 3.
        """
        tier = self._served(asked.tier)
        _judge(asked.messages)
        await count_call(self._state, wallet, tier.bucket)
        prompt = Prompt(
            messages=asked.messages, max_tokens=tier.clamped(asked.max_tokens), temperature=asked.temperature
        )
        if self._sales is None or tier.bucket == "free":
            return await self._free(wallet, tier, prompt)
        order = await self._order(wallet, tier, asked)
        if asked.payment is None:
            raise await self._sales.quote(order)
        return await self._sales.carry_out(
            Sale(order=order, tier=tier, prompt=prompt, payment=asked.payment, when_answered=when_answered)
        )

    async def close(self) -> None:
        """Let sales come to their end, and let go of the providers."""
        if self._sales is not None:
            await self._sales.close()
        for tier in self._tiers.values():
            await tier.provider.close()

    def _served(self, name: TierName) -> Tier:
        tier = self._tiers.get(name)
        if tier is None or (tier.bucket == "paid" and self._sales is None):
            raise ModelUnavailableError
        return tier

    async def _free(self, wallet: Wallet, tier: Tier, prompt: Prompt) -> Completed:
        counted_ms = await self._budgets.count_free(wallet)
        try:
            answer = await answer_of(tier, prompt, self._provider_seconds)
        except ProviderFailed as failed:
            if not failed.reached:
                await self._budgets.give_back_free(wallet, counted_ms)
            raise failed.row from None
        return completed(tier, answer)

    async def _order(self, wallet: Wallet, tier: Tier, asked: Asked) -> Order:
        return Order(
            wallet=wallet,
            tier=tier.name,
            price=tier.price,
            request_hash=await self._digests.of(
                wallet, tier.name, asked.messages, max_tokens=asked.max_tokens, temperature=asked.temperature
            ),
            resource={
                "url": f"mcp://deside/llm_complete/{tier.name}",
                "description": f"One completion by the tier {tier.name}, at most {tier.most_tokens} tokens",
                "mimeType": "application/json",
            },
        )


def _judge(messages: list[Message]) -> None:
    if len(messages) > MOST_MESSAGES or sum(len(message["content"]) for message in messages) > MOST_CHARACTERS:
        raise InputTooLargeError
