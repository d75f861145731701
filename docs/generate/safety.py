# ruff: noqa: INP001 - a script, no package
"""Write docs/safety.md, each gate in words and their order from the code: `python docs/generate/safety.py`."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from accord.discord.app import gates_of, own_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[1] / "safety.md"
WORDS = Path(__file__).with_name("safety.md")


def document() -> str:
    """Return the page: the words beside this script, with the tables of the code in their places."""
    words = WORDS.read_text(encoding="utf-8")
    rows = "".join(f"| {number} | `{name}` | {why} |\n" for number, (name, why) in enumerate(order(), start=1))
    table = f"| | gate | why there |\n| --- | --- | --- |\n{rows}"
    confirmed = sorted(tool.name for tool in own_tools().values() if tool.confirms)
    conditional = sorted(tool.name for tool in own_tools().values() if tool.condition)
    return (
        words.replace("{order}", table.rstrip())
        .replace("{confirmed}", _listed(confirmed))
        .replace("{conditional}", _listed(conditional))
    )


def _listed(names: list[str]) -> str:
    return textwrap.fill(", ".join(f"`{name}`" for name in names), 118, break_long_words=False, break_on_hyphens=False)


def order() -> Iterator[tuple[str, str]]:
    """The gates of every call with the reason that stands on each one's line, outermost first."""
    source = textwrap.dedent(inspect.getsource(gates_of))
    lines = source.splitlines()
    gates = next(node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Return))
    assert isinstance(gates, ast.Tuple)  # noqa: S101 - what the function is
    for gate in gates.elts:
        yield _name(gate), _reason(lines, gate)


def _name(gate: ast.expr) -> str:
    named = gate.func if isinstance(gate, ast.Call) else gate
    return ast.unparse(named)


def _reason(lines: list[str], gate: ast.expr) -> str:
    """What the first comment says on one of the gate's own lines."""
    last = gate.end_lineno or gate.lineno
    return next(line.split("#", 1)[1].strip() for line in lines[gate.lineno - 1 : last] if "#" in line)


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
