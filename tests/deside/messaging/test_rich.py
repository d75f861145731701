"""Rich content: what is taken, where its limits are, and its plain text."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.deside.errors import RichContentInvalidError
from accord.deside.messaging.rich import checked, rendered
from accord.deside.models.rich import MOST_RICH_BYTES

WORD = {"t": "x"}
Json = Any


def paragraph(*runs: Json) -> Json:
    return {"type": "paragraph", "runs": list(runs)}


def rows(count: int, columns: int) -> Json:
    return {"type": "table", "rows": [[[WORD]] * columns] * count}


def issues_of(*blocks: Json) -> list[tuple[str, str]]:
    with pytest.raises(RichContentInvalidError) as refusal:
        checked(blocks)
    return [(issue["path"], issue["code"]) for issue in refusal.value.issues]


AT_LIMIT: dict[str, list[Json]] = {
    "128 blocks": [{"type": "divider"}] * 128,
    "64 runs": [paragraph(*[WORD] * 64)],
    "64 items": [{"type": "list", "ordered": True, "items": [[WORD]] * 64}],
    "64 runs an item": [{"type": "list", "items": [[WORD] * 64]}],
    "32 rows of 8": [rows(32, 8)],
    "an empty cell": [{"type": "table", "rows": [[[], [WORD]]]}],
    "level 1": [{"type": "heading", "level": 1, "runs": [WORD]}],
    "level 3": [{"type": "heading", "level": 3, "runs": [WORD]}],
    "a link": [paragraph({"t": "x", "link": {"href": "http://a.example/b?c#d"}})],
    "all styles": [paragraph({"t": "x", "bold": True, "italic": True, "strike": False, "code": True})],
    "code": [{"type": "code", "text": "a < b", "lang": "python"}],
}


@pytest.mark.parametrize("blocks", AT_LIMIT.values(), ids=AT_LIMIT.keys())
def test_what_is_at_a_limit_is_taken(blocks: list[Json]) -> None:
    assert checked(blocks) == blocks


BEYOND: dict[str, tuple[list[Json], str, str]] = {
    "none": ([], "blocks", "too_small"),
    "129 blocks": ([{"type": "divider"}] * 129, "blocks", "too_big"),
    "no runs": ([paragraph()], "blocks[0].runs", "too_small"),
    "65 runs": ([paragraph(*[WORD] * 65)], "blocks[0].runs", "too_big"),
    "65 items": ([{"type": "list", "items": [[WORD]] * 65}], "blocks[0].items", "too_big"),
    "65 runs an item": ([{"type": "list", "items": [[WORD] * 65]}], "blocks[0].items[0]", "too_big"),
    "33 rows": ([rows(33, 1)], "blocks[0].rows", "too_big"),
    "9 columns": ([rows(1, 9)], "blocks[0].rows[0]", "too_big"),
    "level 0": ([{"type": "heading", "level": 0, "runs": [WORD]}], "blocks[0].level", "too_small"),
    "level 4": ([{"type": "heading", "level": 4, "runs": [WORD]}], "blocks[0].level", "too_big"),
    "no level": ([{"type": "heading", "runs": [WORD]}], "blocks[0].level", "required"),
    "no text": ([paragraph({"bold": True})], "blocks[0].runs[0].t", "required"),
    "empty text": ([paragraph({"t": ""})], "blocks[0].runs[0].t", "too_small"),
    "a NUL": ([paragraph({"t": "a\0"})], "blocks[0].runs[0].t", "invalid_string"),
    "another key": ([paragraph({"t": "x", "html": "x"})], "blocks[0].runs[0].html", "unrecognized_key"),
    "a script": (
        [paragraph({"t": "x", "link": {"href": "javascript:alert(1)"}})],
        "blocks[0].runs[0].link.href",
        "invalid_string",
    ),
    "a data URL": (
        [paragraph({"t": "x", "link": {"href": "data:text/html,x"}})],
        "blocks[0].runs[0].link.href",
        "invalid_string",
    ),
    "no host": (
        [paragraph({"t": "x", "link": {"href": "https:///x"}})],
        "blocks[0].runs[0].link.href",
        "invalid_string",
    ),
    "another type": ([{"type": "image", "url": "x"}], "blocks[0]", "invalid_union"),
    "no object": (["x"], "blocks[0]", "invalid_union"),
    "not bold": ([paragraph({"t": "x", "bold": 1})], "blocks[0].runs[0].bold", "invalid_type"),
}


@pytest.mark.parametrize(("blocks", "path", "code"), BEYOND.values(), ids=BEYOND.keys())
def test_what_is_beyond_a_limit_is_named(blocks: list[Json], path: str, code: str) -> None:
    assert (path, code) in issues_of(*blocks)


def test_all_blocks_together_have_a_size() -> None:
    fixed = len(orjson.dumps([{"type": "code", "text": ""}]))
    fits = {"type": "code", "text": "x" * (MOST_RICH_BYTES - fixed)}
    assert checked([fits]) == [fits]

    assert issues_of({"type": "code", "text": fits["text"] + "x"}) == [("blocks", "too_big")]
    assert issues_of({"type": "code", "text": "ü" * (MOST_RICH_BYTES // 2)}) == [("blocks", "too_big")]


def test_every_issue_is_named() -> None:
    assert issues_of(paragraph({"t": ""}), {"type": "code", "text": ""}) == [
        ("blocks[0].runs[0].t", "too_small"),
        ("blocks[1].text", "too_small"),
    ]


def test_plain_text_says_what_the_blocks_say() -> None:
    blocks = [
        {"type": "heading", "level": 2, "runs": [{"t": "Plan"}]},
        paragraph({"t": "See "}, {"t": "here", "link": {"href": "https://a.example"}}, {"t": "."}),
        {"type": "quote", "runs": [{"t": "one\ntwo"}]},
        {"type": "list", "items": [[{"t": "a"}], [{"t": "b"}]]},
        {"type": "list", "ordered": True, "items": [[{"t": "a"}], [{"t": "b"}]]},
        {"type": "code", "text": "x = 1", "lang": "python"},
        {"type": "divider"},
        {"type": "table", "rows": [[[{"t": "k"}], [{"t": "v"}]], [[{"t": "1"}], []]]},
        paragraph({"t": "https://b.example", "link": {"href": "https://b.example"}}),
    ]

    assert rendered(checked(blocks)) == (
        "## Plan\n\nSee here (https://a.example).\n\n> one\n> two\n\n- a\n- b\n\n1. a\n2. b\n\nx = 1\n\n---\n\n"
        "k | v\n1 | \n\nhttps://b.example"
    )


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
RUN = st.fixed_dictionaries(
    {"t": TEXT},
    optional={
        "bold": st.booleans(),
        "code": st.booleans(),
        "link": st.just({"href": "https://a.example"}),
    },
)
RUNS = st.lists(RUN, min_size=1, max_size=4)
BLOCK = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["paragraph", "quote"]), "runs": RUNS}),
    st.fixed_dictionaries({"type": st.just("heading"), "level": st.integers(1, 3), "runs": RUNS}),
    st.fixed_dictionaries(
        {"type": st.just("list"), "items": st.lists(RUNS, min_size=1, max_size=3)}, optional={"ordered": st.booleans()}
    ),
    st.fixed_dictionaries({"type": st.just("code"), "text": TEXT}, optional={"lang": st.just("c")}),
    st.fixed_dictionaries({"type": st.just("divider")}),
    st.fixed_dictionaries(
        {"type": st.just("table"), "rows": st.lists(st.lists(RUNS, min_size=1, max_size=3), min_size=1, max_size=3)}
    ),
)


def words(value: Json) -> list[str]:
    """Every text in a block."""
    if isinstance(value, list):
        return [text for item in value for text in words(item)]
    if isinstance(value, dict):
        own = [value[name] for name in ("t", "text") if name in value]
        return own + [text for name, item in value.items() if name not in {"t", "text"} for text in words(item)]
    return []


@given(st.lists(BLOCK, min_size=1, max_size=6))
def test_whatever_is_valid_is_kept_as_it_is_and_all_its_words_are_in_its_plain_text(blocks: list[Json]) -> None:
    assert checked(blocks) == blocks
    text = rendered(blocks)
    assert all(line in text for word in words(blocks) for line in word.split("\n"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "runs", "t", "rows"]), inner),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4))
def test_whatever_is_given_is_taken_or_refused_by_name(blocks: list[Json]) -> None:
    try:
        rendered(checked(blocks))
    except RichContentInvalidError as refusal:
        assert refusal.issues  # noqa: PT017 - what is taken is as good
