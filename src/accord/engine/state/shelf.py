"""A bounded mapping whose values have lifetimes."""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Entry(Generic[Value]):
    """A value and when it is over, by the shelf's clock."""

    value: Value
    expires_at: float


class Shelf(Generic[Value]):
    """At most `capacity` values with lifetimes; the expired make room first, then the least recently used."""

    def __init__(self, clock: Callable[[], float], capacity: int) -> None:
        self._clock = clock
        self._capacity = capacity
        self._entries: OrderedDict[str, Entry[Value]] = OrderedDict()
        # When to look at which key again: a heap, in which replaced entries stay until they are due or it is rebuilt.
        self._due: list[tuple[float, str]] = []

    def get(self, key: str) -> Value | None:
        """Return the live value under the key, and count that as a use."""
        entry = self._entries.get(key)
        if entry is None or entry.expires_at <= self._clock():
            return None
        self._entries.move_to_end(key)
        return entry.value

    def put(self, key: str, value: Value, lifetime_seconds: float) -> None:
        """Keep the value for its lifetime, as the one most recently used."""
        entry = Entry(value, self._clock() + lifetime_seconds)
        self._entries[key] = entry
        self._entries.move_to_end(key)
        self._remember(key, entry)
        self._drop_expired()
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def take(self, key: str) -> Value | None:
        """Return the live value under the key and remove it."""
        value = self.get(key)
        self._entries.pop(key, None)
        return value

    def live_keys(self) -> list[str]:
        """Return the keys of all live values, which does not count as a use."""
        now = self._clock()
        return [key for key, entry in self._entries.items() if entry.expires_at > now]

    def _remember(self, key: str, entry: Entry[Value]) -> None:
        if entry.expires_at < math.inf:
            heapq.heappush(self._due, (entry.expires_at, key))
        if len(self._due) > 2 * self._capacity:
            self._due = [(held.expires_at, name) for name, held in self._entries.items() if held.expires_at < math.inf]
            heapq.heapify(self._due)

    def _drop_expired(self) -> None:
        now = self._clock()
        while self._due and self._due[0][0] <= now:
            _, key = heapq.heappop(self._due)
            entry = self._entries.get(key)
            if entry is not None and entry.expires_at <= now:
                del self._entries[key]
