"""Puts components together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from accord.discord.components.kinds import CONTAINER, GALLERY, SECTION, TEXT
from accord.discord.models.components import Component, NewGalleryItem

__all__ = ["container", "gallery", "section", "text"]

Json: TypeAlias = Any


def text(content: str) -> Component:
    """Return a text display."""
    return {"type": TEXT, "content": content}


def container(components: Sequence[Component], **look: Json) -> Component:
    """Return a box around the components; `look` is its accent_color and spoiler."""
    return {"type": CONTAINER, **_given(look), "components": list(components)}


def section(texts: Iterable[str], accessory: Component) -> Component:
    """Return texts with a thumbnail or a button beside them."""
    return {"type": SECTION, "components": [text(each) for each in texts], "accessory": accessory}


def gallery(items: Iterable[NewGalleryItem]) -> Component:
    """Return a gallery of pictures and videos."""
    return {"type": GALLERY, "items": [_item(each) for each in items]}


def _item(item: NewGalleryItem) -> Component:
    more: dict[str, Json] = {name: value for name, value in item.items() if name != "url"}
    return {"media": {"url": item["url"]}, **_given(more)}


def _given(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}
