"""`deside-mcp` as a person runs it: in folders of its own."""

from __future__ import annotations

import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.discord.cli import shell
from tests.discord.cli.shell import Ran, Running

__all__ = ["COMMAND", "ran", "started"]

COMMAND = str(Path(sys.executable).with_name("deside-mcp"))


def started(*words: str, home: Path, **variables: str) -> AbstractAsyncContextManager[Running]:
    """Start the command, with its files in this folder."""
    folders = {"XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home), "APPDATA": str(home)}
    return shell.started(*words, program=COMMAND, **folders, **variables)


async def ran(*words: str, home: Path, **variables: str) -> Ran:
    """Run the command to its end, with nothing on stdin."""
    async with started(*words, home=home, **variables) as running:
        return await running.end()
