"""Rich content: checked against its types, and rendered as plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import orjson

from accord.deside.errors import RichContentInvalidError
from accord.deside.models.rich import MOST_RICH_BYTES, RichContent
from accord.engine import Issue, Shape, ValidationError, slots_of

__all__ = ["checked", "rendered"]

Json: TypeAlias = Any
Block: TypeAlias = Mapping[str, Json]
Run: TypeAlias = Mapping[str, Json]

SHAPE: Final = Shape(partial(slots_of, RichContent), lambda: None)
RULE: Final = "---"


def checked(blocks: Sequence[Json]) -> list[Block]:
    """Return the blocks as they are kept, without nulls.

    Raises:
        RichContentInvalidError: They are malformed; it names every issue.
    """
    try:
        kept: list[Block] = SHAPE.check({"blocks": list(blocks)}, {})["blocks"]
    except ValidationError as error:
        raise RichContentInvalidError(issues=error.issues) from None
    size = len(orjson.dumps(kept))
    if size > MOST_RICH_BYTES:
        words = f"must have at most {MOST_RICH_BYTES} bytes as JSON; it has {size}"
        raise RichContentInvalidError(issues=[Issue(path="blocks", message=words, code="too_big")])
    return kept


def rendered(blocks: Sequence[Block]) -> str:
    """Return checked blocks as plain text, a blank line between them."""
    return "\n\n".join(RENDERED[block["type"]](block) for block in blocks)


def _runs(runs: Sequence[Run]) -> str:
    return "".join(_run(run) for run in runs)


def _run(run: Run) -> str:
    href = run["link"]["href"] if "link" in run else None
    text: str = run["t"]
    return text if href is None or href == text else f"{text} ({href})"


def _quote(block: Block) -> str:
    return "\n".join(f"> {line}" for line in _runs(block["runs"]).split("\n"))


def _list(block: Block) -> str:
    marks = (f"{number}." if block.get("ordered") else "-" for number in range(1, len(block["items"]) + 1))
    return "\n".join(f"{mark} {_runs(item)}" for mark, item in zip(marks, block["items"], strict=True))


def _table(block: Block) -> str:
    return "\n".join(" | ".join(_runs(cell) for cell in row) for row in block["rows"])


RENDERED: Final[Mapping[str, Callable[[Block], str]]] = {
    "paragraph": lambda block: _runs(block["runs"]),
    "heading": lambda block: "#" * block["level"] + " " + _runs(block["runs"]),
    "quote": _quote,
    "list": _list,
    "code": lambda block: block["text"],
    "divider": lambda _: RULE,
    "table": _table,
}
"""By type: a block as plain text."""
