"""`discord-mcp call`: one tool from the shell, behind the same gates as an agent's call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from accord.discord.cli.serving import configured, opened, refused
from accord.discord.config import ConfigError
from accord.discord.grants import EVERYTHING
from accord.engine import Caller, Reply, configure_logs
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json

__all__ = ["run"]

Json: TypeAlias = Any
SHELL = Caller(id="shell", transport="memory", scopes=EVERYTHING)


async def run(tool: str, arguments: Mapping[str, Json], *, sandbox: bool) -> Exit:
    """Make the call and print its structured result on stdout; a failed call's too, with exit code 3."""
    try:
        async with configured(sandbox=sandbox) as config:
            configure_logs(config.LOG_LEVEL)
            async with opened(config) as built:
                reply = await built.calls.enter(SHELL, tool, arguments)
    except ConfigError as error:
        return refused(error)
    assert isinstance(reply, Reply)  # noqa: S101 - nobody can be asked on this way, so nothing is required
    print_json({"text": reply.text} if reply.structured is None else reply.structured)
    return Exit.FAILED if reply.is_error else Exit.DONE
