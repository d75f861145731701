"""Running until SIGTERM or SIGINT, which end the work as if it had come to its end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

__all__ = ["until_stopped"]


async def until_stopped(work: Coroutine[Any, Any, object]) -> None:
    """Run until the work ends, or until the process is asked to stop, which cancels it."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows' loop has no signal handlers
            loop.add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
