"""`discord-mcp tools`: what there is, and one tool whole."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import orjson
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from accord.discord.app import own_tools
from accord.discord.cli.exits import Exit
from accord.engine import Effect, Tool, entry, nearest

__all__ = ["show_all", "show_one"]

Json: TypeAlias = Any
EFFECTS = {Effect.READ: "read", Effect.CREATE: "create", Effect.UPDATE: "update", Effect.DELETE: "delete"}


def show_all(*, as_json: bool) -> Exit:
    """Print every tool with its effect and its first sentence."""
    tools = own_tools()
    if as_json:
        return _json([entry(tool) for tool in tools.values()])
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("tool", "category", "effect", "what it does"):
        table.add_column(heading, no_wrap=heading == "tool")
    for tool in tools.values():
        table.add_row(tool.name, tool.category, _effect(tool), escape(_first_sentence(tool)))
    Console(highlight=False).print(table)
    return Exit.DONE


def show_one(name: str, *, as_json: bool) -> Exit:
    """Print one tool: purpose, arguments, result, gating."""
    tools = own_tools()
    if name not in tools:
        near = nearest(name, tools)
        sys.stderr.write(f"there is no tool {name!r}" + (f"; did you mean {near[0]!r}?\n" if near else "\n"))
        return Exit.FAILED
    if as_json:
        return _json(entry(tools[name]))
    _print(tools[name], Console(highlight=False))
    return Exit.DONE


def _print(tool: Tool, console: Console) -> None:
    console.print(f"[bold]{tool.name}[/bold]  {tool.category}, {_effect(tool)}")
    console.print(escape(" ".join(tool.description.split())), end="\n\n")
    console.print(_members("argument", tool.shape.published), end="\n\n")
    if tool.shape.output:
        console.print(_members("result", tool.shape.output))


def _members(heading: str, schema: dict[str, Json]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (heading, "type", ""):
        table.add_column(name, no_wrap=name == heading)
    required = schema.get("required", ())
    for name, member in schema["properties"].items():
        table.add_row(name + ("*" if name in required else ""), _type(member), escape(_about(member)))
    if required:
        table.caption = "* required"
        table.caption_justify = "left"
    return table


def _type(member: dict[str, Json]) -> str:
    kind = member.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{words} of {_type(member['items'])}" if "items" in member else words


_ABOUT = {
    "minimum": "from {}",
    "maximum": "to {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "form {}",
    "default": "default {}",
}


def _about(member: dict[str, Json]) -> str:
    facts = [member["description"]] if "description" in member else []
    facts += [words.format(member[key]) for key, words in _ABOUT.items() if key in member]
    return ", ".join(facts)


def _effect(tool: Tool) -> str:
    return EFFECTS[tool.effect] + (", needs confirmation" if tool.confirms else "")


def _first_sentence(tool: Tool) -> str:
    return " ".join(tool.description.split()).partition(". ")[0].rstrip(".") + "."


def _json(value: Json) -> Exit:
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return Exit.DONE
