"""Recipients are told of what came in, after it is kept: nobody waits for that, and it may fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

from accord.deside.wallets import Wallet
from accord.engine import logger

__all__ = ["MOST_IN_FLIGHT", "Tell", "Teller"]

Tell: TypeAlias = Callable[[Wallet, Mapping[str, Any]], Awaitable[None]]
"""Brings the parameters of notifications/dm_received to a wallet's sessions, wherever they are."""

MOST_IN_FLIGHT: Final = 256
"""Beyond them a notification is left out: what is told is a hint, and sync_messages is the truth."""

CLOSE_SECONDS: Final = 2.0

_log = logger("accord.deside.messaging")


class Teller:
    """Tells in the background, a bounded number at a time."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._tasks: set[asyncio.Task[None]] = set()

    def soon(self, wallet: Wallet, params: Mapping[str, Any]) -> None:
        """Begin to tell a wallet; return at once."""
        if len(self._tasks) >= MOST_IN_FLIGHT:
            _log.warning("a notification was left out", in_flight=len(self._tasks))
            return
        task = asyncio.create_task(self._told(wallet, params))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Let what was begun finish within two seconds, and give the rest up."""
        if not self._tasks:
            return
        _, unfinished = await asyncio.wait(set(self._tasks), timeout=CLOSE_SECONDS)
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)

    async def _told(self, wallet: Wallet, params: Mapping[str, Any]) -> None:
        try:
            await self._tell(wallet, params)
        except Exception as error:  # noqa: BLE001 - whatever fails, the message is kept
            _log.warning("a notification failed", error=type(error).__name__)
