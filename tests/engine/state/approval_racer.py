"""Races for approvals: opens a state, waits for their ids, and prints how many it used and how many were used."""

from __future__ import annotations

import asyncio
import sys

import orjson

from accord.engine import Binding, Ledger, SealedState, Secret, open_state

__all__ = ["BOUND"]

BOUND = Binding(tool="layout_send", target="channel 1", payload_hash="0" * 64, caller="token:ci", bot="2")


async def race(url: str, key: str) -> None:
    opened = open_state(url)
    ledger = Ledger(SealedState(opened, Secret(key)) if key else opened)
    print("ready", flush=True)  # noqa: T201 - how the test hears of it
    verdicts = [await ledger.consume(each, BOUND) for each in orjson.loads(sys.stdin.readline())]
    print(verdicts.count("ok"), verdicts.count("replayed"))  # noqa: T201 - the same
    await opened.close()


if __name__ == "__main__":
    asyncio.run(race(*sys.argv[1:]))
