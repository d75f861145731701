"""First come, first served: a queue of requests in front of a rule that says when the next one may pass."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from accord.discord.rest.limits.cooldown import Cooldown
from accord.discord.rest.resilience.failures import DeadlinePassed

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.discord.rest.errors import Scope

__all__ = ["Patience", "Room", "Scheduler", "Turnstile"]

RuleT = TypeVar("RuleT", bound=Cooldown)

Waiter: TypeAlias = "asyncio.Future[float]"
Room: TypeAlias = set[Waiter]
"""Everybody who waits at any turnstile, so that all can be refused at once."""


class Handle(Protocol):
    """A call that was scheduled."""

    def cancel(self) -> None:
        """Do not make it."""


class Scheduler(Protocol):
    """A clock that never jumps and calls when it is time: an event loop, or the hands of a test."""

    def time(self) -> float:
        """Return the time in seconds."""

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Handle:
        """Call once, in so many seconds."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a request can wait.

    A wait of known length must end by `latest`; one for somebody's answer by `deadline`. Both are the scheduler's
    times in seconds; None is for ever.
    """

    latest: float
    deadline: float | None


class Turnstile(Generic[RuleT]):
    """Lets requests pass in the order of their arrival, each as soon as the rule allows it."""

    def __init__(self, rule: RuleT, scheduler: Callable[[], Scheduler], room: Room) -> None:
        self.rule = rule
        self._scheduler = scheduler
        self._room = room
        self._queue: OrderedDict[Waiter, Patience] = OrderedDict()
        self._timer: Handle | None = None

    async def turn(self, patience: Patience) -> float:
        """Wait for the turn and take it; returns its time, by which it can be undone.

        Raises:
            DiscordRateLimitError: The wait would be too long, and was not begun or was given up.
            DeadlinePassed: An answer that had to come first did not come in time.
        """
        now = self._scheduler().time()
        wait = self.rule.opens_in(now, len(self._queue))
        if wait <= 0 and not self._queue:
            self.rule.enter(now)
            return now
        if not isinf(wait) and now + wait > patience.latest:
            raise self.rule.refusal(wait)
        return await self._queued(patience, now)

    def undo(self, entered_at: float) -> None:
        """Give back a turn that was not used."""
        self.rule.undo(entered_at)
        self.pump()

    def pump(self) -> None:
        """Let pass who may, and come back when the next one may."""
        if not self._queue:
            return
        now = self._scheduler().time()
        while self._queue:
            wait = self.rule.opens_in(now)
            if wait > 0:
                self._arm(wait)
                return
            waiter, _patience = self._queue.popitem(last=False)
            if not waiter.done():
                self.rule.enter(now)
                waiter.set_result(now)

    def close(self, until: float, scope: Scope) -> None:
        """Let nobody pass until then, and refuse those for whom the wait has become too long."""
        self.rule.close(until, scope)
        now, ahead = self._scheduler().time(), 0
        for waiter, patience in tuple(self._queue.items()):
            wait = self.rule.opens_in(now, ahead)
            if isinf(wait) or now + wait <= patience.latest:
                ahead += 1
            else:
                self._refuse(waiter, self.rule.refusal(wait))
        self.pump()

    def is_idle(self, now: float) -> bool:
        """Whether nobody waits and the rule can be forgotten."""
        return not self._queue and self.rule.is_idle(now)

    async def _queued(self, patience: Patience, now: float) -> float:
        waiter: Waiter = asyncio.get_running_loop().create_future()
        self._queue[waiter] = patience
        self._room.add(waiter)
        if len(self._queue) == 1:
            self._arm(self.rule.opens_in(now))
        expiry = self._expiry(waiter, patience, now)
        try:
            return await waiter
        except BaseException:
            self._left(waiter)
            raise
        finally:
            self._room.discard(waiter)
            if expiry is not None:
                expiry.cancel()

    def _left(self, waiter: Waiter) -> None:
        """Take one out of the queue; one that had its turn already, and was cancelled before it knew, gives it back."""
        self._queue.pop(waiter, None)
        if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
            self.rule.undo(waiter.result())
        self.pump()

    def _expiry(self, waiter: Waiter, patience: Patience, now: float) -> Handle | None:
        if patience.deadline is None:
            return None
        return self._scheduler().call_later(max(patience.deadline - now, 0.0), lambda: self._expire(waiter))

    def _expire(self, waiter: Waiter) -> None:
        wait = self.rule.opens_in(self._scheduler().time())
        self._refuse(waiter, DeadlinePassed() if isinf(wait) or wait <= 0 else self.rule.refusal(wait))

    def _refuse(self, waiter: Waiter, error: Exception) -> None:
        if not waiter.done():
            self._queue.pop(waiter, None)
            waiter.set_exception(error)

    def _arm(self, wait: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if isinf(wait) else self._scheduler().call_later(wait, self.pump)
