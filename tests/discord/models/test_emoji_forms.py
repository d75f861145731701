"""Emoji as people paste them."""

from __future__ import annotations

import pytest

from accord.discord.models.emojis import Emoji, emoji_is_one, emoji_of

ID = "111122223333444455"


@pytest.mark.parametrize(
    ("text", "emoji"),
    [
        (f"<:blob:{ID}>", Emoji(name="blob", id=ID)),
        (f"<a:blob:{ID}>", Emoji(name="blob", id=ID)),
        (f"blob:{ID}", Emoji(name="blob", id=ID)),
        (f":blob:{ID}", Emoji(name="blob", id=ID)),
        (ID, Emoji(id=ID)),
        ("blob", Emoji(name="blob")),
        (":blob:", Emoji(name="blob")),
        (" blob\n", Emoji(name="blob")),
        ("🐟", Emoji(unicode="🐟")),
        ("👩‍👩‍👧‍👦", Emoji(unicode="👩‍👩‍👧‍👦")),
        ("1️⃣", Emoji(unicode="1️⃣")),
    ],
)
def test_every_form_is_read(text: str, emoji: Emoji) -> None:
    assert emoji_of(text) == emoji


@pytest.mark.parametrize(
    ("emoji", "form"),
    [
        (Emoji(name="blob", id=ID), f"blob:{ID}"),
        (Emoji(unicode="🐟"), "🐟"),
        (Emoji(name="blob"), None),
        (Emoji(id=ID), None),
    ],
)
def test_only_a_whole_emoji_has_a_form_for_a_path(emoji: Emoji, form: str | None) -> None:
    assert emoji.in_path == form


@pytest.mark.parametrize("text", ["🐟", "blob", ID, f"<:blob:{ID}>", "é", "12"])
def test_what_may_be_an_emoji_passes(text: str) -> None:
    assert list(emoji_is_one({"emoji": text})) == []


@pytest.mark.parametrize("text", ["", " ", ".", "x", "two words", f"<:b:{ID}>", f"<#{ID}>", "a" * 33])
def test_plain_text_does_not(text: str) -> None:
    assert [issue["code"] for issue in emoji_is_one({"emoji": text})] == ["invalid_emoji"]
