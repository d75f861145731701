"""`discord-mcp tools`: what there is, and one tool whole."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from accord.discord.app import own_tools
from accord.discord.manual import Manual, manual_of
from accord.engine import Tool, entry, nearest
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json

__all__ = ["show_all", "show_one"]

Json: TypeAlias = Any

MOST_ANSWER_LINES = 40
"""How much of an example's answer is printed; the rest is a line that says how much more there is."""


def show_all(*, as_json: bool) -> Exit:
    """Print a line for every tool: its name, its effect and what it does, cut where the line ends."""
    return _list(own_tools().values(), as_json=as_json)


def show_one(name: str, *, as_json: bool) -> Exit:
    """Print one tool whole, or the tools of one category."""
    tools = own_tools()
    if of_category := [tool for tool in tools.values() if tool.category == name]:
        return _list(of_category, as_json=as_json)
    if name not in tools:
        near = nearest(name, tools)
        hint = f"did you mean {near[0]!r}?" if near else "`discord-mcp tools` lists them"
        sys.stderr.write(f"there is no tool {name!r}; {hint}\n")
        return Exit.FAILED
    if as_json:
        print_json(entry(tools[name]))
    else:
        _print(manual_of(tools[name]))
    return Exit.DONE


def _list(tools: Iterable[Tool], *, as_json: bool) -> Exit:
    if as_json:
        print_json([entry(tool) for tool in tools])
        return Exit.DONE
    with page() as console:
        for category, of_category in groupby(tools, lambda tool: tool.category):
            console.print(f"[bold]{category}[/bold]")
            for line in _lines(list(of_category)):
                console.print(Text(line), no_wrap=True, overflow="ellipsis", crop=True)
            console.print()
        console.print("* only with a confirmation. `discord-mcp tools NAME` shows a tool or a category.")
    return Exit.DONE


def _lines(tools: Sequence[Tool]) -> Iterator[str]:
    width = max(len(tool.name) for tool in tools)
    for tool in tools:
        effect = tool.effect.name.lower() + "*" * tool.confirms
        yield f"  {tool.name:<{width}}  {effect:<7}  {_first_sentence(tool)}"


def _first_sentence(tool: Tool) -> str:
    return " ".join(tool.description.split()).partition(". ")[0].rstrip(".") + "."


# --- One tool ---------------------------------------------------------------------------------------------------------


def _print(manual: Manual) -> None:
    with page() as console:
        console.print(f"[bold]{manual.name}[/bold]  {manual.category}; {manual.effect}\n")
        console.print(manual.purpose, markup=False, end="\n\n")
        arguments = [(name + "*" * required, kind, limits) for name, required, kind, limits in manual.arguments]
        _table(console, ("argument", "type", "* required"), arguments)
        _table(console, ("result", "type"), manual.result)
        _table(console, ("needs", ""), manual.needs)
        _table(console, ("error", "when"), manual.errors)
        if manual.examples:
            _print_answer(console, manual.examples.answer)
            console.print(f"[bold]example[/bold]\n  {_command(manual.name, manual.examples.arguments)}", soft_wrap=True)


def _table(console: Console, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, no_wrap=number == 0)
    for row in rows:
        table.add_row(*map(Text, row))
    if table.row_count:
        console.print(table)
        console.print()


def _print_answer(console: Console, answer: Mapping[str, Json]) -> None:
    lines = orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode().splitlines()
    more = [f"… {len(lines) - MOST_ANSWER_LINES} more lines"] if len(lines) > MOST_ANSWER_LINES else []
    console.print("[bold]answer of the example, on the sandbox[/bold]")
    for line in [*lines[:MOST_ANSWER_LINES], *more]:
        console.print(f"  {line}", markup=False, highlight=False, no_wrap=True, overflow="ellipsis")
    console.print()


def _command(name: str, arguments: Mapping[str, Json]) -> str:
    words = [f"{argument}={_word(value)}" for argument, value in arguments.items()]
    return " ".join(["discord-mcp", "call", "--sandbox", name, *words])


def _word(value: Json) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"\x27{text}\x27" if set(text) & set(' "{}[]#<>&|;*?$') else text
