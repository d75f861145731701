"""The rest of layouts: what they look like as text, their schema, and the templates."""

from __future__ import annotations

from typing import Any, get_args

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.discord.components.test_layout_faults import FAULTY, WHOLE

from accord.discord.components.arguments import template_is_filled, tree_of
from accord.discord.components.preview import preview
from accord.discord.components.schema import layout_schema
from accord.discord.components.templates import TEMPLATES, TemplateName, blanks_in
from accord.discord.components.validator import read_layout

MEMBER = "1196396359190498827"

VALUES: dict[str, dict[str, str]] = {
    "announcement": {"title": "T", "body": "B", "cta_label": "Go", "cta_url": "https://x.example"},
    "release_notes": {"version": "1", "headline": "H", "changelog": "- a", "download_url": "https://x.example"},
    "welcome_card": {
        "username": "Lena",
        "avatar_url": "https://x.example/a.png",
        "role_id_member": MEMBER,
        "rules_channel_id": MEMBER,
    },
    "poll_results": {"question": "Q?", "bars_text": "A ██ 2", "winner": "A"},
    "incident_status": {
        "status_emoji": "🔥",
        "title": "T",
        "summary": "S",
        "ack_custom_id": "ack",
        "resolve_custom_id": "done",
    },
}


def arguments(template: str, **more: str) -> dict[str, Any]:
    return {"template": template, "vars": VALUES[template] | more}


# --- Preview ----------------------------------------------------------------------------------------------------------


def test_a_layout_is_drawn_as_an_indented_tree() -> None:
    drawn = preview(
        [
            {
                "type": 17,
                "accent_color": 0x5865F2,
                "spoiler": True,
                "components": [
                    {"type": 10, "content": "# News\nof today"},
                    {"type": 14, "spacing": 2, "divider": False},
                    {
                        "type": 9,
                        "components": [{"type": 10, "content": "x"}],
                        "accessory": {"type": 11, "media": {"url": "https://x.example"}, "description": "a map"},
                    },
                    {"type": 12, "items": [{"media": {"url": "https://y.example"}}]},
                    {"type": 1, "components": [{"type": 2, "style": 5, "label": "Go", "url": "https://z.example"}]},
                    {
                        "type": 1,
                        "components": [{"type": 3, "custom_id": "m", "options": [{"label": "A", "value": "a"}]}],
                    },
                ],
            },
            {"type": 13, "file": {"url": "attachment://a.txt"}},
            {"type": 99},
        ]
    )

    assert drawn.splitlines() == [
        "Container #5865F2 (spoiler)",
        "  Text display",
        "    # News",
        "    of today",
        "  Separator, large, no line",
        "  Section",
        "    Text display",
        "      x",
        "    Thumbnail https://x.example (a map)",
        "  Media gallery",
        "    - https://y.example",
        "  Action row",
        "    Button [Go] -> url https://z.example",
        "  Action row",
        "    String select [] -> custom_id m",
        "      - A",
        "File attachment://a.txt",
        "? 99",
    ]


@pytest.mark.parametrize("components", [components for components, _, _ in FAULTY.values()], ids=FAULTY)
def test_faults_are_drawn_too(components: list[Any]) -> None:
    assert len(preview(components).splitlines()) >= len(components)


FIELDS = ("components", "accessory", "items", "media", "file", "emoji", "options", "content", "accent_color", "url")


def nodes() -> st.SearchStrategy[Any]:
    """Anything that looks like a component from afar."""
    leaves = st.none() | st.booleans() | st.integers(0, 2**70) | st.text(max_size=5) | st.floats(allow_nan=False)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.fixed_dictionaries({"type": st.integers(0, 18)}, optional=dict.fromkeys(FIELDS, inner))
        ),
        max_leaves=10,
    )


@given(components=st.lists(nodes(), max_size=3))
def test_whatever_is_given_is_read_and_drawn(components: list[Any]) -> None:
    layout = read_layout(components)

    assert isinstance(preview(components), str)
    assert [fault.fix for fault in layout.faults if not fault.fix] == []


# --- Schema -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("components", WHOLE.values(), ids=WHOLE)
def test_the_schema_takes_what_is_whole(components: list[Any]) -> None:
    jsonschema_rs.validate(layout_schema(), read_layout(components).components)


@pytest.mark.parametrize(
    "name", ["a button at the top", "a field deep inside", "eleven pictures", "a container in a container"]
)
def test_the_schema_refuses_what_a_schema_can_tell(name: str) -> None:
    assert not jsonschema_rs.is_valid(layout_schema(), FAULTY[name][0])


# --- Templates --------------------------------------------------------------------------------------------------------


def test_the_templates_are_those_that_can_be_named() -> None:
    assert set(TEMPLATES) == set(get_args(TemplateName)) == set(VALUES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_has_a_blank_for_each_variable_and_no_other(name: TemplateName) -> None:
    blanks = {blank for _, blank in blanks_in(TEMPLATES[name].components)}

    assert blanks == set(TEMPLATES[name].variables) == set(VALUES[name])


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_filled_template_can_be_sent(name: str) -> None:
    tree = tree_of(arguments(name))

    assert list(template_is_filled(arguments(name))) == []
    assert read_layout(tree, files=()).faults == []
    assert "{{" not in str(tree)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_variable_is_needed_and_no_other_taken(name: str) -> None:
    for missing in VALUES[name]:
        given_ones = {key: value for key, value in VALUES[name].items() if key != missing}
        (issue,) = template_is_filled({"template": name, "vars": given_ones})
        assert (issue["path"], issue["code"]) == (f"vars.{missing}", "required")

    (issue,) = template_is_filled(arguments(name, colour="x"))
    assert (issue["path"], issue["code"]) == ("vars.colour", "unrecognized_key")


@pytest.mark.parametrize(
    ("name", "variable", "value", "code"),
    [
        ("announcement", "cta_label", "x" * 81, "SCHEMA_TOO_BIG"),
        ("announcement", "cta_url", "not an address", "SCHEMA_INVALID_STRING"),
        ("announcement", "cta_url", "https://" + "x" * 505, "SCHEMA_TOO_BIG"),
        ("announcement", "body", "", "SCHEMA_TOO_SMALL"),
        ("release_notes", "changelog", "x" * 4000, "SCHEMA_TOO_BIG"),
        ("welcome_card", "avatar_url", "attachment://a.png", "FILE_NOT_SENT"),
        ("welcome_card", "role_id_member", "the members", "invalid_string"),
        ("incident_status", "resolve_custom_id", "ack", "DUPLICATE_CUSTOM_ID"),
        ("incident_status", "ack_custom_id", "", "SCHEMA_TOO_SMALL"),
    ],
)
def test_a_value_that_does_not_fit_is_told_by_its_variable(name: str, variable: str, value: str, code: str) -> None:
    issues = [(one["path"], one["code"]) for one in template_is_filled(arguments(name, **{variable: value}))]

    assert (f"vars.{variable}", code) in issues


def test_what_is_filled_in_stays_text() -> None:
    value = '{{winner}}", "type": 2, "x": "'

    tree = tree_of(arguments("poll_results", question=value))

    assert tree[0]["components"][0] == {"type": 10, "content": f"## {value}"}
    assert [part["type"] for part in tree[0]["components"]] == [10, 10, 14, 10]
