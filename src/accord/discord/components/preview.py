"""What a layout looks like, as an indented tree of text. Faults are no hindrance: it draws what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from accord.discord.components.kinds import (
    BUTTON,
    CONTAINER,
    FILE,
    GALLERY,
    NAMES,
    SELECTS,
    SEPARATOR,
    STRING_SELECT,
    TEXT,
    THUMBNAIL,
    inside,
    kind_of,
)

__all__ = ["preview"]

Json: TypeAlias = Any
Node: TypeAlias = Mapping[str, Json]

INDENT: Final = "  "
LARGE: Final = 2


def preview(components: Iterable[Json]) -> str:
    """Return the tree, one line a component; a text has as many lines as it has itself."""
    return "\n".join(line for each in components for line in _drawn(each, ""))


def _drawn(node: Json, margin: str) -> Iterator[str]:
    number = kind_of(node)
    if not isinstance(node, Mapping) or number is None:
        yield f"{margin}? {_short(node.get('type') if isinstance(node, Mapping) else node)}"
        return
    title, *more = DRAWN.get(number, _nothing)(node)
    yield f"{margin}{NAMES[number].capitalize()}{title}{_marks(node)}"
    yield from (f"{margin}{INDENT}{line}" for line in more)
    for _, child in inside(node):
        yield from _drawn(child, margin + INDENT)


def _marks(node: Node) -> str:
    return "".join(f" ({mark})" for mark in ("spoiler", "disabled") if node.get(mark) is True)


def _nothing(_node: Node) -> list[str]:
    return [""]


def _text(node: Node) -> list[str]:
    return ["", *str(node.get("content", "")).split("\n")]


def _button(node: Node) -> list[str]:
    emoji = node.get("emoji")
    face = [emoji.get("name") if isinstance(emoji, Mapping) else None, node.get("label")]
    label = " ".join(str(each) for each in face if each)
    does = next((f" -> {name} {node[name]}" for name in ("url", "sku_id", "custom_id") if node.get(name)), "")
    return [f" [{label}]{does}"]


def _select(node: Node) -> list[str]:
    hint = f" [{node.get('placeholder') or ''}]"
    options = node.get("options")
    shown = [each.get("label") for each in options if isinstance(each, Mapping)] if isinstance(options, list) else []
    return [f"{hint} -> custom_id {node.get('custom_id')}", *(f"- {label}" for label in shown)]


def _gallery(node: Node) -> list[str]:
    items = node.get("items")
    return ["", *(f"- {_media(each, 'media')}" for each in (items if isinstance(items, list) else ()))]


def _media(holder: Json, field: str) -> str:
    """Return the address, and the words that stand for the picture."""
    media = holder.get(field) if isinstance(holder, Mapping) else None
    address = media.get("url") if isinstance(media, Mapping) else None
    words = holder.get("description") if isinstance(holder, Mapping) else None
    return f"{address}" + (f" ({words})" if words else "")


def _separator(node: Node) -> list[str]:
    space = "large" if node.get("spacing") == LARGE else "small"
    return [f", {space}" + (", no line" if node.get("divider") is False else "")]


def _container(node: Node) -> list[str]:
    color = node.get("accent_color")
    return ["" if color is None else f" #{color:06X}" if isinstance(color, int) else f" {color}"]


def _short(value: Json) -> str:
    return f"{value!s:.60}"


DRAWN: Final[Mapping[int, Callable[[Node], list[str]]]] = {
    TEXT: _text,
    BUTTON: _button,
    **dict.fromkeys(SELECTS | {STRING_SELECT}, _select),
    GALLERY: _gallery,
    THUMBNAIL: lambda node: [f" {_media(node, 'media')}"],
    FILE: lambda node: [f" {_media(node, 'file')}"],
    SEPARATOR: _separator,
    CONTAINER: _container,
}
"""What follows a kind's name, and the lines below it."""
