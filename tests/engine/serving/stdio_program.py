"""A server on stdin and stdout, for tests that need a process of its own."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import warnings
from contextlib import suppress
from typing import TypedDict

from accord.engine import (
    Calls,
    Context,
    Effect,
    Reply,
    ToolError,
    Toolset,
    catalogue,
    listing,
    open_state,
    run_stdio,
    serve,
    validate,
)

TOOLS = Toolset("tests")


class Events:
    """What the tools of one process wait for and tell each other."""

    def __init__(self) -> None:
        self.released = asyncio.Event()


class Said(TypedDict):
    text: str


def note(word: str) -> None:
    """Tell the test on stderr how far things are."""
    sys.stderr.write(f"note: {word}\n")
    sys.stderr.flush()


@TOOLS.tool(Effect.READ)
async def echo(events: Events, text: str) -> Said:
    """Say the same."""
    return {"text": text}


@TOOLS.tool(Effect.READ)
async def long_text(events: Events, size: int) -> Said:
    """Say much."""
    return {"text": "x" * size}


@TOOLS.tool(Effect.READ)
async def hold(events: Events) -> Said:
    """Wait until somebody calls release."""
    note("holding")
    try:
        await events.released.wait()
    except asyncio.CancelledError:
        note("let go")
        raise
    return {"text": "held"}


@TOOLS.tool(Effect.READ)
async def release(events: Events) -> Said:
    """Let everybody go on who holds."""
    events.released.set()
    return {"text": "released"}


@TOOLS.tool(Effect.READ)
async def make_noise(events: Events) -> Said:
    """Print in every way there is."""
    print("print")  # noqa: T201 - the very thing under test
    os.write(1, b'{"jsonrpc": "2.0", "method": "straight to the descriptor"}\n')
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)  # noqa: ASYNC221 - as a careless tool would
    warnings.warn("a warning", stacklevel=1)
    logging.getLogger("careless").error("a log line")
    lost = asyncio.get_running_loop().create_task(_fail())
    await asyncio.wait([lost])
    return {"text": "done"}


async def _fail() -> None:
    raise RuntimeError("in the background")


@TOOLS.tool(Effect.READ)
async def count(events: Events, context: Context) -> Said:
    """Tell how far the work is."""
    for step in (1, 2):
        await context.progress(step, 2, f"step {step}")
    return {"text": "counted"}


def _worded(error: ToolError, tool: str) -> Reply:
    return Reply(structured={"code": error.code, **error.facts}, text=f"{tool}: {error.message}", is_error=True)


async def _serve() -> None:
    events = Events()
    calls = Calls(catalogue([TOOLS]), (validate,), lambda _caller, _deadline: events, _worded)
    server = serve("program", "1.0.0", calls, listing(TOOLS, {}), open_state(None))
    serving = asyncio.ensure_future(run_stdio(server))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    note("ready")
    with suppress(asyncio.CancelledError):
        await serving
    note("ended")


if __name__ == "__main__":
    asyncio.run(_serve())
