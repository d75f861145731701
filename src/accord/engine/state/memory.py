"""State in this process's memory: bounded, and gone with the process."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from accord.engine.state.listening import Topics
from accord.engine.state.shelf import Shelf
from accord.engine.state.windows import Events, count_event

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from accord.engine.state.listening import Listener

CAPACITY = 10_000


class MemoryState:
    """State for one process with one event loop: nothing is awaited within a method, which makes each atomic.

    It holds at most `capacity` values and as many windows. When full, what has expired goes first, then what was used
    least recently, even if it is still alive: its one-time value is then unknown, its window counts anew. Where that
    must not happen, use a database. Times are those of `clock`, in seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, capacity: int = CAPACITY) -> None:
        self._clock = clock
        self._values = Shelf[bytes](clock, capacity)
        self._windows = Shelf[Events](clock, capacity)
        self._topics = Topics()

    async def get(self, key: str) -> bytes | None:
        """Return the value under the key, None when there is none or its lifetime is over."""
        return self._values.get(key)

    async def put(
        self, key: str, value: bytes, *, lifetime_seconds: float | None = None, only_if_absent: bool = False
    ) -> bool:
        """Keep a value; without a lifetime, until it is deleted. False: absent was asked for and it was there."""
        if only_if_absent and self._values.get(key) is not None:
            return False
        self._values.put(key, value, math.inf if lifetime_seconds is None else lifetime_seconds)
        return True

    async def take_once(self, key: str) -> bytes | None:
        """Return the value and remove it: of several racing callers exactly one gets it."""
        return self._values.take(key)

    async def count_in_window(self, key: str, *, window_seconds: float, limit: int) -> float:
        """Count one event by the rule of `count_event`; a key's window is apart from its value and of one length."""
        counted = self._windows.get(key) or ()
        kept, wait_seconds = count_event(counted, self._clock(), window_seconds=window_seconds, limit=limit)
        if kept != counted:
            self._windows.put(key, kept, window_seconds)
        return wait_seconds

    async def delete(self, key: str) -> None:
        """Forget the value and the window under the key."""
        self._values.take(key)
        self._windows.take(key)

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys of all live values that begin so, in order."""
        return sorted(key for key in self._values.live_keys() if key.startswith(prefix))

    async def notify(self, topic: str, message: bytes) -> None:
        """Tell every listener of the topic in this process."""
        self._topics.tell(topic, message)

    def listen(self, *topics: str) -> AbstractAsyncContextManager[Listener]:
        """Hear every message of the topics from the moment the context is entered."""
        return self._topics.listen(*topics)

    async def close(self) -> None:
        """End every listener."""
        self._topics.close()
