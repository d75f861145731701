from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.sandbox.bare_client import uploads

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from tests.discord.sandbox.bare_client import BareClient

GENERAL = f"/channels/{demo.GENERAL}/messages"
SECOND_VERSION = 1 << 15
BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}
LINK = {"type": 2, "style": 5, "label": "Read", "url": "https://example.org"}
MENU = {"type": 3, "custom_id": "menu", "options": [{"label": "A", "value": "a"}]}
WORDS = {"type": 10, "content": "words"}
PICTURE = {"media": {"url": "https://example.org/a.png"}}

EVERY_KIND: list[Any] = [
    WORDS,
    {"type": 1, "components": [BUTTON, LINK]},
    {"type": 1, "components": [MENU]},
    {"type": 1, "components": [{"type": 5, "custom_id": "people"}]},
    {"type": 9, "components": [WORDS], "accessory": {"type": 11, **PICTURE}},
    {"type": 12, "items": [PICTURE]},
    {"type": 14},
    {"type": 17, "components": [WORDS, {"type": 14, "divider": False, "spacing": 2}], "accent_color": 0xFF8800},
]


async def test_every_kind_of_component_can_be_sent_and_comes_back_numbered(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"components": EVERY_KIND, "flags": SECOND_VERSION})

    assert [each["type"] for each in sent.json["components"]] == [10, 1, 1, 1, 9, 12, 14, 17]
    assert [each["id"] for each in sent.json["components"]] == [1, 2, 5, 7, 9, 12, 13, 14]
    assert sent.json["flags"] == SECOND_VERSION


async def test_a_file_component_leads_to_the_uploaded_file(discord: BareClient) -> None:
    payload = {"components": [{"type": 13, "file": {"url": "attachment://a.txt"}}], "flags": SECOND_VERSION}

    sent = await discord("POST", GENERAL, form=uploads(payload, ("a.txt", b"a")))

    assert sent.json["components"][0]["file"]["url"] == sent.json["attachments"][0]["url"]


async def test_buttons_need_no_second_version(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"content": "?", "components": [{"type": 1, "components": [BUTTON]}]})

    assert sent.json["components"][0]["components"][0]["custom_id"] == "go"


@pytest.mark.parametrize(
    "other", [{"content": "x"}, {"embeds": [{"title": "x"}]}, {"sticker_ids": [demo.WAVE_STICKER]}]
)
async def test_the_second_version_stands_alone(discord: BareClient, other: dict[str, Any]) -> None:
    answer = await discord("POST", GENERAL, {"components": [WORDS], "flags": SECOND_VERSION, **other})

    (name,) = other
    found = answer.json["errors"][name]["_errors"][0]
    assert found["code"] == "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"


@pytest.mark.parametrize(
    ("components", "flags", "place"),
    [
        ([WORDS], 0, ("0", "type")),
        ([{"type": 99}], SECOND_VERSION, ("0", "type")),
        ([{"label": "x"}], SECOND_VERSION, ("0", "type")),
        ([{"type": 1, "components": [WORDS]}], 0, ("0", "components", "0", "type")),
        ([{"type": 1, "components": [BUTTON] * 6}], 0, ("0", "components")),
        ([{"type": 1, "components": [{"type": 2, "style": 1}]}], 0, ("0", "components", "0", "custom_id")),
        ([{"type": 1, "components": [{"type": 2, "style": 5}]}], 0, ("0", "components", "0", "url")),
        ([{"type": 9, "components": [WORDS]}], SECOND_VERSION, ("0", "accessory")),
        ([{"type": 17, "components": [{"type": 17, "components": [WORDS]}]}], SECOND_VERSION, ("0", "components")),
        ([{"type": 17, "components": [WORDS] * 40}], SECOND_VERSION, ()),
        ([{"type": 1, "components": [BUTTON, BUTTON]}], 0, ()),
    ],
)
async def test_a_tree_that_discord_forbids_is_refused_with_its_place(
    discord: BareClient, components: list[Any], flags: int, place: tuple[str, ...]
) -> None:
    answer = await discord("POST", GENERAL, {"content": "" if flags else "x", "components": components, "flags": flags})

    assert (answer.status, answer.code) == (400, 50035)
    node = answer.json["errors"]["components"]
    for step in place:
        node = node[step]
