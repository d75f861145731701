"""What the HTTP client alone costs: an aiohttp request loop without any MCP, in a process of its own.

A line of stdin asks for a slice: URL, requests in flight, seconds. A line of stdout answers with its figures.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from time import perf_counter

import aiohttp
import orjson
from bench.figures import Slice, sliced


async def fetch_until(end: float, session: aiohttp.ClientSession, url: str, latencies: list[float]) -> None:
    """Fetch one time after the other, and note how long each took."""
    began = perf_counter()
    while began < end:
        async with session.get(url) as response:
            await response.read()
        ended = perf_counter()
        latencies.append(ended - began)
        began = ended


async def one_slice(session: aiohttp.ClientSession, url: str, in_flight: int, seconds: float) -> Slice:
    began = perf_counter()
    latencies: list[float] = []
    await asyncio.gather(*(fetch_until(began + seconds, session, url, latencies) for _ in range(in_flight)))
    return sliced(latencies, perf_counter() - began)


async def opened() -> aiohttp.ClientSession:
    return aiohttp.ClientSession()


def main() -> None:
    with asyncio.Runner() as runner:
        session = runner.run(opened())
        for order in sys.stdin:
            done = runner.run(one_slice(session, *orjson.loads(order)))
            print(orjson.dumps(asdict(done)).decode(), flush=True)
        runner.run(session.close())


if __name__ == "__main__":
    main()
