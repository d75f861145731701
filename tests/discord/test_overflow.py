"""A long text in parts: none too long, none of it lost, no block of code and no emoji torn."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.discord.overflow import cut, nonces_of

FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
WORDS = st.sampled_from(["lantern ", "oil\n", "\n\n", "x" * 900, "猫" * 40, FAMILY, "e\u0301", " ", "`", "- item\n"])
BLOCKS = st.builds(
    lambda language, lines: f"```{language}\n" + "".join(lines) + "```\n",
    st.sampled_from(["", "py", "c++"]),
    st.lists(st.sampled_from(["a = 1\n", "\n", "y" * 1500 + "\n", "    deep()\n"]), min_size=1, max_size=8),
)


@given(st.lists(WORDS, max_size=120).map("".join))
def test_parts_of_plain_text_join_to_the_text_and_none_is_too_long(text: str) -> None:
    parts = cut(text)

    assert all(len(part) <= 2000 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


@given(st.lists(WORDS.filter(lambda word: "`" not in word) | BLOCKS, max_size=25).map("".join))
def test_every_part_closes_what_it_opens_and_no_line_of_code_is_lost(text: str) -> None:
    parts = cut(text)

    assert all(len(part) <= 2000 for part in parts)
    assert [part for part in parts if part.count("```") % 2] == []
    written, sent = re.sub(r"```[a-z+]*", "", text), re.sub(r"```[a-z+]*", "", "".join(parts))
    assert "".join(sent.split()) == "".join(written.split())


@pytest.mark.parametrize(("length", "parts"), [(1, 1), (2000, 1), (2001, 2), (4000, 3), (6500, 4)])
def test_a_text_without_a_break_is_cut_where_it_must_be(length: int, parts: int) -> None:
    assert len(cut("a" * length)) == parts


def test_emoji_count_as_one_character_each() -> None:
    assert [len(part) for part in cut("🐟" * 2000)] == [2000]
    assert "".join(cut("🐟" * 2001)) == "🐟" * 2001


@pytest.mark.parametrize(
    ("before", "mark", "behind"),
    [
        ("a" * 1500, "\n\n", "b" * 1500),
        ("a" * 1500, "\n", "b " * 750),
        ("a" * 1500, " ", "b" * 1500),
        ("a " * 700 + "c", "\n\n", "b " * 750),
    ],
)
def test_it_is_cut_between_paragraphs_then_lines_then_words(before: str, mark: str, behind: str) -> None:
    assert cut(before + mark + behind) == [before + mark, behind]


@pytest.mark.parametrize("whole", [FAMILY, "🖐🏾", "❤️", "1️⃣", "e\u0301"])
def test_what_is_seen_as_one_character_stays_one(whole: str) -> None:
    for shift in range(len(whole) + 1):
        parts = cut("a" * (1996 - shift) + whole + "b" * 100)

        assert any(whole in part for part in parts), shift


def test_a_block_of_code_is_closed_and_opened_again_with_its_language() -> None:
    text = "Look:\n```py\n" + "print(1)\n" * 400 + "```\nDone."

    first, second = cut(text)

    assert (first.startswith("Look:\n```py\n"), first.endswith("\nprint(1)\n```")) == (True, True)
    assert (second.startswith("```py\nprint(1)\n"), second.endswith("print(1)\n```\nDone.")) == (True, True)
    assert first.count("print(1)") + second.count("print(1)") == 400


def test_a_block_that_would_begin_at_a_parts_end_begins_the_next_one() -> None:
    text = "a" * 1985 + "\n```py\n" + "b = 1\n" * 100 + "```"

    assert [part[:6] for part in cut(text)] == ["aaaaaa", "```py\n"]
    assert "```" not in cut(text)[0]


def test_a_block_that_ends_at_a_parts_end_ends_there() -> None:
    text = "```\n" + "x" * 1991 + "\n```" + "after"

    assert cut(text) == ["```\n" + "x" * 1991 + "\n```", "after"]


def test_a_fence_that_nothing_closes_is_no_block() -> None:
    parts = cut("```py\n" + "a" * 3000)

    assert "".join(parts) == "```py\n" + "a" * 3000


def test_blanks_alone_are_no_part() -> None:
    parts = cut("a" * 1900 + "\n" * 5000 + "b" * 1900)

    assert all(part.strip() for part in parts)
    assert "".join(part.strip() for part in parts) == "a" * 1900 + "b" * 1900
    assert cut(" " * 3000) == [" " * 2000]


def test_parts_have_nonces_of_their_own_and_always_the_same() -> None:
    assert nonces_of("mine", 3) == nonces_of("mine", 3)
    assert nonces_of("mine", 3)[0] == "mine"
    assert len(set(nonces_of("mine", 10) + nonces_of("yours", 10))) == 20
    assert all(len(one) <= 25 for one in nonces_of("mine", 10))
