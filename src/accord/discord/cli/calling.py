"""`discord-mcp call`: one tool from the shell, behind the same gates as an agent's call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import orjson

from accord.discord.cli.exits import Exit
from accord.discord.cli.serving import configured, opened, refused
from accord.discord.config import ConfigError
from accord.engine import Caller, Reply, configure_logs

__all__ = ["run"]

Json: TypeAlias = Any
SHELL = Caller(id="shell", transport="memory")


async def run(tool: str, words: Sequence[str], *, sandbox: bool) -> Exit:
    """Make the call and print its structured result on stdout; a failed call's too, with exit code 3."""
    try:
        arguments = dict(map(_argument, words))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return Exit.USAGE
    try:
        async with configured(sandbox=sandbox) as config:
            configure_logs(config.LOG_LEVEL)
            async with opened(config) as built:
                reply = await built.calls.enter(SHELL, tool, arguments)
    except ConfigError as error:
        return refused(error)
    assert isinstance(reply, Reply)  # noqa: S101 - nobody can be asked on this way, so nothing is required
    sys.stdout.buffer.write(_printed(reply))
    return Exit.FAILED if reply.is_error else Exit.DONE


def _argument(word: str) -> tuple[str, Json]:
    """Read `key=value`. Values are text; the tool's own types decide what else it may stand for."""
    name, separator, value = word.partition("=")
    if not separator or not name:
        raise ValueError(f"{word!r} is no argument: write key=value")
    return name, {"true": True, "false": False}.get(value, value) if name.startswith("__") else value


def _printed(reply: Reply) -> bytes:
    body = reply.structured if reply.structured is not None else {"text": reply.text}
    return orjson.dumps(body, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
