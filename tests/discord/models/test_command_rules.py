"""What fits together in a command: each rule with what it refuses, and what stands right beside that."""

from __future__ import annotations

from typing import Any

import pytest

from accord.discord.models.command_rules import changes_are_whole, command_is_whole, commands_are_whole, for_a_guild

TEXT = {"type": 3, "name": "what", "description": "x"}
NEEDED = {"type": 6, "name": "who", "description": "x", "required": True}
SUB = {"type": 1, "name": "sub", "description": "x"}
GROUP = {"type": 2, "name": "group", "description": "x"}


def slash(*options: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "brew", "description": "x", "options": list(options), **more}


def option(kind: int, **more: Any) -> dict[str, Any]:
    return slash({"type": kind, "name": "what", "description": "x", **more})


def choice(value: object) -> dict[str, Any]:
    return {"choices": [{"name": "One", "value": value}]}


WHOLE: list[dict[str, Any]] = [
    slash(),
    {"name": "Report it", "type": 3},
    {"name": "Report it", "type": 2, "description": ""},
    {"name": "Launch", "type": 4, "description": "Play", "handler": 2},
    slash(name="grüße"), slash(name="日本語"), slash(name="नमस्ते"), slash(name="กำลัง"), slash(name="it's-a_2"),
    slash(NEEDED, TEXT),
    slash({**SUB, "options": [NEEDED, TEXT]}, {**GROUP, "options": [{**SUB, "options": [TEXT]}]}),
    option(3, min_length=0, max_length=6000), option(3, **choice("25")), option(3, autocomplete=True, choices=[]),
    option(4, min_value=-5, max_value=5), option(4, **choice(2**53 - 1)), option(4, min_value=5.0),
    option(10, min_value=0.5, max_value=0.5), option(10, **choice(1.5)), option(10, **choice(3)),
    option(7, channel_types=[0, 5]),
    slash(contexts=[0, 1, 2], integration_types=[0, 1]),
    slash(*({**TEXT, "name": f"o{n}", "description": "d" * 100, "choices": [{"name": "n" * 100, "value": "v" * 100}]}
            for n in range(25))),
]  # fmt: skip

BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"name": "brew"}, "description"),
    ({"name": "brew", "description": ""}, "description"),
    ({"name": "Report it", "type": 2, "description": "x"}, "description"),
    ({"name": "Report it", "type": 3, "options": [TEXT]}, "options"),
    (slash(handler=1), "handler"),
    (slash(name="Brew"), "name"),
    (slash(name="brew tea"), "name"),
    (slash(name="brew☕"), "name"),
    (slash(name_localizations={"de": "Brauen"}), "name_localizations.de"),
    (slash({**TEXT, "name": "What"}), "options[0].name"),
    (slash(TEXT, NEEDED), "options[1].required"),
    (slash(TEXT, TEXT), "options[1].name"),
    (slash(TEXT, SUB), "options"),
    (slash({**SUB, "options": [SUB]}), "options[0].options[0].type"),
    (slash({**GROUP, "options": [TEXT]}), "options[0].options[0].type"),
    (slash({**GROUP, "options": [{**SUB, "options": [TEXT, NEEDED]}]}), "options[0].options[0].options[1].required"),
    (option(5, choices=[]), "options[0].choices"),
    (option(4, max_length=5), "options[0].max_length"),
    (option(3, min_value=5), "options[0].min_value"),
    (option(3, channel_types=[0]), "options[0].channel_types"),
    (option(3, options=[]), "options[0].options"),
    (option(6, autocomplete=True), "options[0].autocomplete"),
    (option(3, autocomplete=True, **choice("x")), "options[0].autocomplete"),
    (option(3, min_length=5, max_length=4), "options[0].min_length"),
    (option(4, min_value=5, max_value=4), "options[0].min_value"),
    (option(3, **choice(25)), "options[0].choices[0].value"),
    (option(4, **choice("25")), "options[0].choices[0].value"),
    (option(4, **choice(2.5)), "options[0].choices[0].value"),
    (option(4, **choice(2**53)), "options[0].choices[0].value"),
    (option(10, max_value=1e300), "options[0].max_value"),
    (option(7, channel_types=[0, 0]), "options[0].channel_types"),
    (slash(contexts=[0, 0]), "contexts"),
    (slash(*({**TEXT, "name": f"o{n}", **choice("v" * 400)} for n in range(20))), ""),
]


@pytest.mark.parametrize("command", WHOLE)
def test_a_command_that_fits_together_is_taken(command: dict[str, Any]) -> None:
    assert list(command_is_whole(command)) == []


@pytest.mark.parametrize(("command", "path"), BROKEN)
def test_what_does_not_fit_is_refused_where_it_stands(command: dict[str, Any], path: str) -> None:
    assert [issue["path"] for issue in command_is_whole(command)] == [path]
    assert [issue["path"] for issue in commands_are_whole({"commands": [slash(name="ok"), command]})] == [
        f"commands[1].{path}".rstrip(".")
    ]


def test_of_a_text_in_several_languages_the_longest_counts() -> None:
    texts = [{**TEXT, "name": f"o{n}", **choice("v" * 300)} for n in range(25)]
    wordy = [{**one, "description_localizations": {"de": "d" * 100, "fr": "f" * 100}} for one in texts]

    assert list(command_is_whole(slash(*texts))) == []
    assert [issue["code"] for issue in command_is_whole(slash(*wordy))] == ["too_big"]


def test_names_are_one_of_a_kind_within_their_type() -> None:
    pair = [slash(), {"name": "brew", "type": 2}]

    assert list(commands_are_whole({"commands": pair})) == []
    assert [issue["path"] for issue in commands_are_whole({"commands": [*pair, slash()]})] == ["commands[2].name"]


def test_changes_are_held_against_what_they_say_themselves() -> None:
    assert list(changes_are_whole({"name": "Report it"})) == []
    assert [issue["path"] for issue in changes_are_whole(slash(TEXT, NEEDED, name="Brew"))] == [
        "name",
        "options[1].required",
    ]


def test_an_entry_point_is_global() -> None:
    launch = {"name": "Launch", "type": 4}

    assert [issue["path"] for issue in for_a_guild(launch)] == ["type"]
    assert [issue["path"] for issue in for_a_guild({"commands": [slash(), launch]})] == ["commands[1].type"]
    assert list(for_a_guild(slash())) == []
