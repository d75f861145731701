"""Running until SIGTERM or SIGINT, which end the work as if it had come to its end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from accord.engine import logger

__all__ = ["until_stopped"]

_log = logger("accord.stopping")


async def until_stopped(work: Coroutine[Any, Any, object]) -> None:
    """Run until the work ends, or until the process is asked to stop, which cancels it."""
    task, asked = asyncio.ensure_future(work), asyncio.Event()

    def stop() -> None:
        asked.set()
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows' loop has no signal handlers
            loop.add_signal_handler(number, stop)
    try:
        await task
    except (asyncio.CancelledError, Exception):
        if not asked.is_set():
            raise
        # The protocol's own tasks may trip over each other when they are cancelled; nobody waits for them any more.
        _log.debug("cancelled", exc_info=True)
