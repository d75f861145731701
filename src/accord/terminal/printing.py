"""What a command prints on stdout: at once, and without complaint where the reader has left (`| head`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import orjson
from rich.console import Console

__all__ = ["page", "print_json", "put"]

Json: TypeAlias = Any


@contextmanager
def page() -> Iterator[Console]:
    """Lend a console, and print what was written on it when the block ends."""
    console = Console(highlight=False)
    with console.capture() as written:
        yield console
    put(written.get().encode(sys.stdout.encoding, errors="replace"))


def print_json(value: Json, *, indented: bool = True) -> None:
    """Print the value as JSON in UTF-8, on one line where it is not `indented`."""
    indent = orjson.OPT_INDENT_2 if indented else 0
    put(orjson.dumps(value, option=indent | orjson.OPT_APPEND_NEWLINE))


def put(text: bytes) -> None:
    """Print bytes at once."""
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What is still buffered is flushed once more when Python ends, and has to go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
