"""Components: buttons and menus below a message, and the parts of a message that is laid out from them.

https://discord.com/developers/docs/components/reference
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import EmojiId, EntityId, SkuId
from accord.discord.models.values import RGB, Url
from accord.engine import Field, Issue

__all__ = [
    "MOST_COMPONENTS",
    "ActionRow",
    "Button",
    "ChannelSelect",
    "Component",
    "ComponentId",
    "Components",
    "Container",
    "CustomId",
    "DefaultValues",
    "EntitySelect",
    "FileBox",
    "Gallery",
    "Layout",
    "NewGalleryItem",
    "Rows",
    "Section",
    "SelectOption",
    "Separator",
    "StringSelect",
    "TextDisplay",
    "Thumbnail",
    "button_key",
    "buttons_are_whole",
]

Json: TypeAlias = Any
CustomId = Annotated[str, Field(min_length=1, max_length=100)]
ComponentId = Annotated[int, Field(minimum=0, maximum=2**31 - 1)]
"""A component's own number in its message; Discord fills in those left out, and 0 is one left out."""

BUTTON = 2
LINK_STYLE, PREMIUM_STYLE = 5, 6
MOST_COMPONENTS = 40


class ComponentEmoji(TypedDict):
    """An emoji on a component: `id` of a custom one, `name` alone for a unicode one."""

    name: Annotated[str, Field(max_length=32)]
    id: NotRequired[EmojiId]
    animated: NotRequired[bool]


class Button(TypedDict):
    """A button: styles 1 to 4 have a `custom_id`, 5 has a `url`, 6 has a `sku_id`."""

    type: Literal[2]
    id: NotRequired[ComponentId]
    style: Literal[1, 2, 3, 4, 5, 6]
    label: NotRequired[Annotated[str, Field(max_length=80)]]
    emoji: NotRequired[ComponentEmoji]
    custom_id: NotRequired[CustomId]
    url: NotRequired[Annotated[str, Field(max_length=512, pattern="^(https?|discord)://")]]
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
    id: NotRequired[ComponentId]
    placeholder: NotRequired[Annotated[str, Field(max_length=150)]]
    min_values: NotRequired[Annotated[int, Field(minimum=0, maximum=25)]]
    max_values: NotRequired[Annotated[int, Field(minimum=1, maximum=25)]]
    disabled: NotRequired[bool]


class StringSelect(Select):
    """A menu of fixed choices."""

    type: Literal[3]
    options: Annotated[list[SelectOption], Field(min_items=1, max_items=25)]


class DefaultValue(TypedDict):
    """What is chosen already in a menu of users, roles or channels."""

    id: EntityId
    type: Literal["user", "role", "channel"]


DefaultValues = Annotated[list[DefaultValue], Field(max_items=25)]


class EntitySelect(Select):
    """A menu of users (5), roles (6) or both (7)."""

    type: Literal[5, 6, 7]
    default_values: NotRequired[DefaultValues]


class ChannelSelect(Select):
    """A menu of channels, of all kinds or of these."""

    type: Literal[8]
    channel_types: NotRequired[list[Literal[0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]]]
    default_values: NotRequired[DefaultValues]


class ActionRow(TypedDict):
    """A row of up to five buttons, or of one menu."""

    type: Literal[1]
    id: NotRequired[ComponentId]
    components: Annotated[list[Button | StringSelect | EntitySelect | ChannelSelect], Field(min_items=1, max_items=5)]


Rows = Annotated[list[ActionRow], Field(max_items=5, description="rows of buttons or one menu each")]


class Media(TypedDict):
    """A picture or a video by its address, or `attachment://name` of a file that goes along."""

    url: Url


MediaText = Annotated[str, Field(min_length=1, max_length=1024)]


class TextDisplay(TypedDict):
    """Markdown text. All texts of a message have at most 4000 characters together."""

    type: Literal[10]
    id: NotRequired[ComponentId]
    content: Annotated[str, Field(min_length=1, max_length=4000)]


class Thumbnail(TypedDict):
    """A small picture beside a section's text."""

    type: Literal[11]
    id: NotRequired[ComponentId]
    media: Media
    description: NotRequired[MediaText]
    spoiler: NotRequired[bool]


class Section(TypedDict):
    """One to three texts with a thumbnail or a button beside them."""

    type: Literal[9]
    id: NotRequired[ComponentId]
    components: Annotated[list[TextDisplay], Field(min_items=1, max_items=3)]
    accessory: Thumbnail | Button


class GalleryItem(TypedDict):
    """One picture or video of a gallery."""

    media: Media
    description: NotRequired[MediaText]
    spoiler: NotRequired[bool]


class Gallery(TypedDict):
    """One to ten pictures or videos."""

    type: Literal[12]
    id: NotRequired[ComponentId]
    items: Annotated[list[GalleryItem], Field(min_items=1, max_items=10)]


class FileBox(TypedDict):
    """A file that goes along with the message, to be downloaded: `file` is {url: attachment://name}."""

    type: Literal[13]
    id: NotRequired[ComponentId]
    file: Media
    spoiler: NotRequired[bool]


class Separator(TypedDict):
    """Space between two components, small (1) or large (2), with a line unless `divider` is false."""

    type: Literal[14]
    id: NotRequired[ComponentId]
    divider: NotRequired[bool]
    spacing: NotRequired[Literal[1, 2]]


class Container(TypedDict):
    """A box around components, with a coloured edge."""

    type: Literal[17]
    id: NotRequired[ComponentId]
    components: Annotated[
        list[ActionRow | Section | TextDisplay | Gallery | FileBox | Separator],
        Field(min_items=1, max_items=MOST_COMPONENTS),
    ]
    accent_color: NotRequired[RGB]
    spoiler: NotRequired[bool]


Layout = Annotated[
    list[ActionRow | Section | TextDisplay | Gallery | FileBox | Separator | Container],
    Field(min_items=1, max_items=MOST_COMPONENTS),
]
"""What a whole message can be laid out from."""

Component: TypeAlias = dict[str, Any]
"""One component of any kind, as the caller wrote it; `accord.discord.components` tells what is wrong with it."""

Components = Annotated[
    list[Component],
    Field(min_items=1, max_items=MOST_COMPONENTS, description="as discord://components-v2/schema says"),
]


class NewGalleryItem(TypedDict):
    """A picture or video for a gallery: an address, or `attachment://name`."""

    url: Url
    description: NotRequired[MediaText]
    spoiler: NotRequired[bool]


def button_key(style: int) -> str:
    """Return the one field that says what a button of this style does."""
    return {LINK_STYLE: "url", PREMIUM_STYLE: "sku_id"}.get(style, "custom_id")


def buttons_are_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a button without what its style needs, or with what it cannot have."""
    for row, parts in enumerate(arguments.get("components", ())):
        for place, part in enumerate(parts["components"]):
            if part["type"] == BUTTON and (wrong := _wrong_with(part)):
                yield Issue(path=f"components[{row}].components[{place}]", message=wrong, code="invalid_button")


def _wrong_with(button: Mapping[str, Json]) -> str | None:
    needed = button_key(button["style"])
    given = {"url", "sku_id", "custom_id"} & button.keys()
    if given != {needed}:
        return f"a button of style {button['style']} has `{needed}` and none of the others"
    if needed != "sku_id" and not {"label", "emoji"} & button.keys():
        return "a button needs a `label` or an `emoji`"
    return None
