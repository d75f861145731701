"""The stream that a session's client holds open by GET: what is pushed to the session, and a comment now and then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio

from accord.engine.serving.exchange import PING, STREAM_HEADERS, disconnected, event

if TYPE_CHECKING:
    from accord.engine.serving.exchange import Incoming

__all__ = ["Standing"]

Permission: TypeAlias = Callable[[], Awaitable[bool]]


class Standing:
    """One open stream.

    Args:
        incoming: The GET.
        may_go_on: Asked before whatever is written, and when the session has changed.
        ping_seconds: How often there is a comment, so that the stream is never silent for longer.
    """

    def __init__(self, incoming: Incoming, may_go_on: Permission, ping_seconds: float) -> None:
        self._incoming = incoming
        self._may_go_on = may_go_on
        self._ping_seconds = ping_seconds
        self._scope = anyio.CancelScope()

    def cancel(self) -> None:
        """End the stream; its client may open another."""
        self._scope.cancel()

    async def run(self, pushed: AsyncIterator[bytes]) -> None:
        """Send what is pushed until the client is gone, or the stream may not go on."""
        send = self._incoming.send
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        watching = asyncio.ensure_future(self._watch())
        try:
            with self._scope:
                await self._relay(pushed)
        finally:
            watching.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _watch(self) -> None:
        await disconnected(self._incoming.receive)
        self.cancel()

    async def _relay(self, pushed: AsyncIterator[bytes]) -> None:
        now = asyncio.get_running_loop().time
        following, due = _next(pushed), now() + self._ping_seconds
        try:
            while True:
                await asyncio.wait([following], timeout=due - now())
                message = following.result() if following.done() else None
                if message is None and now() < due:
                    continue
                if not await self._may_go_on():
                    return
                if message is not None:  # an empty one says that the session has changed
                    following = _next(pushed)
                await self._write(event(message) if message else PING)
                due = now() + self._ping_seconds
        except StopAsyncIteration:
            return  # the state is closed
        finally:
            following.cancel()

    async def _write(self, frame: bytes) -> None:
        await self._incoming.send({"type": "http.response.body", "body": frame, "more_body": True})


def _next(pushed: AsyncIterator[bytes]) -> asyncio.Future[bytes]:
    # It outlives the pauses for comments: an iterator that is cancelled while it waits may be over.
    following: asyncio.Future[Any] = asyncio.ensure_future(anext(pushed))
    return following
