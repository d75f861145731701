"""`discord-mcp audit`: the file of records is checked and read."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from rich.table import Table
from rich.text import Text

from accord.discord.cli.serving import refused
from accord.discord.config import ConfigError, load_config
from accord.engine import Record, records_of, verify
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json

__all__ = ["check", "show"]

Json: TypeAlias = Any


def check(file: Path | None, *, as_json: bool) -> Exit:
    """Say whether every line follows the one before it; Exit.FAILED where one does not."""
    try:
        path = _path(file)
        found = verify(path)
    except ConfigError as error:
        return refused(error)
    except OSError as error:
        return _unreadable(error)
    if as_json:
        print_json(
            {
                "file": str(path),
                "lines": found.lines,
                "last_hash": found.last,
                "wrong_line": found.wrong_line,
                "flaw": found.flaw,
            }
        )
    elif found.flaw:
        sys.stdout.write(f"{path}, line {found.wrong_line}: {found.flaw}\n")
    else:
        sys.stdout.write(f"{path}: {found.lines} records, each follows the one before; the last is {found.last}\n")
    return Exit.FAILED if found.flaw else Exit.DONE


def show(file: Path | None, *, last: int, wanted: Mapping[str, str], as_json: bool) -> Exit:
    """Print the last records that have these values, the oldest of them first."""
    try:
        found = list(deque(_fitting(records_of(_path(file)), wanted), maxlen=last))
    except ConfigError as error:
        return refused(error)
    except OSError as error:
        return _unreadable(error)
    if as_json:
        print_json(found)
    elif found:
        _print(found)
    else:
        sys.stderr.write("there are no such records\n")
    return Exit.DONE


def _path(file: Path | None) -> Path:
    return file or Path(load_config(os.environ).MCP_AUDIT_FILE)


def _unreadable(error: OSError) -> Exit:
    sys.stderr.write(f"{error.filename}: {error.strerror}\n")
    return Exit.FAILED


def _fitting(records: Iterator[Record], wanted: Mapping[str, str]) -> Iterator[Record]:
    return (one for one in records if all(str(one.get(name)) == value for name, value in wanted.items()))


def _print(records: list[Record]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("when", "who", "tool", "outcome", "what"):
        table.add_column(heading, overflow="fold")
    for one in records:
        outcome = one["outcome"] + (f" ({one['result_code']})" if "result_code" in one else "")
        cells = (one["timestamp"], one["caller"], one["tool"], outcome, _arguments(one))
        table.add_row(*map(Text, cells))
    with page() as console:
        console.print(table)


def _arguments(record: Record) -> str:
    given: dict[str, Json] = record.get("args_redacted", {})
    return " ".join(f"{name}={value}" for name, value in given.items())
