"""The command line as a whole: help, version, mistakes, terminals and pipes."""

from __future__ import annotations

import asyncio
import os
import re
import sys

import pytest
from tests.discord.cli.shell import COMMAND, environment, ran

from accord import __version__
from accord.discord.sandbox import demo

ANSI = re.compile(r"\x1b\[([0-9;]*)m")
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?[34][0-7]m")
READ_A_GUILD = ("call", "--sandbox", "guild_get", f"guild_id={demo.GUILD}")

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="terminals and closed pipes are another matter there")


@pytest.mark.parametrize("flag", ["--version", "-V"])
async def test_the_version_is_printed(flag: str) -> None:
    told = await ran(flag)

    assert (told.code, told.out, told.err) == (0, f"{__version__}\n", "")


@pytest.mark.parametrize("words", ["--help", "-h", "serve --help", "sandbox -h", "tools --help", "call --help"])
async def test_help_is_everywhere_and_fits_80_columns(words: str) -> None:
    told = await ran(*words.split())

    assert told.code == 0
    assert "Usage: discord-mcp" in told.out
    assert max(map(len, told.out.splitlines())) <= 80
    assert not ANSI.search(told.out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("srve",), "'serve'"),
        (("serve", "--sandbx"), "--sandbox"),
        (("tools", "--jsn"), "--json"),
        (("serve", "now"), "now"),
        (("serve", "--port", "3000"), "--http"),
        (("call",), "tool"),
        (("sandbox", "--port", "70000"), "65535"),
        (("[/red]",), "[/red]"),
    ],
)
async def test_a_mistake_on_the_command_line_is_refused_and_what_was_meant_is_named(
    words: tuple[str, ...], said: str
) -> None:
    refused = await ran(*words)

    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert not ANSI.search(refused.err)


@needs_posix
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("tools",), 0),
        (("tools", "--json"), 0),
        (READ_A_GUILD, 0),
        (("call", "--sandbox", "guild_get"), 3),
    ],
)
async def test_a_reader_that_left_is_no_failure(words: tuple[str, ...], code: int) -> None:
    ended, err = await with_no_reader(*words)

    assert ended == code
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@needs_posix
async def test_help_to_a_reader_that_left_ends_quietly() -> None:
    _, err = await with_no_reader("--help")

    assert err == ""


@needs_posix
@pytest.mark.parametrize("words", [("--help",), ("tools",), ("srve",)])
async def test_no_color_is_honoured_on_a_terminal(words: tuple[str, ...]) -> None:
    assert not COLOUR.search(await on_a_terminal(*words, NO_COLOR="1"))


@needs_posix
async def test_a_terminal_gets_headings_in_bold() -> None:
    assert ANSI.search(await on_a_terminal("tools"))


async def with_no_reader(*words: str) -> tuple[int | None, str]:
    """Run the command with a stdout that nobody reads any more; return its exit code and stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    process = await asyncio.create_subprocess_exec(
        COMMAND, *words, env=environment(), stdout=writing, stderr=asyncio.subprocess.PIPE
    )
    os.close(writing)
    _, err = await process.communicate()
    return process.returncode, err.decode()


async def on_a_terminal(*words: str, **variables: str) -> str:
    """Run the command on a terminal and return what that was sent."""
    ours, theirs = os.openpty()
    process = await asyncio.create_subprocess_exec(
        COMMAND, *words, env=environment(TERM="xterm-256color", **variables), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    written = await asyncio.to_thread(everything, ours)
    os.close(ours)
    await process.wait()
    return written.decode()


def everything(terminal: int) -> bytes:
    """Read until nobody has the terminal open any more, which Linux tells by an error."""
    pieces = []
    try:
        while piece := os.read(terminal, 65536):
            pieces.append(piece)
    except OSError:
        pass
    return b"".join(pieces)
