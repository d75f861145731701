"""From the arguments of a tool to the components that it would send, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from accord.discord.components.builders import gallery, section
from accord.discord.components.kinds import IN_CONTAINER
from accord.discord.components.templates import TEMPLATES, Template, blanks_in
from accord.discord.components.validator import Fault, issues_of, read_layout
from accord.discord.models.components import Component
from accord.discord.models.files import filename_of
from accord.discord.models.ids import Snowflake
from accord.engine import Issue

__all__ = [
    "edit_is_whole",
    "gallery_is_whole",
    "inside_is_whole",
    "layout_is_whole",
    "section_is_whole",
    "template_is_filled",
    "tree_of",
]

Json: TypeAlias = Any
Arguments: TypeAlias = Mapping[str, Json]

IDS: Final = frozenset({"role_id_member", "rules_channel_id"})
"""The variables of templates that stand in a mention, where any other text would show as it is."""


def tree_of(arguments: Arguments) -> list[Component]:
    """Return the components that a call would send: of a layout, or of a template filled in."""
    return read_layout(_components(arguments)).components


def _components(arguments: Arguments) -> list[Component]:
    if "template" in arguments:
        return TEMPLATES[arguments["template"]].filled(arguments["vars"])
    components: list[Component] = arguments["components"]
    return components


# --- Messages ---------------------------------------------------------------------------------------------------------


def layout_is_whole(arguments: Arguments) -> Iterator[Issue]:
    """Refuse components that Discord would refuse in a new message."""
    files = {filename_of(file) for file in arguments.get("files", ())}
    return issues_of(read_layout(arguments["components"], files=files).faults)


def edit_is_whole(arguments: Arguments) -> Iterator[Issue]:
    """Refuse components that Discord would refuse in an edit, whatever files the message has."""
    return issues_of(read_layout(arguments["components"]).faults)


def template_is_filled(arguments: Arguments) -> Iterator[Issue]:
    """Refuse variables that the template lacks or does not know, and values that make it unfit to send."""
    template, values = TEMPLATES[arguments["template"]], arguments["vars"]
    wrong = [*_unfitting(template, values)]
    return iter(wrong) if wrong else issues_of(_blamed(template, values))


def _unfitting(template: Template, values: Mapping[str, str]) -> Iterator[Issue]:
    for name, meaning in template.variables.items():
        if name not in values:
            yield _issue(name, f"is required: {meaning}", "required")
        elif name in IDS and not re.fullmatch(Snowflake.pattern, values[name], re.ASCII):
            yield _issue(name, f"must be {Snowflake.wants}", "invalid_string")
    for name in values.keys() - template.variables.keys():
        known = ", ".join(template.variables)
        yield _issue(name, f"is no variable of this template; it has {known}", "unrecognized_key")


def _issue(variable: str, message: str, code: str) -> Issue:
    return Issue(path=f"vars.{variable}", message=message, code=code)


def _blamed(template: Template, values: Mapping[str, str]) -> Iterator[Fault]:
    """Return the faults of the filled template, each at the variable that brought it."""
    blanks = dict(blanks_in(template.components))
    for fault in read_layout(template.filled(values), files=()).faults:
        blank = blanks.get(fault.path)
        yield Fault(fault.code, f"vars.{blank}" if blank else "vars", fault.message)


# --- Parts ------------------------------------------------------------------------------------------------------------


def inside_is_whole(arguments: Arguments) -> Iterator[Issue]:
    """Refuse components that cannot stand in a container."""
    return issues_of(read_layout(arguments["components"], place=IN_CONTAINER).faults)


def section_is_whole(arguments: Arguments) -> Iterator[Issue]:
    """Refuse an accessory that no section can have, and texts that are too long together."""
    for fault in _of_part(section(arguments["text"], arguments["accessory"])):
        place = fault.path.replace("components", "text").removesuffix(".content")
        yield from issues_of([Fault(fault.code, place or "text", fault.message)])


def gallery_is_whole(arguments: Arguments) -> Iterator[Issue]:
    """Refuse items that no gallery can have."""
    return issues_of(_of_part(gallery(arguments["items"])))


def _of_part(component: Component) -> Iterator[Fault]:
    """Return the faults of one component, their paths counted from within it."""
    for fault in read_layout([component], at="").faults:
        yield Fault(fault.code, fault.path.removeprefix("[0]").removeprefix("."), fault.message)
