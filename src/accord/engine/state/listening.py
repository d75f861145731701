"""Topics and their listeners within one process."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LISTENER_CAPACITY = 256
"""Messages a listener may leave unread. They are hints to look again, so the oldest is the one to lose."""


class Listener(AsyncIterator[bytes]):
    """The messages of its topics; what was told before it was closed can still be read.

    `dropped` counts the messages lost because LISTENER_CAPACITY newer ones were waiting.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._unread: deque[bytes] = deque(maxlen=LISTENER_CAPACITY)
        self._news = asyncio.Event()
        self._closed = False

    def tell(self, message: bytes) -> None:
        """Add a message, in place of the oldest unread one when there is no room."""
        self.dropped += len(self._unread) == LISTENER_CAPACITY
        self._unread.append(message)
        self._news.set()

    def close(self) -> None:
        """End after the unread messages; whoever waits for another is released."""
        self._closed = True
        self._news.set()

    async def __anext__(self) -> bytes:
        while not self._unread:
            if self._closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._unread.popleft()


class Topics:
    """Who listens to what. A topic exists as long as it has a listener."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[Listener]] = {}

    @asynccontextmanager
    async def listen(self, *topics: str) -> AsyncIterator[Listener]:
        """Hear every message told to one of the topics within the block."""
        listener = Listener()
        for topic in topics:
            self._listeners.setdefault(topic, set()).add(listener)
        try:
            yield listener
        finally:
            listener.close()
            for topic in set(topics):
                self._leave(topic, listener)

    def tell(self, topic: str, message: bytes) -> None:
        """Give the message to every listener of the topic."""
        for listener in self._listeners.get(topic, ()):
            listener.tell(message)

    def close(self) -> None:
        """Close every listener."""
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.close()

    def _leave(self, topic: str, listener: Listener) -> None:
        listeners = self._listeners[topic]
        listeners.discard(listener)
        if not listeners:
            del self._listeners[topic]
