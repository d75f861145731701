"""What is wrong with a layout: each rule of Discord's open and closed, with its place and its fix."""

from __future__ import annotations

from typing import Any

import pytest

from accord.discord.components.validator import FIXES, issues_of, read_layout

Node = dict[str, Any]

ID = "1196396359190498827"


def text(content: str = "x", **more: Any) -> Node:
    return {"type": 10, "content": content, **more}


def button(**more: Any) -> Node:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": "go", **more}


def row(*children: Node, **more: Any) -> Node:
    return {"type": 1, "components": list(children), **more}


def select(number: int = 3, **more: Any) -> Node:
    own = {"options": [{"label": "A", "value": "a"}, {"label": "B", "value": "b"}]} if number == 3 else {}
    return {"type": number, "custom_id": f"menu{number}", **own, **more}


def container(*children: Node, **more: Any) -> Node:
    return {"type": 17, "components": list(children), **more}


def media(url: str = "https://weather.example/map.png") -> Node:
    return {"url": url}


def thumbnail(**more: Any) -> Node:
    return {"type": 11, "media": media(), **more}


def section(*texts: Node, **more: Any) -> Node:
    return {"type": 9, "components": list(texts or [text()]), "accessory": thumbnail(), **more}


def gallery(count: int = 1, **more: Any) -> Node:
    return {"type": 12, "items": [{"media": media(), **more}] * count}


def file(url: str = "attachment://map.png", **more: Any) -> Node:
    return {"type": 13, "file": media(url), **more}


def without(node: Node, name: str) -> Node:
    return {key: value for key, value in node.items() if key != name}


PREMIUM = {"type": 2, "style": 6, "sku_id": ID}
LINK = {"type": 2, "style": 5, "label": "Read", "url": "https://lanterns.example"}
OPTION = {"label": "A", "value": "a"}

WHOLE: dict[str, list[Node]] = {
    "a text of 4000 characters": [text("x" * 4000)],
    "40 texts in a container": [container(*[text()] * 39)],
    "more than ten children in a container": [container(*[text()] * 11)],
    "all that a container can hold": [
        container(row(button()), section(), text(), gallery(), file(), {"type": 14}, accent_color=0, spoiler=True)
    ],
    "a file at the top": [file(spoiler=True)],
    "a premium button": [row(PREMIUM)],
    "a premium button beside a section": [section(accessory=PREMIUM)],
    "a disabled premium button": [row({**PREMIUM, "disabled": True})],
    "a link button": [row(LINK)],
    "an app's link": [row({**LINK, "url": "discord://-/settings"})],
    "five buttons": [row(*(button(custom_id=str(number)) for number in range(5)))],
    "a button with an emoji alone": [row(without(button(emoji={"name": "🔥"}), "label"))],
    "a button with a custom emoji": [row(button(emoji={"name": "blob", "id": ID, "animated": True}))],
    "every select": [row(select(number)) for number in (3, 5, 6, 7, 8)],
    "a select for many": [row(select(min_values=0, max_values=2, placeholder="x" * 150))],
    "preset users": [row(select(5, max_values=2, default_values=[{"id": ID, "type": "user"}] * 2))],
    "preset users and roles": [
        row(select(7, max_values=2, default_values=[{"id": ID, "type": kind} for kind in ("user", "role")]))
    ],
    "preset channels of some types": [
        row(select(8, channel_types=[0, 5], default_values=[{"id": ID, "type": "channel"}]))
    ],
    "ten pictures": [gallery(10, description="x" * 1024, spoiler=True)],
    "three texts in a section": [section(text(), text(), text())],
    "a large separator": [text(), {"type": 14, "divider": False, "spacing": 2}],
    "an address of 2048 characters": [section(accessory=thumbnail(media=media("https://" + "x" * 2040)))],
    "own ids": [text(id=1), text(id=2), text(id=0), text(id=0)],
    "nulls, which stand for nothing": [text(id=None), container(text(), accent_color=None)],
}


@pytest.mark.parametrize("components", WHOLE.values(), ids=WHOLE)
def test_what_discord_takes_has_no_fault(components: list[Node]) -> None:
    assert read_layout(components, files={"map.png"}).faults == []


MANY = [text()] * 41
LONG = [text("x" * 2001), section(text("x" * 2000))]

TOP, IN = "components[0]", "components[0].components[0]"

FAULTY: dict[str, tuple[list[Any], str, str]] = {
    "no object": (["x"], "SCHEMA_INVALID_TYPE", TOP),
    "no type": ([{"content": "x"}], "SCHEMA_REQUIRED", f"{TOP}.type"),
    "a type of modals": ([{"type": 18}], "UNKNOWN_TYPE", f"{TOP}.type"),
    "a type that is true": ([{"type": True}], "UNKNOWN_TYPE", f"{TOP}.type"),
    "a type that is a list": ([{"type": [10]}], "UNKNOWN_TYPE", f"{TOP}.type"),
    "a text input": ([row({"type": 4, "custom_id": "x"})], "SCHEMA_MISPLACED", IN),
    "a button at the top": ([button()], "SCHEMA_MISPLACED", TOP),
    "a section in a row": ([row(section())], "SCHEMA_MISPLACED", IN),
    "a field that there is not": ([text(contents="x")], "SCHEMA_UNRECOGNIZED_KEY", f"{TOP}.contents"),
    "a field deep inside": (
        [row(select(options=[{**OPTION, "color": 1}]))],
        "SCHEMA_UNRECOGNIZED_KEY",
        f"{IN}.options[0].color",
    ),
    "no content": ([{"type": 10}], "SCHEMA_REQUIRED", f"{TOP}.content"),
    "an empty text": ([text("")], "SCHEMA_TOO_SMALL", f"{TOP}.content"),
    "41 components": (MANY, "OVER_40", "components"),
    "41 components, nested ones counted": ([container(*[text()] * 38, section())], "OVER_40", "components"),
    "4001 characters in two texts": (LONG, "TEXT_OVER_4000", "components"),
    "one custom_id twice": (
        [row(button()), container(row(button()))],
        "DUPLICATE_CUSTOM_ID",
        "components[1].components[0].components[0].custom_id",
    ),
    "a button's custom_id beside a section": (
        [row(button()), section(accessory=button())],
        "DUPLICATE_CUSTOM_ID",
        "components[1].accessory.custom_id",
    ),
    "one id twice": ([text(id=7), container(text(id=7))], "DUPLICATE_ID", "components[1].components[0].id"),
    "a container in a container": ([container(container(text()))], "CONTAINER_IN_CONTAINER", IN),
    "an empty container": ([container()], "SCHEMA_TOO_SMALL", f"{TOP}.components"),
    "a colour beyond white": ([container(text(), accent_color=0x1000000)], "SCHEMA_TOO_BIG", f"{TOP}.accent_color"),
    "six buttons": (
        [row(*(button(custom_id=str(number)) for number in range(6)))],
        "ACTIONROW_OVER_5",
        f"{TOP}.components",
    ),
    "an empty row": ([row()], "SCHEMA_TOO_SMALL", f"{TOP}.components"),
    "a select beside a button": ([row(select(), button())], "SCHEMA_CONFLICT", f"{TOP}.components"),
    "a thumbnail alone": ([thumbnail()], "THUMBNAIL_STANDALONE", TOP),
    "a thumbnail in a container": ([container(thumbnail())], "THUMBNAIL_STANDALONE", IN),
    "a section without an accessory": ([without(section(), "accessory")], "SECTION_NO_ACCESSORY", f"{TOP}.accessory"),
    "a section without texts": ([{"type": 9, "accessory": thumbnail()}], "SCHEMA_REQUIRED", f"{TOP}.components"),
    "a text as accessory": ([section(accessory=text())], "INVALID_ACCESSORY", f"{TOP}.accessory"),
    "a word as accessory": ([section(accessory="x")], "INVALID_ACCESSORY", f"{TOP}.accessory"),
    "four texts in a section": ([section(*[text()] * 4)], "SCHEMA_TOO_BIG", f"{TOP}.components"),
    "a gallery in a section": ([section(gallery())], "SCHEMA_MISPLACED", IN),
    "no pictures": ([gallery(0)], "GALLERY_RANGE", f"{TOP}.items"),
    "no items": ([{"type": 12}], "GALLERY_RANGE", f"{TOP}.items"),
    "eleven pictures": ([gallery(11)], "GALLERY_RANGE", f"{TOP}.items"),
    "a long description": ([gallery(description="x" * 1025)], "SCHEMA_TOO_BIG", f"{TOP}.items[0].description"),
    "an address of another kind": (
        [section(accessory=thumbnail(media=media("ftp://x")))],
        "SCHEMA_INVALID_STRING",
        f"{TOP}.accessory.media.url",
    ),
    "a long address": (
        [section(accessory=thumbnail(media=media("https://" + "x" * 2041)))],
        "SCHEMA_TOO_BIG",
        f"{TOP}.accessory.media.url",
    ),
    "a file from elsewhere": ([file("https://x.example/a")], "SCHEMA_INVALID_STRING", f"{TOP}.file.url"),
    "a file that does not go along": ([file("attachment://else.png")], "FILE_NOT_SENT", f"{TOP}.file.url"),
    "a picture that does not go along": (
        [{"type": 12, "items": [{"media": media()}, {"media": media("attachment://else.png")}]}],
        "FILE_NOT_SENT",
        f"{TOP}.items[1].media.url",
    ),
    "a button that does nothing": (
        [row(without(button(), "custom_id"))],
        "BUTTON_NO_ID_OR_URL",
        IN,
    ),
    "a link without an address": ([row(without(LINK, "url"))], "BUTTON_NO_ID_OR_URL", IN),
    "a link with a custom_id": ([row({**LINK, "custom_id": "x"})], "BUTTON_NO_ID_OR_URL", IN),
    "a premium button without a product": (
        [row(without(PREMIUM, "sku_id"))],
        "BUTTON_NO_ID_OR_URL",
        IN,
    ),
    "a premium button with a label": ([row({**PREMIUM, "label": "x"})], "SCHEMA_CONFLICT", IN),
    "a button without a face": ([row(without(button(), "label"))], "SCHEMA_REQUIRED", f"{IN}.label"),
    "a long label": ([row(button(label="x" * 81))], "SCHEMA_TOO_BIG", f"{IN}.label"),
    "a long custom_id": ([row(button(custom_id="x" * 101))], "SCHEMA_TOO_BIG", f"{IN}.custom_id"),
    "a long link": (
        [row({**LINK, "url": "https://" + "x" * 505})],
        "SCHEMA_TOO_BIG",
        f"{IN}.url",
    ),
    "a link that runs something": (
        [row({**LINK, "url": "javascript:alert(1)"})],
        "SCHEMA_INVALID_STRING",
        f"{IN}.url",
    ),
    "a style that there is not": ([row(button(style=7))], "SCHEMA_INVALID_ENUM", f"{IN}.style"),
    "no options": ([row(select(options=[]))], "SCHEMA_TOO_SMALL", f"{IN}.options"),
    "26 options": (
        [row(select(options=[{"label": "A", "value": str(number)} for number in range(26)]))],
        "SCHEMA_TOO_BIG",
        f"{IN}.options",
    ),
    "one value twice": ([row(select(options=[OPTION, OPTION]))], "SCHEMA_CONFLICT", f"{IN}.options"),
    "a long option": (
        [row(select(options=[{**OPTION, "description": "x" * 101}]))],
        "SCHEMA_TOO_BIG",
        f"{IN}.options[0].description",
    ),
    "a long placeholder": ([row(select(placeholder="x" * 151))], "SCHEMA_TOO_BIG", f"{IN}.placeholder"),
    "more at least than at most": (
        [row(select(5, min_values=3, max_values=2))],
        "SCHEMA_CONFLICT",
        f"{IN}.min_values",
    ),
    "more to choose than there is": (
        [row(select(max_values=3))],
        "SCHEMA_CONFLICT",
        f"{IN}.max_values",
    ),
    "more defaults than can be chosen": (
        [row(select(options=[{"label": "A", "value": value, "default": True} for value in "ab"]))],
        "SCHEMA_CONFLICT",
        f"{IN}.options",
    ),
    "a channel preset among users": (
        [row(select(5, default_values=[{"id": ID, "type": "channel"}]))],
        "SCHEMA_INVALID_ENUM",
        f"{IN}.default_values[0].type",
    ),
    "more presets than can be chosen": (
        [row(select(6, default_values=[{"id": ID, "type": "role"}] * 2))],
        "SCHEMA_CONFLICT",
        f"{IN}.default_values",
    ),
}


@pytest.mark.parametrize(("components", "code", "path"), FAULTY.values(), ids=FAULTY)
def test_what_discord_refuses_is_named_with_its_place_and_a_fix(components: list[Any], code: str, path: str) -> None:
    (fault,) = read_layout(components, files={"map.png"}).faults

    assert (fault.code, fault.path) == (code, path)
    assert fault.message
    assert fault.fix == FIXES[code]


def test_every_kept_code_can_still_be_met_and_the_wrong_rules_are_gone() -> None:
    kept = {
        "UNKNOWN_TYPE", "OVER_40", "DUPLICATE_CUSTOM_ID", "CONTAINER_IN_CONTAINER", "ACTIONROW_OVER_5",
        "THUMBNAIL_STANDALONE", "SECTION_NO_ACCESSORY", "INVALID_ACCESSORY", "GALLERY_RANGE", "BUTTON_NO_ID_OR_URL",
    }  # fmt: skip

    assert kept <= {code for _, code, _ in FAULTY.values()}
    assert not {"CONTAINER_OVER_10", "FILE_UNSUPPORTED"} & FIXES.keys()


def test_all_faults_are_told_at_once() -> None:
    faults = read_layout([thumbnail(), row(button(), button()), text("")]).faults

    assert {one.code for one in faults} == {"THUMBNAIL_STANDALONE", "DUPLICATE_CUSTOM_ID", "SCHEMA_TOO_SMALL"}


def test_a_misspelt_field_is_told_with_the_nearest_one() -> None:
    (fault,) = read_layout([text(contnt="x")]).faults

    assert fault.message == "is no field of a text display; did you mean `content`?"


def test_a_file_may_be_there_already_where_nobody_knows_those_of_the_message() -> None:
    assert read_layout([file("attachment://before.png")]).faults == []


def test_an_issue_says_what_is_wrong_and_what_to_do() -> None:
    (issue,) = issues_of(read_layout([thumbnail()]).faults)

    assert issue["message"] == (
        "is a thumbnail, which stands beside a section only; make it the accessory of a section, or use a media gallery"
    )


def test_what_is_sent_has_no_nulls_and_colours_are_numbers() -> None:
    read = read_layout([container(text(id=None), section(id="3"), accent_color="#5865F2", spoiler=None)]).components

    assert read == [container(text(), section(id=3), accent_color=0x5865F2)]


def test_a_tree_of_any_depth_is_answered() -> None:
    deep: Node = text()
    for _ in range(100):
        deep = container(deep)

    codes = {one.code for one in read_layout([deep]).faults}

    assert codes == {"CONTAINER_IN_CONTAINER", "OVER_40"}
