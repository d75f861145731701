"""State whose values carry a seal: what was changed beside the program counts as not being there."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from accord.engine.nouns import State
    from accord.engine.secrets import Secret

__all__ = ["SealedState"]

DIGEST = "sha256"
SEAL_BYTES = 32


class SealedState:
    """Another state, each value of which is sealed with a key under its own name (HMAC-SHA256, RFC 2104).

    A value that was written, changed or moved to another name without the key is no value: it is None. Windows and
    notifications are not sealed, and who can write to the store can still put back what stood there before.
    """

    def __init__(self, state: State, key: Secret) -> None:
        self._state = state
        self._key = key.reveal().encode(errors="surrogatepass")

    async def get(self, key: str) -> bytes | None:
        """Return the value, or None where there is none, it has run out, or its seal is broken."""
        return self._opened(key, await self._state.get(key))

    async def put(
        self, key: str, value: bytes, *, lifetime_seconds: float | None = None, only_if_absent: bool = False
    ) -> bool:
        """Store the value with its seal; False where `only_if_absent` was asked for and one was there."""
        sealed = self._seal(key, value) + value
        return await self._state.put(key, sealed, lifetime_seconds=lifetime_seconds, only_if_absent=only_if_absent)

    async def take_once(self, key: str) -> bytes | None:
        """Return the value and remove it: of several racing takers exactly one gets it."""
        return self._opened(key, await self._state.take_once(key))

    async def count_in_window(self, key: str, *, window_seconds: float, limit: int) -> float:
        """Count one event as the other state does."""
        return await self._state.count_in_window(key, window_seconds=window_seconds, limit=limit)

    async def delete(self, key: str) -> None:
        """Remove the value, if there is one."""
        await self._state.delete(key)

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys of all values that begin so, whatever their seals."""
        return await self._state.keys(prefix)

    async def notify(self, topic: str, message: bytes) -> None:
        """Tell every listener of the topic."""
        await self._state.notify(topic, message)

    def listen(self, *topics: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Listen to topics from the moment the context is entered."""
        return self._state.listen(*topics)

    async def close(self) -> None:
        """Close the other state."""
        await self._state.close()

    def _opened(self, key: str, sealed: bytes | None) -> bytes | None:
        if sealed is None:
            return None
        seal, value = sealed[:SEAL_BYTES], sealed[SEAL_BYTES:]
        return value if hmac.compare_digest(seal, self._seal(key, value)) else None

    def _seal(self, key: str, value: bytes) -> bytes:
        name = key.encode(errors="surrogatepass")
        return hmac.digest(self._key, len(name).to_bytes(4, "big") + name + value, DIGEST)
