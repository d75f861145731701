"""`discord-mcp tools`: what there is, and one tool whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, TypeAlias

import orjson
from rich.table import Table
from rich.text import Text

from accord.discord.app import own_tools
from accord.discord.cli.exits import Exit
from accord.discord.cli.printing import page, print_json
from accord.engine import Effect, Tool, entry, nearest

__all__ = ["show_all", "show_one"]

Json: TypeAlias = Any

FORMS = {"^[0-9]{17,20}$": "an id of 17 to 20 digits"}
"""Patterns in words; others are shown as they are."""

RANGES = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)


def show_all(*, as_json: bool) -> Exit:
    """Print a line for every tool: its name, its effect and what it does, cut where the line ends."""
    tools = own_tools()
    if as_json:
        print_json([entry(tool) for tool in tools.values()])
        return Exit.DONE
    table = _table("tool", "effect", "what it does")
    for tool in tools.values():
        purpose = Text(_first_sentence(tool), no_wrap=True, overflow="ellipsis")
        table.add_row(tool.name, _effect(tool) + "*" * tool.confirms, purpose)
    with page() as console:
        console.print(table)
        console.print("\n* only with a confirmation. `discord-mcp tools NAME` shows one tool whole.")
    return Exit.DONE


def show_one(name: str, *, as_json: bool) -> Exit:
    """Print one tool: purpose, arguments, result, gating, an example."""
    tools = own_tools()
    if name not in tools:
        near = nearest(name, tools)
        hint = f"did you mean {near[0]!r}?" if near else "`discord-mcp tools` lists them"
        sys.stderr.write(f"there is no tool {name!r}; {hint}\n")
        return Exit.FAILED
    if as_json:
        print_json(entry(tools[name]))
    else:
        _print(tools[name])
    return Exit.DONE


def _print(tool: Tool) -> None:
    gating = ", only with a confirmation" if tool.confirms else ""
    with page() as console:
        console.print(f"[bold]{tool.name}[/bold]  {tool.category}, {_effect(tool)}{gating}\n")
        console.print(" ".join(tool.description.split()), markup=False, end="\n\n")
        console.print(_arguments(tool.shape.published))
        if tool.shape.output:
            console.print()
            console.print(_result(tool.shape.output))
        console.print(f"\n[bold]example[/bold]\n  {_example(tool)}", soft_wrap=True)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, no_wrap=number == 0)
    return table


def _arguments(schema: dict[str, Json]) -> Table:
    required = schema.get("required", ())
    table = _table("argument", "type", "* required" if required else "")
    for name, member in schema["properties"].items():
        table.add_row(name + "*" * (name in required), _type(member), Text("; ".join(_facts(member))))
    return table


def _result(schema: dict[str, Json]) -> Table:
    table = _table("result", "type")
    for name, member in schema["properties"].items():
        table.add_row(name, _type(member))
    return table


def _type(member: dict[str, Json]) -> str:
    kind = member.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{words} of {_type(member['items'])}" if "items" in member else words


def _facts(member: dict[str, Json]) -> Iterator[str]:
    """Say everything that a schema says of one argument."""
    if "description" in member:
        yield member["description"]
    for low, high, unit in RANGES:
        if low in member or high in member:
            yield _range(member.get(low), member.get(high)) + unit
    if "pattern" in member:
        yield FORMS.get(member["pattern"], f"of the form {member['pattern']}")
    if "enum" in member:
        yield "one of " + ", ".join(map(str, member["enum"]))
    if "default" in member:
        yield f"{orjson.dumps(member['default']).decode()} unless given"


def _range(least: float | None, most: float | None) -> str:
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"


def _example(tool: Tool) -> str:
    """Return a call with every required argument, and something to write where those only say where."""
    schema = tool.shape.published
    names = list(schema.get("required", ()))
    if tool.effect in {Effect.CREATE, Effect.UPDATE} and all(name.endswith("_id") for name in names):
        names += [name for name in schema["properties"] if name not in names][:1]
    words = [f"{name}=…" for name in names] + ["__confirm=true"] * tool.confirms
    return " ".join(["discord-mcp", "call", tool.name, *words])


def _effect(tool: Tool) -> str:
    return tool.effect.name.lower()


def _first_sentence(tool: Tool) -> str:
    return " ".join(tool.description.split()).partition(". ")[0].rstrip(".") + "."
