# ruff: noqa: INP001 - a script, no package
"""Write the example calls that the package ships, each carried out on a sandbox: `python docs/generate/examples.py`."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.discord.tools.usual_calls import REFUSED, TOOLS, example
from tests.served import desk

from accord.discord.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = Path(str(files("accord.discord.tools").joinpath("examples.jsonl")))

NOON = 1_785_585_600.0
"""The sandbox's time: with it the same ids come out whenever the examples are written."""

ORIGIN = "http://127.0.0.1:8800"


class Failed(Exception):  # noqa: N818 - it ends the script
    """A call did not end as it should."""


async def document() -> bytes:
    """Return the file: a line a tool, in the order of the toolsets; each on a sandbox of its own."""
    return b"".join([orjson.dumps(await _line(tool)) + b"\n" for tool in TOOLS])


async def _line(tool: str) -> dict[str, Any]:
    """Carry out a tool's calls; at the present time where one is refused at the fixed one, for being too old."""
    try:
        return await _carried_out(tool, _moments(NOON))
    except Failed:
        return await _carried_out(tool, _moments(time.time()))


async def _carried_out(tool: str, moments: Iterator[float]) -> dict[str, Any]:
    async with Sandbox.start(limits=False, clock=lambda: next(moments)) as sandbox, desk(sandbox) as served:
        arguments = example(sandbox, tool)
        answer = await served.call(tool, arguments)
        failed = await served.call(tool, REFUSED[tool].arguments)
    if answer.failed or not failed.failed:
        raise Failed(f"{tool}: {answer.text if answer.failed else failed.text}")
    shown = {"tool": tool, "arguments": arguments, "answer": answer.structured}
    lasting = orjson.loads(_lasting(orjson.dumps(shown).decode(), sandbox.world.origin))
    return {**lasting, "failing": REFUSED[tool].arguments, "code": failed.code}


def _moments(moment: float) -> Iterator[float]:
    """Yield one moment, a hundredth of a second later each time: what was made later has a greater id."""
    while True:
        moment += 0.01
        yield moment


def _lasting(text: str, origin: str) -> str:
    """Return the text without what is new each time: the sandbox's port, and nonces that nobody gave."""
    return re.sub(r'"nonce":"[0-9a-f]{24}"', '"nonce":"8b1f0c5a9d3e7f2460718293"', text.replace(origin, ORIGIN))


if __name__ == "__main__":
    LINES.write_bytes(asyncio.run(document()))
