# ruff: noqa: INP001 - a script, no package
"""Write docs/tools/ from the tools themselves and their shipped examples: `python docs/generate/tools.py`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from accord.discord.app import own_tools
from accord.discord.left_out import LEFT_OUT
from accord.discord.manual import Manual, manual_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FOLDER = Path(__file__).parents[1] / "tools"

NOTE = "<!-- Written by docs/generate/tools.py; change the tools, not this page. -->\n"

INTRODUCTION = """\
# Tools

{note}
{count} tools in {categories} categories. A star marks those that are only carried out with a confirmation. Every page
says what a tool takes, what it gives, what it needs of Discord and how it fails, with a call and what the sandbox
really answered to it; `discord-mcp tools NAME` shows the same.

Any tool can fail with the codes that [errors](../errors.md) lists. Arguments that are null count as left out; what can
be emptied is named in `clear`. Lists say `has_more` and `next_cursor`, which the same tool takes as `cursor`.

"""

LEFT_OUT_WORDS = """
## Operations that are no tools

Every operation of Discord's HTTP API is a tool, but for these:

"""


def documents() -> dict[str, str]:
    """Return the pages by their names: the index, and one a category."""
    manuals = [manual_of(tool) for tool in own_tools().values()]
    by_category = {name: list(group) for name, group in groupby(manuals, lambda one: one.category)}
    pages = {f"{name}.md": _page(name, group) for name, group in by_category.items()}
    return {"README.md": _index(by_category), **pages}


def _index(by_category: Mapping[str, list[Manual]]) -> str:
    count = sum(map(len, by_category.values()))
    words = INTRODUCTION.format(note=NOTE, count=count, categories=len(by_category))
    for name, group in by_category.items():
        words += f"## [{name}]({name}.md)\n\n"
        rows = ((f"[{one.name}]({name}.md#{one.name}){_star(one)}", _first_sentence(one)) for one in group)
        words += _table("tool | what it does", rows) + "\n"
    left_out = ((f"`{operation}`", reason) for operation, reason in sorted(LEFT_OUT.items()))
    return words.rstrip() + "\n" + LEFT_OUT_WORDS + _table("operation | why not", left_out)


def _star(manual: Manual) -> str:
    return " *" if "__confirm" in manual.effect else ""


def _first_sentence(manual: Manual) -> str:
    return manual.purpose.partition(". ")[0].rstrip(".") + "."


def _page(category: str, manuals: Iterable[Manual]) -> str:
    return "\n".join([f"# {category}\n", NOTE, *map(_section, manuals)])


def _section(manual: Manual) -> str:
    return "\n".join(_parts(manual))


def _parts(manual: Manual) -> Iterator[str]:
    yield f"## {manual.name}\n\n{manual.purpose}\n\n*{manual.effect[0].upper()}{manual.effect[1:]}.*\n"
    if manual.arguments:
        rows = ((f"`{name}`{' *' * required}", kind, limits) for name, required, kind, limits in manual.arguments)
        yield _table("argument (* required) | type | limits", rows)
    yield _table("result | type", ((f"`{name}`", kind) for name, kind in manual.result))
    yield _table("needs |", manual.needs)
    yield _table("error | when", ((f"`{code}`" if code.isupper() else code, when) for code, when in manual.errors))
    if manual.examples:
        call = {"name": manual.name, "arguments": manual.examples.arguments}
        yield f"A call, and its answer on the sandbox:\n\n{_json(call)}\n{_json(manual.examples.answer)}"
        failing = {"name": manual.name, "arguments": manual.examples.failing}
        yield f"A call that fails with `{manual.examples.code}`:\n\n{_json(failing)}"


def _json(value: object) -> str:
    return f"```json\n{orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()}\n```\n"


def _table(heads: str, rows: Iterable[tuple[str, ...]]) -> str:
    rules = " | ".join("---" for _ in heads.split("|"))
    return "".join(f"| {line} |\n" for line in (heads, rules, *(" | ".join(map(_cell, cells)) for cells in rows)))


def _cell(words: str) -> str:
    return " ".join(words.replace("|", "\\|").split())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    pages = documents()
    for old in FOLDER.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, words in pages.items():
        (FOLDER / name).write_text(words, encoding="utf-8")
