"""What is wrong with a layout: every fault with where it is, what it is and what to do about it.

Limits: https://discord.com/developers/docs/components/reference
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from accord.discord.components.kinds import (
    BUTTON,
    CONTAINER,
    FILE,
    GALLERY,
    NAMES,
    ON_TOP,
    ROW,
    SECTION,
    SELECTS,
    STRING_SELECT,
    THUMBNAIL,
    Place,
    inside,
    kind_of,
    placed,
    shape_of,
)
from accord.discord.models.components import MOST_COMPONENTS, PREMIUM_STYLE, Component, button_key
from accord.engine import Issue, ValidationError

__all__ = ["Fault", "Layout", "counted", "issues_of", "read_layout"]

Json: TypeAlias = Any
Node: TypeAlias = Mapping[str, Json]

MOST_CHARACTERS: Final = 4000
"""All texts of a message together."""

ATTACHED: Final = "attachment://"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that Discord would refuse."""

    code: str
    path: str
    message: str

    @property
    def fix(self) -> str:
        """What to do about it."""
        return FIXES[self.code]


class Layout(NamedTuple):
    """Components as they would be sent, nulls left out and colours as numbers; and what is wrong with them.

    Only components without a fault may be sent.
    """

    components: list[Component]
    faults: list[Fault]


Found: TypeAlias = tuple[str, str, str]
"""Code, path from the component, and message."""


def read_layout(
    components: Sequence[Json], *, place: Place = ON_TOP, files: Collection[str] | None = None, at: str = "components"
) -> Layout:
    """Return the components with their faults.

    `place` says what may stand in the list, `at` is the list's own path. `files` are the names of those that go along;
    None where others may be there already.
    """
    faults: list[Fault] = []
    read = [_read(each, place, f"{at}[{number}]", faults) for number, each in enumerate(components)]
    faults += _faults_of_all(components, at)
    faults += [] if files is None else _not_attached(components, at, files)
    return Layout(read, faults)


def issues_of(faults: Iterable[Fault]) -> Iterator[Issue]:
    """Word the faults as issues of a call."""
    for fault in faults:
        yield Issue(path=fault.path, message=f"{fault.message}; {fault.fix}", code=fault.code)


# --- One component --------------------------------------------------------------------------------------------------


def _read(node: Json, place: Place, path: str, faults: list[Fault]) -> Json:
    """Return the component as it would be sent. One at a wrong place is not looked into."""
    number = kind_of(node)
    if number is None or number not in place:
        faults.append(_misplaced(node, number, place, path))
        return node
    own, found = _own_fields(node, number)
    faults += [Fault(code, _joined(path, field), message) for code, field, message in found]
    return own | {name: _read_held(own[name], may, f"{path}.{name}", faults) for name, may in _held(own, number)}


def _held(own: Node, number: int) -> list[tuple[str, Place]]:
    return [(name, place) for name, place in placed(number).items() if isinstance(own.get(name), dict | list)]


def _read_held(held: Json, place: Place, path: str, faults: list[Fault]) -> Json:
    if isinstance(held, list):
        return [_read(each, place, f"{path}[{number}]", faults) for number, each in enumerate(held)]
    return _read(held, place, path, faults)


def _misplaced(node: Json, number: int | None, place: Place, path: str) -> Fault:
    if not isinstance(node, Mapping):
        return Fault("SCHEMA_INVALID_TYPE", path, "must be an object")
    if node.get("type") is None:
        return Fault("SCHEMA_REQUIRED", f"{path}.type", "is required")
    if number is None:
        return Fault("UNKNOWN_TYPE", f"{path}.type", "is no component that a message can have")
    if number == CONTAINER:
        return Fault("CONTAINER_IN_CONTAINER", path, "is a container, which stands at the top only")
    if number == THUMBNAIL:
        return Fault("THUMBNAIL_STANDALONE", path, "is a thumbnail, which stands beside a section only")
    code = "INVALID_ACCESSORY" if THUMBNAIL in place else "SCHEMA_MISPLACED"
    may = ", ".join(f"{each} {NAMES[each]}" for each in sorted(place))
    return Fault(code, path, f"is of type {number}, {NAMES[number]}; here may stand {may}")


def _own_fields(node: Node, number: int) -> tuple[dict[str, Json], list[Found]]:
    """Return the component's own fields, and what is wrong with them."""
    try:
        checked = shape_of(number).check(dict(node), {})
    except ValidationError as refused:
        return dict(node), [_found(issue, number) for issue in refused.issues]
    own = {
        name: str(value) if isinstance(value, str) else value for name, value in checked.items()
    }  # ids as plain text
    own["type"] = number
    return own, [found for rule in RULES.get(number, ()) for found in rule(own)]


def _found(issue: Issue, number: int) -> Found:
    code = CODES.get((number, issue["path"], issue["code"])) or f"SCHEMA_{issue['code'].upper()}"
    message = issue["message"]
    if issue["code"] == "unrecognized_key":
        near = issue.get("expected")
        message = f"is no field of a {NAMES[number]}" + (f"; did you mean `{near}`?" if near else "")
    return code, issue["path"], message


def _joined(path: str, field: str) -> str:
    return f"{path}.{field}" if field else path


CODES: Final[Mapping[tuple[int, str, str], str]] = {
    (ROW, "components", "too_big"): "ACTIONROW_OVER_5",
    (SECTION, "accessory", "required"): "SECTION_NO_ACCESSORY",
    (SECTION, "accessory", "invalid_type"): "INVALID_ACCESSORY",
    (GALLERY, "items", "required"): "GALLERY_RANGE",
    (GALLERY, "items", "too_small"): "GALLERY_RANGE",
    (GALLERY, "items", "too_big"): "GALLERY_RANGE",
}
"""Codes of their own, by kind, field and what is wrong; all others say SCHEMA_ and what is wrong."""


# --- Rules between the fields of one component -----------------------------------------------------------------------


def _does_one_thing(button: Node) -> Iterator[Found]:
    style = button["style"]
    needed = button_key(style)
    given = {"url", "sku_id", "custom_id"} & button.keys()
    if given != {needed}:
        yield "BUTTON_NO_ID_OR_URL", "", f"of style {style} has `{needed}`, and none of the others"


def _is_labelled(button: Node) -> Iterator[Found]:
    words = {"label", "emoji"} & button.keys()
    if button["style"] == PREMIUM_STYLE and words:
        yield "SCHEMA_CONFLICT", "", "of style 6 has no label and no emoji: Discord shows the product"
    if button["style"] != PREMIUM_STYLE and not words:
        yield "SCHEMA_REQUIRED", "label", "or an emoji is required"


def _holds_one_kind(row: Node) -> Iterator[Found]:
    children = row["components"]
    if len(children) > 1 and any(kind_of(each) in SELECTS for each in children):
        yield "SCHEMA_CONFLICT", "components", "may be buttons or one select"


def _can_be_chosen(select: Node) -> Iterator[Found]:
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    if least > most:
        yield "SCHEMA_CONFLICT", "min_values", f"is more than max_values, which is {most}"
    preset = len(select.get("default_values", ()))
    if preset and not least <= preset <= most:
        yield "SCHEMA_CONFLICT", "default_values", f"must be as many as can be chosen, {least} to {most}"


def _has_enough_options(select: Node) -> Iterator[Found]:
    options, most = select["options"], select.get("max_values", 1)
    if most > len(options):
        yield "SCHEMA_CONFLICT", "max_values", f"is more than there are options, {len(options)}"
    if sum(option.get("default", False) for option in options) > most:
        yield "SCHEMA_CONFLICT", "options", f"has more defaults than can be chosen, {most}"
    if len({option["value"] for option in options}) < len(options):
        yield "SCHEMA_CONFLICT", "options", "has one value twice"


def _presets_its_own_kind(select: Node) -> Iterator[Found]:
    may = DEFAULTS[select["type"]]
    for number, each in enumerate(select.get("default_values", ())):
        if each["type"] not in may:
            yield "SCHEMA_INVALID_ENUM", f"default_values[{number}].type", f"must be {' or '.join(may)}"


def _is_attached(file: Node) -> Iterator[Found]:
    if not file["file"]["url"].startswith(ATTACHED):
        yield "SCHEMA_INVALID_STRING", "file.url", f"must be {ATTACHED} and the name of a file that goes along"


DEFAULTS: Final[Mapping[int, tuple[str, ...]]] = {5: ("user",), 6: ("role",), 7: ("user", "role"), 8: ("channel",)}

Rule: TypeAlias = Callable[[Node], Iterator[Found]]
RULES: Final[Mapping[int, tuple[Rule, ...]]] = {
    BUTTON: (_does_one_thing, _is_labelled),
    ROW: (_holds_one_kind,),
    STRING_SELECT: (_can_be_chosen, _has_enough_options),
    **dict.fromkeys(DEFAULTS, (_can_be_chosen, _presets_its_own_kind)),
    FILE: (_is_attached,),
}


# --- All components of a message --------------------------------------------------------------------------------------


def _faults_of_all(components: Iterable[Json], at: str) -> Iterator[Fault]:
    every = list(_walk(components, at))
    if len(every) > MOST_COMPONENTS:
        yield Fault("OVER_40", at, f"has {len(every)} components, nested ones counted; {MOST_COMPONENTS} are the most")
    characters = sum(len(text) for _, node in every if isinstance(text := node.get("content"), str))
    if characters > MOST_CHARACTERS:
        yield Fault("TEXT_OVER_4000", at, f"has {characters} characters of text; {MOST_CHARACTERS} are the most")
    yield from _twice(every, "custom_id", "DUPLICATE_CUSTOM_ID")
    yield from _twice(every, "id", "DUPLICATE_ID")


def _twice(every: Iterable[tuple[str, Node]], field: str, code: str) -> Iterator[Fault]:
    seen: set[Json] = set()
    for path, node in every:
        value = node.get(field)
        if not value or not isinstance(value, str | int):
            continue
        if value in seen:
            yield Fault(code, f"{path}.{field}", "is another component's already")
        seen.add(value)


def _not_attached(components: Iterable[Json], at: str, files: Collection[str]) -> Iterator[Fault]:
    for path, node in _walk(components, at):
        for field, address in _addresses(node):
            if address.startswith(ATTACHED) and address.removeprefix(ATTACHED) not in files:
                yield Fault("FILE_NOT_SENT", f"{path}.{field}", "names a file that does not go along")


def _addresses(node: Node) -> Iterator[tuple[str, str]]:
    """Return every address of a picture, video or file that the component itself shows."""
    items = node.get("items")
    holders = [("", node)] + [(f"items[{n}].", each) for n, each in enumerate(items if isinstance(items, list) else ())]
    for at, holder in holders:
        for field in ("media", "file"):
            media = holder.get(field) if isinstance(holder, Mapping) else None
            if isinstance(media, Mapping) and isinstance(address := media.get("url"), str):
                yield f"{at}{field}.url", address


def _walk(components: Iterable[Json], at: str) -> Iterator[tuple[str, Node]]:
    """Return every component with its path, from the top down, well placed or not."""
    for number, node in enumerate(components):
        yield from _within(node, f"{at}[{number}]")


def _within(node: Json, path: str) -> Iterator[tuple[str, Node]]:
    if isinstance(node, Mapping):
        yield path, node
        for step, child in inside(node):
            yield from _within(child, f"{path}.{step}")


def counted(components: Iterable[Json]) -> int:
    """Return how many components there are, nested ones counted."""
    return sum(1 for _ in _walk(components, ""))


FIXES: Final[Mapping[str, str]] = {
    "UNKNOWN_TYPE": "use " + ", ".join(f"{number} {NAMES[number]}" for number in sorted(ON_TOP)),
    "OVER_40": "join texts, or send a second message",
    "TEXT_OVER_4000": "shorten it, or send a second message",
    "DUPLICATE_CUSTOM_ID": "give each button and select a custom_id of its own",
    "DUPLICATE_ID": "give each component an id of its own, or leave ids out",
    "CONTAINER_IN_CONTAINER": "put the inner container's components straight into the outer one, or beside it",
    "ACTIONROW_OVER_5": "put at most 5 buttons into a row, and the rest into another",
    "THUMBNAIL_STANDALONE": "make it the accessory of a section, or use a media gallery",
    "SECTION_NO_ACCESSORY": "add a thumbnail or a button as accessory, or use text displays without a section",
    "INVALID_ACCESSORY": "use a thumbnail (11) or a button (2)",
    "GALLERY_RANGE": "give 1 to 10 items",
    "BUTTON_NO_ID_OR_URL": "styles 1 to 4 take custom_id, 5 takes url, 6 takes sku_id",
    "FILE_NOT_SENT": "add it to files, under the same name",
    "SCHEMA_REQUIRED": "add it",
    "SCHEMA_UNRECOGNIZED_KEY": "leave it out",
    "SCHEMA_CONFLICT": "make both agree",
    "SCHEMA_MISPLACED": "move it",
    "SCHEMA_INVALID_TYPE": "give a value of that type",
    "SCHEMA_INVALID_UNION": "give a value of one of these forms",
    "SCHEMA_INVALID_ENUM": "use one of these",
    "SCHEMA_INVALID_STRING": "give it in that form",
    "SCHEMA_INVALID_JSON": "send plain JSON",
    "SCHEMA_TOO_SMALL": "give more",
    "SCHEMA_TOO_BIG": "give less",
}
"""What to do, by code."""
