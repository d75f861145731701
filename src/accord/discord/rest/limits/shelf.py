"""A bounded memory of turnstiles: the longest unused are forgotten, once nothing is lost with them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from accord.discord.rest.limits.cooldown import Cooldown
from accord.discord.rest.limits.turnstile import Turnstile

__all__ = ["Shelf"]

KeyT = TypeVar("KeyT", bound=Hashable)
RuleT = TypeVar("RuleT", bound=Cooldown)


class Shelf(Generic[KeyT, RuleT]):
    """Turnstiles by what they stand for; more than `most` only while all of those are in use."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[KeyT, Turnstile[RuleT]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: KeyT) -> Turnstile[RuleT] | None:
        """Return one, and note its use."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: KeyT, turnstile: Turnstile[RuleT], now: float) -> Turnstile[RuleT]:
        """Keep one. Each time the two oldest are looked at, so that the number falls again after a rush."""
        for _ in range(2):
            if len(self._kept) >= self._most:
                self._forget_oldest(now)
        self._kept[key] = turnstile
        return turnstile

    def _forget_oldest(self, now: float) -> None:
        oldest = next(iter(self._kept))
        if self._kept[oldest].is_idle(now):
            del self._kept[oldest]
        else:
            self._kept.move_to_end(oldest)
