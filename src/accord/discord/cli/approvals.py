"""`discord-mcp approvals`: a person sees what waits for a decision, and decides."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import orjson
from rich.table import Table
from rich.text import Text

from accord.discord.cli.serving import configured, refused
from accord.discord.config import ConfigError
from accord.discord.state_folder import kept_approvals
from accord.engine import Pending, Pendings, visible
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json

__all__ = ["decide", "show_all", "show_one"]

Json: TypeAlias = Any

NOTHING = "nothing of that name waits for a decision; `discord-mcp approvals list` shows what does\n"


async def show_all(*, as_json: bool) -> Exit:
    """Print a line for every call that waits, the oldest first."""
    try:
        async with _pendings() as pendings:
            found = await pendings.all()
    except ConfigError as error:
        return refused(error)
    if as_json:
        print_json([_facts(one) for one in found])
    elif found:
        _print(found)
    else:
        sys.stderr.write("nothing waits for a decision\n")
    return Exit.DONE


async def show_one(name: str, *, as_json: bool) -> Exit:
    """Print one call that waits, whole: what would be done, with which arguments."""
    try:
        async with _pendings() as pendings:
            found = await pendings.find(name)
    except ConfigError as error:
        return refused(error)
    if found is None:
        sys.stderr.write(NOTHING)
        return Exit.FAILED
    if as_json:
        print_json(_facts(found))
    else:
        shown = visible(orjson.dumps(found.shown, option=orjson.OPT_INDENT_2).decode())
        with page() as console:
            console.print(f"[bold]{found.tool}[/bold], asked for by {found.caller} at {_instant(found.asked_at)}\n")
            console.print(shown, markup=False, highlight=False, soft_wrap=True)
            console.print(f"\nuntil {_instant(found.expires_at)}; {_state(found)}")
    return Exit.DONE


async def decide(name: str, decision: Literal["approved", "denied"]) -> Exit:
    """Decide a call that waits; approved, it runs once when it is made again."""
    try:
        async with _pendings() as pendings:
            decided = await pendings.decide(name, decision, by=getpass.getuser())
    except ConfigError as error:
        return refused(error)
    if decided is None:
        sys.stderr.write(NOTHING)
        return Exit.FAILED
    then = "; the same call runs once when it is made again" if decision == "approved" else ""
    sys.stderr.write(f"{decided.tool} of {decided.caller} is {decision}{then}\n")
    return Exit.DONE


@asynccontextmanager
async def _pendings() -> AsyncIterator[Pendings]:
    async with configured(sandbox=False) as config, kept_approvals(config, os.environ) as state:
        yield Pendings(state)


def _facts(pending: Pending) -> dict[str, Json]:
    shown = asdict(pending)
    del shown["binding"]
    return shown | {"asked_at": _instant(pending.asked_at), "expires_at": _instant(pending.expires_at)}


def _state(pending: Pending) -> str:
    return f"{pending.decision} by {pending.decided_by}" if pending.decision else "waiting"


def _print(found: Sequence[Pending]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("id", "tool", "asked by", "until", "", "what"):
        table.add_column(heading, overflow="fold")
    for one in found:
        what = visible(orjson.dumps(one.shown).decode())
        cells = (one.handle, one.tool, one.caller, _instant(one.expires_at), _state(one), what)
        table.add_row(*map(Text, cells))
    with page() as console:
        console.print(table)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
