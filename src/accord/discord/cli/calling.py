"""`discord-mcp call`: one tool from the shell, behind the same gates as an agent's call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from accord.discord.cli.serving import configured, opened, refused
from accord.discord.config import ConfigError
from accord.discord.grants import EVERYTHING
from accord.engine import Caller, Reply, configure_logs
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json

__all__ = ["arguments_of", "run"]

Json: TypeAlias = Any
SHELL = Caller(id="shell", transport="memory", scopes=EVERYTHING)
BOOLEANS = {"true": True, "false": False}


def arguments_of(words: Iterable[str]) -> dict[str, Json]:
    """Read each `key=value`. Values are text; the tool's own types decide what else they may stand for.

    Raises:
        ValueError: A word has another form, is not text, or repeats a key.
    """
    arguments: dict[str, Json] = {}
    for word in words:
        name, value = _argument(word)
        if name in arguments:
            raise ValueError(f"{name} is given twice")
        arguments[name] = value
    return arguments


def _argument(word: str) -> tuple[str, Json]:
    name, separator, value = word.partition("=")
    if not separator or not name:
        raise ValueError(f"{word!r} is no argument: write key=value")
    if any("\ud800" <= each <= "\udfff" for each in word):  # how Python stands in for bytes that are no UTF-8
        raise ValueError(f"the value of {name!r} is not text in UTF-8")
    return name, BOOLEANS.get(value, value) if name.startswith("__") else value


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
