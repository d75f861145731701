"""Buttons and menus below a message. https://discord.com/developers/docs/components/reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import EmojiId, SkuId
from accord.engine import Field, Issue

__all__ = ["ActionRow", "Rows", "buttons_are_whole"]

Json: TypeAlias = Any
CustomId = Annotated[str, Field(min_length=1, max_length=100)]

BUTTON = 2
LINK_STYLE, PREMIUM_STYLE = 5, 6


class ComponentEmoji(TypedDict):
    """An emoji on a component: `id` of a custom one, `name` alone for a unicode one."""

    name: Annotated[str, Field(max_length=32)]
    id: NotRequired[EmojiId]


class Button(TypedDict):
    """A button: styles 1 to 4 have a `custom_id`, 5 has a `url`, 6 has a `sku_id`."""

    type: Literal[2]
    style: Literal[1, 2, 3, 4, 5, 6]
    label: NotRequired[Annotated[str, Field(max_length=80)]]
    emoji: NotRequired[ComponentEmoji]
    custom_id: NotRequired[CustomId]
    url: NotRequired[Annotated[str, Field(max_length=512)]]
    sku_id: NotRequired[SkuId]
    disabled: NotRequired[bool]


class SelectOption(TypedDict):
    """One choice of a string menu."""

    label: Annotated[str, Field(min_length=1, max_length=100)]
    value: Annotated[str, Field(min_length=1, max_length=100)]
    description: NotRequired[Annotated[str, Field(max_length=100)]]
    emoji: NotRequired[ComponentEmoji]
    default: NotRequired[bool]


class Select(TypedDict):
    """What every menu has; how many of its entries may be chosen at once."""

    custom_id: CustomId
    placeholder: NotRequired[Annotated[str, Field(max_length=150)]]
    min_values: NotRequired[Annotated[int, Field(minimum=0, maximum=25)]]
    max_values: NotRequired[Annotated[int, Field(minimum=1, maximum=25)]]
    disabled: NotRequired[bool]


class StringSelect(Select):
    """A menu of fixed choices."""

    type: Literal[3]
    options: Annotated[list[SelectOption], Field(min_items=1, max_items=25)]


class EntitySelect(Select):
    """A menu of users (5), roles (6) or both (7)."""

    type: Literal[5, 6, 7]


class ChannelSelect(Select):
    """A menu of channels, of all kinds or of these."""

    type: Literal[8]
    channel_types: NotRequired[list[Literal[0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]]]


class ActionRow(TypedDict):
    """A row of up to five buttons, or of one menu."""

    type: Literal[1]
    components: Annotated[list[Button | StringSelect | EntitySelect | ChannelSelect], Field(min_items=1, max_items=5)]


Rows = Annotated[list[ActionRow], Field(max_items=5, description="rows of buttons or one menu each")]


def buttons_are_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a button without what its style needs, or with what it cannot have."""
    for row, parts in enumerate(arguments.get("components", ())):
        for place, part in enumerate(parts["components"]):
            if part["type"] == BUTTON and (wrong := _wrong_with(part)):
                yield Issue(path=f"components[{row}].components[{place}]", message=wrong, code="invalid_button")


def _wrong_with(button: Mapping[str, Json]) -> str | None:
    needed = {LINK_STYLE: "url", PREMIUM_STYLE: "sku_id"}.get(button["style"], "custom_id")
    given = {"url", "sku_id", "custom_id"} & button.keys()
    if given != {needed}:
        return f"a button of style {button['style']} has `{needed}` and none of the others"
    if needed != "sku_id" and not {"label", "emoji"} & button.keys():
        return "a button needs a `label` or an `emoji`"
    return None
