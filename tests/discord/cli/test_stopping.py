"""How a signal ends what runs until it is stopped."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest
from tests.discord.cli.shell import started

from accord.terminal.stopping import until_stopped

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals")

BEFORE_THE_LOOP = """
import sys
from accord.discord.cli import _stop_at_once
_stop_at_once()
print("starting", flush=True)
sys.stdin.read()
"""


async def falls_apart_when_cancelled() -> None:
    signal.raise_signal(signal.SIGTERM)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise RuntimeError("tripped over another task") from None


async def fails() -> None:
    raise RuntimeError("a bug")


@needs_posix
async def test_what_falls_apart_when_it_is_stopped_was_stopped() -> None:
    await until_stopped(falls_apart_when_cancelled())


async def test_what_fails_by_itself_is_told() -> None:
    with pytest.raises(RuntimeError, match="a bug"):
        await until_stopped(fails())


@needs_posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_during_the_start_ends_it_with_0(number: signal.Signals) -> None:
    async with started("-c", BEFORE_THE_LOOP, program=sys.executable) as running:
        await running.line()
        left = await running.end(number)

    assert (left.code, left.out, left.err) == (0, "", "")
