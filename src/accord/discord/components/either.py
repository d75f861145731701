"""Components of either version: rows of buttons and menus below a message, or a layout that is the whole message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from accord.discord.components.arguments import layout_is_whole
from accord.discord.models.components import buttons_are_whole
from accord.discord.models.layouts import IS_COMPONENTS_V2
from accord.engine import Issue

__all__ = ["components_are_whole"]

Json: TypeAlias = Any

ROW = 1
MOST_ROWS = 5
INSTEAD_OF = ("content", "embeds", "poll")
"""What a laid out message cannot have besides (docs, resources/message, IS_COMPONENTS_V2)."""


def components_are_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse components that Discord would refuse: in a layout, which its flag announces, or below a message."""
    if arguments.get("flags", 0) & IS_COMPONENTS_V2:
        return _of_layout(arguments)
    return _of_rows(arguments)


def _of_layout(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    for name in INSTEAD_OF:
        if name in arguments:
            yield Issue(path=name, message="conflicts with flags 32768: a layout is all of a message", code="conflict")
    if "components" in arguments:
        yield from layout_is_whole(arguments)


def _of_rows(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    components = arguments.get("components", ())
    strange = [place for place, part in enumerate(components) if part["type"] != ROW]
    for place in strange:
        yield Issue(path=f"components[{place}]", message="needs flags 32768: it is part of a layout", code="conflict")
    if len(components) > MOST_ROWS:
        yield Issue(path="components", message=f"may have {MOST_ROWS} rows without flags 32768", code="too_big")
    if not strange:
        yield from buttons_are_whole(arguments)
