"""Checks message components against the tree that Discord allows and completes them as Discord sends them back."""

# The tree: https://discord.com/developers/docs/components/reference

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.forms import (
    Check,
    Complaints,
    anything,
    form,
    integer,
    listed,
    one_of,
    snowflake,
    text,
    truth,
    web_address,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from accord.discord.sandbox.world import JsonObject, World

IS_COMPONENTS_V2 = 1 << 15
MOST_COMPONENTS = 40
MOST_LEGACY_ROWS = 5
MOST_TEXT = 4000  # over all text displays of a message together
ROW, BUTTON, SELECTS, SECTION, TEXT, THUMBNAIL = 1, 2, (3, 5, 6, 7, 8), 9, 10, 11
GALLERY, FILE, SEPARATOR, CONTAINER = 12, 13, 14, 17
LINK_BUTTON, PREMIUM_BUTTON = 5, 6
IN_A_CONTAINER = (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR)
ON_TOP = (*IN_A_CONTAINER, CONTAINER)

_media = form({"url": web_address("http", "https", "attachment")}, required=("url",))
_emoji = form({"id": snowflake, "name": text(32), "animated": truth})
_option = form(
    {"label": text(100), "value": text(100), "description": text(100), "emoji": _emoji, "default": truth},
    required=("label", "value"),
)
_gallery_item = form({"media": _media, "description": text(1024), "spoiler": truth}, required=("media",))
_select: Mapping[str, Check] = {
    "custom_id": text(100, least=1),
    "placeholder": text(150),
    "min_values": integer(0, 25),
    "max_values": integer(1, 25),
    "disabled": truth,
    "default_values": listed(form({"id": snowflake, "type": one_of("user", "role", "channel")}), most=25),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """One component type: its own fields, what may lie inside it, and what Discord fills in."""

    fields: Mapping[str, Check]
    required: tuple[str, ...] = ()
    inside: tuple[int, ...] = ()
    most_inside: int = 0
    filled_in: Mapping[str, Any] = field(default_factory=dict)


_SELECT_DEFAULTS = {"min_values": 1, "max_values": 1}
KINDS: Mapping[int, Kind] = {
    ROW: Kind({}, inside=(BUTTON, *SELECTS), most_inside=5),
    BUTTON: Kind(
        {
            "style": integer(1, 6), "label": text(80), "custom_id": text(100, least=1), "disabled": truth,
            "url": web_address("http", "https", "discord", most=512), "sku_id": snowflake, "emoji": _emoji,
        },
        required=("style",),
    ),
    3: Kind(
        {**_select, "options": listed(_option, most=25, least=1)},
        required=("custom_id", "options"), filled_in=_SELECT_DEFAULTS,
    ),
    5: Kind(_select, required=("custom_id",), filled_in=_SELECT_DEFAULTS),
    6: Kind(_select, required=("custom_id",), filled_in=_SELECT_DEFAULTS),
    7: Kind(_select, required=("custom_id",), filled_in=_SELECT_DEFAULTS),
    8: Kind(
        {**_select, "channel_types": listed(integer(0, 16), most=10)},
        required=("custom_id",), filled_in=_SELECT_DEFAULTS,
    ),
    SECTION: Kind({}, required=("accessory",), inside=(TEXT,), most_inside=3),
    TEXT: Kind({"content": text(MOST_TEXT, least=1)}, required=("content",)),
    THUMBNAIL: Kind(
        {"media": _media, "description": text(1024), "spoiler": truth},
        required=("media",), filled_in={"description": None, "spoiler": False},
    ),
    GALLERY: Kind({"items": listed(_gallery_item, most=10, least=1)}, required=("items",)),
    FILE: Kind(
        {"file": _media, "spoiler": truth},
        required=("file",), filled_in={"spoiler": False, "name": None, "size": None},
    ),
    SEPARATOR: Kind({"divider": truth, "spacing": one_of(1, 2)}, filled_in={"divider": True, "spacing": 1}),
    CONTAINER: Kind(
        {"accent_color": integer(0, 0xFFFFFF), "spoiler": truth},
        inside=IN_A_CONTAINER, most_inside=MOST_COMPONENTS, filled_in={"accent_color": None, "spoiler": False},
    ),
}  # fmt: skip


def checked_components(value: list[Any], world: World, *, second_version: bool) -> list[JsonObject]:
    """The components with an id each and every default filled in; raises Refused 50035."""
    complaints = Complaints().at("components")
    allowed = ON_TOP if second_version else (ROW,)
    most = MOST_COMPONENTS if second_version else MOST_LEGACY_ROWS
    tree: list[JsonObject] = listed(_one_of_types(allowed), most=most)(value, complaints)
    _check_whole(tree, complaints)
    complaints.settle()
    _number(tree)
    for component in _walk(tree):
        _complete_media(component, world)
    return tree


def _one_of_types(allowed: tuple[int, ...]) -> Check:
    which = one_of(*allowed)

    def check(value: Any, complaints: Complaints) -> JsonObject:
        head = form({"type": anything, "id": integer(0, 2**31 - 1)}, required=("type",))(value, complaints)
        if "type" not in head:
            return {}
        number = which(head["type"], complaints.at("type"))
        return {} if number != head["type"] else head | _inner(KINDS[number], number, value, complaints)

    return check


def _inner(kind: Kind, number: int, value: JsonObject, complaints: Complaints) -> JsonObject:
    fields = dict(kind.fields)
    required = kind.required
    if kind.inside:
        fields["components"] = listed(_one_of_types(kind.inside), most=kind.most_inside, least=1)
        required = (*required, "components")
    if number == SECTION:
        fields["accessory"] = _one_of_types((BUTTON, THUMBNAIL))
    own = form(fields, required=required)(value, complaints)
    if number == BUTTON:
        _check_button(own, complaints)
    return {**kind.filled_in, **{name: each for name, each in own.items() if each is not None}}


def _check_button(button: JsonObject, complaints: Complaints) -> None:
    """A link has an address, a premium button a product, and every other button an id of its own."""
    needed = {LINK_BUTTON: "url", PREMIUM_BUTTON: "sku_id"}.get(button.get("style", 1), "custom_id")
    if not button.get(needed):
        complaints.at(needed).say("BASE_TYPE_REQUIRED", "This field is required")


def _check_whole(tree: list[JsonObject], complaints: Complaints) -> None:
    every = list(_walk(tree))
    if len(every) > MOST_COMPONENTS:
        complaints.say("COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", f"Must be {MOST_COMPONENTS} or fewer in length.")
    if sum(len(each.get("content") or "") for each in every) > MOST_TEXT:
        complaints.say("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", f"Must be {MOST_TEXT} or fewer in length.")
    custom_ids = [each["custom_id"] for each in every if "custom_id" in each]
    if len(set(custom_ids)) < len(custom_ids):
        complaints.say("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")


def _walk(tree: list[JsonObject]) -> Iterator[JsonObject]:
    for component in tree:
        yield component
        yield from _walk(component.get("components", []))
        if "accessory" in component:
            yield component["accessory"]


def _number(tree: list[JsonObject]) -> None:
    """Give each component that has no id the next one that is free."""
    every = list(_walk(tree))
    taken = {each["id"] for each in every if each.get("id")}
    free = (number for number in range(1, 2 * MOST_COMPONENTS + 1) if number not in taken)
    for component in every:
        component["id"] = component.get("id") or next(free)


def _complete_media(component: JsonObject, world: World) -> None:
    holders = [component, *component.get("items", ())]
    for holder in holders:
        for name in ("media", "file"):
            if name in holder:
                address = holder[name]["url"]
                holder[name] = {"id": world.new_id(), "url": address, "proxy_url": address}
    for item in component.get("items", ()):
        item.setdefault("spoiler", False)
        item.setdefault("description", None)
