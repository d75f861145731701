"""Layouts with blanks: messages that many servers send, laid out once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from accord.discord.components.builders import container, section, text
from accord.discord.components.kinds import BUTTON, ROW, SEPARATOR, THUMBNAIL
from accord.discord.models.components import Component

__all__ = ["TEMPLATES", "Template", "TemplateName", "blanks_in"]

Json: TypeAlias = Any

TemplateName = Literal["announcement", "release_notes", "welcome_card", "poll_results", "incident_status"]

BLANK: Final = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A layout whose texts have blanks, `{{name}}`, and what goes into each of them.

    What goes in is text: it cannot become a component, nor bring blanks of its own.
    """

    description: str
    variables: Mapping[str, str]
    components: list[Component]

    def filled(self, values: Mapping[str, str]) -> list[Component]:
        """Return the layout with every blank filled; each needs a value."""
        filled: list[Component] = _filled(self.components, values)
        return filled


def _filled(value: Json, values: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return BLANK.sub(lambda blank: values[blank[1]], value)
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    if isinstance(value, Mapping):
        return {name: _filled(each, values) for name, each in value.items()}
    return value


def blanks_in(value: Json, at: str = "components") -> Iterator[tuple[str, str]]:
    """Return the name of every blank, with the path of the text that it stands in."""
    if isinstance(value, str):
        yield from ((at, name) for name in BLANK.findall(value))
    for step, part in _parts(value):
        yield from blanks_in(part, at + step)


def _parts(value: Json) -> list[tuple[str, Json]]:
    if isinstance(value, list):
        return [(f"[{number}]", part) for number, part in enumerate(value)]
    return [(f".{name}", part) for name, part in value.items()] if isinstance(value, Mapping) else []


BLURPLE, GREEN, GOLD, RED = 0x5865F2, 0x57F287, 0xF1C40F, 0xED4245
LINE: Final[Component] = {"type": SEPARATOR}


def _row(*buttons: Component) -> Component:
    return {"type": ROW, "components": list(buttons)}


def _link(label: str, url: str) -> Component:
    return {"type": BUTTON, "style": 5, "label": label, "url": url}


def _press(label: str, style: int, custom_id: str) -> Component:
    return {"type": BUTTON, "style": style, "label": label, "custom_id": custom_id}


TEMPLATES: Final[Mapping[TemplateName, Template]] = {
    "announcement": Template(
        "News with a button that leads on.",
        {
            "title": "headline",
            "body": "Markdown text",
            "cta_label": "what the button says, at most 80 characters",
            "cta_url": "where it leads: an http or https address",
        },
        [
            container(
                [text("## {{title}}"), text("{{body}}"), LINE, _row(_link("{{cta_label}}", "{{cta_url}}"))],
                accent_color=BLURPLE,
            )
        ],
    ),
    "release_notes": Template(
        "What is new in a version, and where to get it.",
        {
            "version": "such as 2.4.0",
            "headline": "the release in one sentence",
            "changelog": "Markdown list of the changes",
            "download_url": "http or https address",
        },
        [
            container(
                [
                    text("## Version {{version}}\n{{headline}}"),
                    LINE,
                    text("### What changed\n{{changelog}}"),
                    _row(_link("Download", "{{download_url}}")),
                ],
                accent_color=GREEN,
            )
        ],
    ),
    "welcome_card": Template(
        "A greeting for a new member, with the role they got and the rules.",
        {
            "username": "who is greeted",
            "avatar_url": "http or https address of their picture",
            "role_id_member": "id of the role they got",
            "rules_channel_id": "id of the channel with the rules",
        },
        [
            container(
                [
                    section(
                        ["## Welcome, {{username}}!", "You are now <@&{{role_id_member}}>."],
                        {"type": THUMBNAIL, "media": {"url": "{{avatar_url}}"}},
                    ),
                    LINE,
                    text("Please read <#{{rules_channel_id}}> before you write."),
                ],
                accent_color=BLURPLE,
            )
        ],
    ),
    "poll_results": Template(
        "How a vote went.",
        {
            "question": "what was asked",
            "bars_text": "one line for each answer, such as `Tea ████ 12`",
            "winner": "the answer that won",
        },
        [
            container(
                [text("## {{question}}"), text("{{bars_text}}"), LINE, text("**Result:** {{winner}}")],
                accent_color=GOLD,
            )
        ],
    ),
    "incident_status": Template(
        "A disturbance, with buttons for those who look after it.",
        {
            "status_emoji": "emoji of the state",
            "title": "what is disturbed",
            "summary": "Markdown text: what is known and done",
            "ack_custom_id": "custom_id of the button Acknowledge",
            "resolve_custom_id": "custom_id of the button Resolve",
        },
        [
            container(
                [
                    text("## {{status_emoji}} {{title}}"),
                    text("{{summary}}"),
                    LINE,
                    _row(_press("Acknowledge", 2, "{{ack_custom_id}}"), _press("Resolve", 3, "{{resolve_custom_id}}")),
                ],
                accent_color=RED,
            )
        ],
    ),
}
"""The templates by name; every variable of one has to be given."""
