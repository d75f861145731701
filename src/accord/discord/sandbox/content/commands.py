"""Checks a command as Discord does: its fields, and its options down to a group's sub-commands."""

# Source of the limits: https://discord.com/developers/docs/interactions/application-commands

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.forms import form, integer, listed, one_of, snowflake, text, truth

if TYPE_CHECKING:
    from accord.discord.sandbox.forms import Check, Complaints

SLASH, ENTRY_POINT = 1, 4
SUB_COMMAND, GROUP = 1, 2
MOST_OPTIONS = 25
SAFE = 2**53 - 1
NAME = re.compile(r"[-_'\w\u0900-\u097F\u0E00-\u0E7F]{1,32}")


def localized(check: Check) -> Check:
    """A text in several languages."""

    def check_each(value: Any, complaints: Complaints) -> dict[str, str]:
        if not isinstance(value, dict):
            complaints.say("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            return {}
        return {locale: check(words, complaints.at(locale)) for locale, words in value.items()}

    return check_each


def _name(value: Any, complaints: Complaints) -> str:
    name: str = text(32, least=1)(value, complaints)
    if name and (not NAME.fullmatch(name) or name != name.lower()):
        complaints.say("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    return name


def _anything_in_reach(value: Any, complaints: Complaints) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        complaints.say("BASE_TYPE_REQUIRED", "This field is required")
    elif not isinstance(value, str) and abs(value) > SAFE:
        complaints.say("NUMBER_TYPE_MAX", f"int value should be less than or equal to {SAFE}.")
    return value


_named = {
    "name": _name,
    "name_localizations": localized(_name),
    "description": text(100, least=1),
    "description_localizations": localized(text(100, least=1)),
}
_choice = form(
    {
        "name": text(100, least=1),
        "name_localizations": localized(text(100, least=1)),
        "value": _anything_in_reach,
    },
    required=("name", "value"),
)


def _option(kinds: frozenset[int], inside: Check | None = None) -> Check:
    """An option of one of these types; `inside` checks the options that it has itself."""
    fields: dict[str, Check] = {
        **_named,
        "type": one_of(*sorted(kinds)),
        "required": truth,
        "autocomplete": truth,
        "choices": listed(_choice, most=25),
        "channel_types": listed(integer(0, 16), most=12),
        "min_value": _anything_in_reach,
        "max_value": _anything_in_reach,
        "min_length": integer(0, 6000),
        "max_length": integer(1, 6000),
    }
    if inside is not None:
        fields["options"] = inside
    return form(fields, required=("type", "name", "description"))


def _options(option: Check) -> Check:
    """A list of options, the required ones first, each with a name of its own."""
    each = listed(option, most=MOST_OPTIONS)

    def check(value: Any, complaints: Complaints) -> list[Any]:
        options: list[Any] = each(value, complaints)
        needed = [bool(one.get("required")) for one in options]
        if needed != sorted(needed, reverse=True):
            words = "Required options must be placed before non-required options"
            complaints.say("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", words)
        if len({one.get("name") for one in options}) < len(options):
            complaints.say("APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option names must be unique")
        return options

    return check


_PARAMETERS = frozenset(range(3, 12))
_parameters = _options(_option(_PARAMETERS))
_sub_options = _options(_option(_PARAMETERS | {SUB_COMMAND}, _parameters))
_all_options = _options(_option(_PARAMETERS | {SUB_COMMAND, GROUP}, _sub_options))

FIELDS: dict[str, Check] = {
    "id": snowflake,
    "type": one_of(1, 2, 3, ENTRY_POINT),
    "name": text(32, least=1),
    "name_localizations": localized(text(32, least=1)),
    "description": text(100),
    "description_localizations": localized(text(100, least=1)),
    "options": _all_options,
    "default_member_permissions": integer(0, 10**20),
    "dm_permission": truth,
    "default_permission": truth,
    "nsfw": truth,
    "integration_types": listed(one_of(0, 1), most=2, least=1),
    "contexts": listed(one_of(0, 1, 2), most=3, least=1),
    "handler": one_of(1, 2),
}

changes = form(FIELDS)


def command(value: Any, complaints: Complaints) -> dict[str, Any]:
    """A new command, with what its type needs."""
    checked: dict[str, Any] = form(FIELDS, required=("name",))(value, complaints)
    if checked.get("type", SLASH) == SLASH:
        _name(checked.get("name", ""), complaints.at("name"))
        if not checked.get("description"):
            complaints.at("description").say("BASE_TYPE_REQUIRED", "This field is required")
    elif checked.get("type") != ENTRY_POINT and checked.get("description"):
        words = "Context menu commands cannot have description"
        complaints.at("description").say("APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID", words)
    return checked


all_commands = listed(command, most=130)
