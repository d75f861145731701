"""Rules between the parts of a message, where no schema can say them."""

from __future__ import annotations

from typing import Any

import pytest

from accord.discord.models.components import buttons_are_whole
from accord.discord.models.embeds import embeds_fit
from accord.discord.models.ids import MessageId
from accord.discord.models.mentions import NOBODY, Mentions, mentions_are_one, mentions_of
from accord.discord.models.messages import (
    NewMessage,
    flags_of_changed,
    flags_of_new,
    reply_is_one,
    something_changes,
    something_to_send,
)
from accord.discord.outgoing import changes_of, message_of, nonce_of
from accord.discord.rules import one_place

PLACE = {"channel_id": "1", "message_id": "2"}

# --- Bodies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x"},
        {"embeds": [{"title": "x"}]},
        {"sticker_ids": ["1"]},
        {"components": [{}]},
        {"poll": {"question": {}}},
        {"shared_client_theme": {"colors": ["1abc9c"]}},
    ],
    ids=lambda body: next(iter(body)),
)
def test_each_kind_of_body_is_something_to_send(body: dict[str, Any]) -> None:
    assert list(something_to_send({"channel_id": "1", **body})) == []


@pytest.mark.parametrize("body", [{}, {"tts": True}, {"embeds": []}, {"reply_to": "1"}])
def test_nothing_to_show_is_nothing_to_send(body: dict[str, Any]) -> None:
    assert [issue["path"] for issue in something_to_send({"channel_id": "1", **body})] == ["content"]


@pytest.mark.parametrize("changes", [{"content": "x"}, {"embeds": []}, {"flags": 0}, {"clear": ["embeds"]}])
def test_each_kind_of_change_is_one(changes: dict[str, Any]) -> None:
    assert list(something_changes({**PLACE, **changes})) == []


def test_setting_and_clearing_one_part_is_a_conflict() -> None:
    issues = list(something_changes({**PLACE, "content": "x", "embeds": [], "clear": ["content", "embeds"]}))

    assert sorted(issue["message"] for issue in issues) == [
        "names `content`, which is also given",
        "names `embeds`, which is also given",
    ]


def test_a_reply_is_said_in_one_way() -> None:
    assert list(reply_is_one({"reply_to": "1"})) == list(reply_is_one({"message_reference": {}})) == []
    assert [issue["path"] for issue in reply_is_one({"reply_to": "1", "message_reference": {}})] == ["reply_to"]


@pytest.mark.parametrize(("flags", "new", "changed"), [(0, True, True), (4, True, True), (4096, True, False)])
def test_which_flags_can_be_set(flags: int, *, new: bool, changed: bool) -> None:
    assert [not list(rule({"flags": flags})) for rule in (flags_of_new, flags_of_changed)] == [new, changed]


@pytest.mark.parametrize("flags", [1 << bit for bit in range(32) if bit not in {2, 12}])
def test_no_other_flag_can(flags: int) -> None:
    assert all(list(rule({"flags": flags | 4})) for rule in (flags_of_new, flags_of_changed))


# --- Embeds ---------------------------------------------------------------------------------------------------------


def test_every_text_of_an_embed_counts_and_no_address_does() -> None:
    embed = {
        "title": "1",
        "description": "22",
        "author": {"name": "333", "url": "https://weather.example"},
        "footer": {"text": "4444"},
        "fields": [{"name": "55555", "value": "666666"}],
        "url": "https://weather.example/" + "x" * 2000,
    }

    assert list(embeds_fit({"embeds": [embed, {"description": "x" * (6000 - 21)}]})) == []
    (issue,) = embeds_fit({"embeds": [embed, {"description": "x" * (6001 - 21)}]})
    assert issue == {"path": "embeds", "message": "may have 6000 characters in all; they have 6001", "code": "too_big"}


@pytest.mark.parametrize(
    "embed", [{}, {"color": 1}, {"timestamp": "2026-05-04T18:42:00Z"}, {"url": "https://x.example"}]
)
def test_an_embed_shows_something(embed: dict[str, Any]) -> None:
    assert [issue["path"] for issue in embeds_fit({"embeds": [{"title": "x"}, embed]})] == ["embeds[1]"]


# --- Buttons --------------------------------------------------------------------------------------------------------


def _pressed(button: dict[str, Any]) -> list[str]:
    rows = [{"type": 1, "components": [{"type": 3, "custom_id": "x", "options": []}, {"type": 2, **button}]}]
    return [issue["path"] for issue in buttons_are_whole({"components": rows})]


@pytest.mark.parametrize(
    "button",
    [
        {"style": 1, "custom_id": "x", "label": "x"},
        {"style": 4, "custom_id": "x", "emoji": {"name": "🐟"}},
        {"style": 5, "url": "https://x.example", "label": "x"},
        {"style": 6, "sku_id": "1"},
    ],
)
def test_a_button_with_what_its_style_needs_is_whole(button: dict[str, Any]) -> None:
    assert _pressed(button) == []


@pytest.mark.parametrize(
    "button",
    [
        {"style": 1, "label": "x"},
        {"style": 1, "url": "https://x.example", "label": "x"},
        {"style": 5, "url": "https://x.example"},
        {"style": 5, "url": "https://x.example", "custom_id": "x", "label": "x"},
        {"style": 6, "custom_id": "x"},
    ],
)
def test_a_button_without_it_is_named_by_its_place(button: dict[str, Any]) -> None:
    assert _pressed(button) == ["components[0].components[1]"]


# --- Mentions -------------------------------------------------------------------------------------------------------


def test_nobody_is_pinged_unless_somebody_is_named() -> None:
    assert mentions_of(None) == mentions_of({}) == NOBODY == {"parse": [], "replied_user": False}


def test_nobody_is_named_twice() -> None:
    opened: Mentions = {"parse": ["everyone", "everyone"], "replied_user": True}

    assert mentions_of(opened) == {"parse": ["everyone"], "replied_user": True}


@pytest.mark.parametrize("kind", ["users", "roles"])
def test_a_kind_is_opened_as_a_whole_or_one_by_one(kind: str) -> None:
    whole, single = {"parse": [kind]}, {kind: ["1"]}

    assert list(mentions_are_one({"allowed_mentions": whole})) == []
    assert list(mentions_are_one({"allowed_mentions": single})) == []
    assert list(mentions_are_one({"allowed_mentions": {**whole, kind: []}})) == []
    (issue,) = mentions_are_one({"allowed_mentions": whole | single})
    assert issue["path"] == f"allowed_mentions.{kind}"


# --- What goes out --------------------------------------------------------------------------------------------------


def test_our_own_words_stay_out_of_a_body() -> None:
    message: NewMessage = {"content": "x", "reply_to": MessageId("3"), "nonce": "n"}

    assert message_of(message) == {
        "content": "x",
        "allowed_mentions": NOBODY,
        "message_reference": {"message_id": "3"},
    }


def test_what_is_cleared_is_sent_empty_and_nothing_else_is_sent() -> None:
    body = changes_of({"flags": 4, "clear": ["content", "embeds", "components", "attachments"]})

    assert body == {
        "flags": 4,
        "allowed_mentions": NOBODY,
        "content": "",
        "embeds": [],
        "components": [],
        "attachments": [],
    }


def test_a_nonce_is_the_callers_or_a_new_one_that_discord_takes() -> None:
    first, second = nonce_of({}), nonce_of({})

    assert nonce_of({"nonce": "mine"}) == "mine"
    assert first != second
    assert len(first) <= 25


# --- Pages ----------------------------------------------------------------------------------------------------------


def test_a_page_has_one_starting_point() -> None:
    assert list(one_place({"after": "1", "limit": 2})) == []
    assert [issue["path"] for issue in one_place({"cursor": "c", "before": "1", "around": "2"})] == ["around", "cursor"]
