"""Rich content: blocks of styled text, with their limits (spec: 128 blocks, 64 runs, 64 items, 32 rows, 8 columns)."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.engine import Field

__all__ = ["MOST_RICH_BYTES", "Block", "RichContent", "Run", "Runs"]

MOST_RICH_BYTES = 32 * 1024
"""Of all blocks together, as JSON without spaces in UTF-8."""


NO_NUL = "^[^\\x00]*$"
"""PostgreSQL keeps no such character."""


class Link(TypedDict):
    """Where a run leads."""

    href: Annotated[str, Field(pattern="^https?://[^\\s/\\x00][^\\s\\x00]*$", max_length=2048)]


class Run(TypedDict):
    """A piece of text in one style."""

    t: Annotated[str, Field(min_length=1, pattern=NO_NUL)]
    bold: NotRequired[bool]
    italic: NotRequired[bool]
    strike: NotRequired[bool]
    code: NotRequired[bool]
    link: NotRequired[Link]


Runs = Annotated[list[Run], Field(min_items=1, max_items=64)]
Cell = Annotated[list[Run], Field(max_items=64)]  # which may be empty


class Paragraph(TypedDict):
    """A paragraph."""

    type: Literal["paragraph"]
    runs: Runs


class Heading(TypedDict):
    """A heading."""

    type: Literal["heading"]
    level: Annotated[int, Field(minimum=1, maximum=3)]
    runs: Runs


class Quote(TypedDict):
    """Somebody else's words."""

    type: Literal["quote"]
    runs: Runs


class ListOfItems(TypedDict):
    """A list, numbered if it is ordered."""

    type: Literal["list"]
    ordered: NotRequired[bool]
    items: Annotated[list[Runs], Field(min_items=1, max_items=64)]


class Code(TypedDict):
    """A program's text."""

    type: Literal["code"]
    text: Annotated[str, Field(min_length=1, pattern=NO_NUL)]
    lang: NotRequired[Annotated[str, Field(max_length=32, pattern=NO_NUL)]]


class Divider(TypedDict):
    """A line."""

    type: Literal["divider"]


class Table(TypedDict):
    """Rows of cells."""

    type: Literal["table"]
    rows: Annotated[
        list[Annotated[list[Cell], Field(min_items=1, max_items=8)]],
        Field(min_items=1, max_items=32),
    ]


Block = Paragraph | Heading | Quote | ListOfItems | Code | Divider | Table


class RichContent(TypedDict):
    """What a message says in blocks."""

    blocks: Annotated[list[Block], Field(min_items=1, max_items=128)]
