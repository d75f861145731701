"""The kinds of components: what each is called, what it is made of, and where it may stand.

https://discord.com/developers/docs/components/reference
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Annotated, Any, Final, TypeAlias

from accord.discord.models.components import (
    ActionRow,
    Button,
    ChannelSelect,
    Container,
    EntitySelect,
    FileBox,
    Gallery,
    Section,
    Separator,
    StringSelect,
    TextDisplay,
    Thumbnail,
)
from accord.engine import Shape, Slot, slots_of, unwrapped

__all__ = [
    "BUTTON",
    "CONTAINER",
    "FILE",
    "GALLERY",
    "IN_CONTAINER",
    "KINDS",
    "NAMES",
    "ON_TOP",
    "ROW",
    "SECTION",
    "SELECTS",
    "SEPARATOR",
    "STRING_SELECT",
    "TEXT",
    "THUMBNAIL",
    "Place",
    "inside",
    "kind_of",
    "placed",
    "shape_of",
]

Json: TypeAlias = Any
Node: TypeAlias = Mapping[str, Json]

ROW, BUTTON, STRING_SELECT, TEXT_INPUT, SECTION, TEXT, THUMBNAIL = 1, 2, 3, 4, 9, 10, 11
GALLERY, FILE, SEPARATOR, CONTAINER = 12, 13, 14, 17
SELECTS: Final = frozenset({STRING_SELECT, 5, 6, 7, 8})

NAMES: Final[Mapping[int, str]] = {
    ROW: "action row",
    BUTTON: "button",
    STRING_SELECT: "string select",
    TEXT_INPUT: "text input",
    5: "user select",
    6: "role select",
    7: "mentionable select",
    8: "channel select",
    SECTION: "section",
    TEXT: "text display",
    THUMBNAIL: "thumbnail",
    GALLERY: "media gallery",
    FILE: "file",
    SEPARATOR: "separator",
    CONTAINER: "container",
}
"""Every component that Discord has for messages, and the text input, which stands in modals only."""

KINDS: Final[Mapping[int, type]] = {
    ROW: ActionRow,
    BUTTON: Button,
    STRING_SELECT: StringSelect,
    **dict.fromkeys((5, 6, 7), EntitySelect),
    8: ChannelSelect,
    SECTION: Section,
    TEXT: TextDisplay,
    THUMBNAIL: Thumbnail,
    GALLERY: Gallery,
    FILE: FileBox,
    SEPARATOR: Separator,
    CONTAINER: Container,
}

Place: TypeAlias = frozenset[int]
"""The kinds that may stand at a place."""

IN_CONTAINER: Final[Place] = frozenset({ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR})
ON_TOP: Final[Place] = IN_CONTAINER | {CONTAINER}
IN_ROW: Final[Place] = SELECTS | {BUTTON}
IN_SECTION: Final[Place] = frozenset({TEXT})
BESIDE_SECTION: Final[Place] = frozenset({BUTTON, THUMBNAIL})

_PLACES: Final[Mapping[int, Mapping[str, Place]]] = {
    ROW: {"components": IN_ROW},
    SECTION: {"components": IN_SECTION, "accessory": BESIDE_SECTION},
    CONTAINER: {"components": IN_CONTAINER},
}

_ANY: Final[Mapping[str, Any]] = {"components": list[Any], "accessory": dict[str, Any]}


def kind_of(node: Json) -> int | None:
    """Return the number of the node's kind; None for what is no component that Discord has."""
    number = node.get("type") if isinstance(node, Mapping) else None
    known = isinstance(number, int | float) and not isinstance(number, bool) and number in NAMES
    return int(number) if known and number is not None else None


def placed(number: int) -> Mapping[str, Place]:
    """Return the fields of this kind that hold components, and what may stand there."""
    return _PLACES.get(number, {})


@cache
def shape_of(number: int) -> Shape:
    """Return what a component of this kind is made of; components inside are anything here."""
    return Shape(partial(_slots, number), lambda: None)


def _slots(number: int) -> dict[str, Slot]:
    held = placed(number)
    return {
        name: slot._replace(hint=Annotated[_ANY[name], unwrapped(slot.hint)[1]]) if name in held else slot
        for name, slot in slots_of(KINDS[number]).items()
    }


def inside(node: Node) -> Iterator[tuple[str, Json]]:
    """Return what stands right inside of a component, each with its path from there; well placed or not."""
    children = node.get("components")
    for position, child in enumerate(children if isinstance(children, list) else ()):
        yield f"components[{position}]", child
    if "accessory" in node:
        yield "accessory", node["accessory"]
