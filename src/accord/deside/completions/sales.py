"""A completion is sold: its payment is held, the model asked, the money taken, and the answer handed over.

Each step that was begun is carried out, even if the caller gives up: nobody is charged for nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from accord.deside.completions.asking import answer_of
from accord.deside.completions.budgets import Budgets
from accord.deside.completions.provider import Answer, Prompt, ProviderFailed
from accord.deside.completions.results import answered_before, completed
from accord.deside.completions.tiers import Tier
from accord.deside.errors import PaymentRequiredError
from accord.deside.models.completions import Completed
from accord.deside.payments import Held, Order, Owed, Seller, Settled
from accord.engine import Hear, ToolError

__all__ = ["Sale", "Sales", "WhenAnswered", "nobody_knows"]

Result = TypeVar("Result")
WhenAnswered: TypeAlias = Callable[[Hear], bool]
"""Lets somebody hear whether the answer went out; False where nobody can tell."""

GOING_OUT_SECONDS: Final = 1.0
"""How long an answer that is ready may take to go out: so long is waited for it, and then gone on without."""


def nobody_knows(_hear: Hear) -> bool:
    """Have nobody who could tell whether an answer goes out."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sale:
    """What is sold to whom, and what it is paid with."""

    order: Order
    tier: Tier
    prompt: Prompt
    payment: str = field(repr=False)
    when_answered: WhenAnswered


class Sales:
    """All sales of one server. What a sale has begun is waited for when it is closed."""

    def __init__(self, seller: Seller, budgets: Budgets, provider_seconds: float) -> None:
        self._seller = seller
        self._budgets = budgets
        self._provider_seconds = provider_seconds
        self._under_way = set[asyncio.Task[Any]]()
        self._going_out: dict[str, asyncio.Task[None]] = {}

    async def quote(self, order: Order) -> PaymentRequiredError:
        """Return what has to be paid.

        Raises:
            BudgetExceededError: The day's budget has no room for it: nobody is asked to sign then.
            ModelUnavailableError: Nothing can be paid now.
        """
        await self._budgets.check_paid(order.wallet, order.price)
        return PaymentRequiredError(data=await self._seller.quote(order))

    async def carry_out(self, sale: Sale) -> Completed:
        """Answer for a payment; one that was answered before gives its receipt.

        Raises:
            ToolError: Nothing is charged, or an answer is owed.
        """
        outcome = await self._presented(sale)
        if isinstance(outcome, Settled):
            return answered_before(sale.tier, outcome.receipt)
        answer = await self._answered(sale, outcome)
        owed = outcome if isinstance(outcome, Owed) else await self._charged(outcome)
        await self._hand_over(sale, owed)
        return completed(sale.tier, answer, owed.receipt)

    async def close(self) -> None:
        """Let what was begun come to its end; an answer of which nobody hears any more stays owed."""
        if self._going_out:
            _, unheard_of = await asyncio.wait(self._going_out.values(), timeout=GOING_OUT_SECONDS)
            for task in unheard_of:
                task.cancel()
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def _presented(self, sale: Sale) -> Held | Owed | Settled:
        if (going_out := self._going_out.get(sale.payment)) is not None:
            await asyncio.wait({going_out}, timeout=GOING_OUT_SECONDS)
        try:
            return await self._seller.present(sale.order, sale.payment)
        except PaymentRequiredError:
            # Whoever has no budget for what it asks is given no fresh quote for it either.
            await self._budgets.check_paid(sale.order.wallet, sale.order.price)
            raise

    async def _answered(self, sale: Sale, outcome: Held | Owed) -> Answer:
        try:
            return await answer_of(sale.tier, sale.prompt, self._provider_seconds)
        except BaseException as error:
            await self._to_its_end(self._seller.release(outcome))
            if isinstance(error, ProviderFailed):
                raise error.row from None
            raise

    async def _charged(self, held: Held) -> Owed:
        """Settle. A caller that gives up meanwhile may have paid: its answer is owed then."""
        settling = self._begun(self._seller.settle(held))
        try:
            return await asyncio.shield(settling)
        except asyncio.CancelledError:
            self._begun(self._left_owed(settling))
            raise

    async def _left_owed(self, settling: asyncio.Task[Owed]) -> None:
        """Put what was charged for nobody where the same payment finds it again."""
        with suppress(ToolError):  # then nothing arrived, or the ledger finds out what did
            await self._seller.release(await settling)

    async def _hand_over(self, sale: Sale, owed: Owed) -> None:
        """See to it that the answer counts as delivered once it went out; at once, where nobody can tell."""
        went_out = asyncio.get_running_loop().create_future()
        if not sale.when_answered(partial(_told, went_out)):
            await self._to_its_end(self._seller.deliver(owed))
            return
        task = asyncio.create_task(self._once_out(owed, went_out))
        self._going_out[sale.payment] = task
        task.add_done_callback(lambda _: self._going_out.pop(sale.payment, None))

    async def _once_out(self, owed: Owed, went_out: asyncio.Future[bool]) -> None:
        is_out = await went_out
        await self._to_its_end(self._seller.deliver(owed) if is_out else self._seller.release(owed))

    async def _to_its_end(self, step: Coroutine[Any, Any, Result]) -> Result:
        """Take a step that is carried out even if the caller gives up."""
        return await asyncio.shield(self._begun(step))

    def _begun(self, step: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.create_task(step)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task


def _told(went_out: asyncio.Future[bool], is_out: bool) -> None:  # noqa: FBT001 - what a hearer is called with
    if not went_out.done():
        went_out.set_result(is_out)
