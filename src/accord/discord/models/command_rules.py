"""What must fit together in a command, so that Discord takes it whole.

https://discord.com/developers/docs/interactions/application-commands#application-command-object
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from accord.engine import Issue

__all__ = ["changes_are_whole", "command_is_whole", "commands_are_whole", "for_a_guild"]

Json: TypeAlias = Any
Option: TypeAlias = Mapping[str, Json]

SLASH, ENTRY_POINT = 1, 4
SUB_COMMAND, GROUP, TEXT, WHOLE, CHANNEL, NUMBER = 1, 2, 3, 4, 7, 10
PARAMETERS = frozenset(range(TEXT, 12))

TAKEN_BY: Mapping[str, frozenset[int]] = {
    "options": frozenset({SUB_COMMAND, GROUP}),
    "choices": frozenset({TEXT, WHOLE, NUMBER}),
    "autocomplete": frozenset({TEXT, WHOLE, NUMBER}),
    "min_value": frozenset({WHOLE, NUMBER}),
    "max_value": frozenset({WHOLE, NUMBER}),
    "min_length": frozenset({TEXT}),
    "max_length": frozenset({TEXT}),
    "channel_types": frozenset({CHANNEL}),
}
"""The types of options that take a field."""

WITHIN: Mapping[int, frozenset[int]] = {SUB_COMMAND: PARAMETERS, GROUP: frozenset({SUB_COMMAND})}
"""The types of options that stand inside of one."""

LARGEST = 2**53 - 1
MOST_CHARACTERS = 8000
UNCASED_SCRIPTS = ("DEVANAGARI", "THAI")
"""Scripts of which marks that are no letters are taken too."""


def command_is_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a new command that lacks what its type needs, or has what it cannot have."""
    yield from _command(arguments, "")


def commands_are_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse the same in a list of commands, and two of one type and name."""
    seen = set()
    for number, command in enumerate(arguments["commands"]):
        yield from _command(command, f"commands[{number}].")
        key = (command.get("type", SLASH), command["name"])
        if key in seen:
            yield _issue(f"commands[{number}].name", "is the name of another command of this type", "conflict")
        seen.add(key)


def changes_are_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse changes that no command can have; what type it is of is not known."""
    is_slash = "options" in arguments
    if is_slash and "name" in arguments:
        yield from _names(arguments, "")
    yield from _repeats(arguments, "", "contexts", "integration_types")
    yield from _options(arguments.get("options", ()), "options", PARAMETERS | WITHIN.keys())
    yield from _size(arguments, "")


def for_a_guild(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse an entry point in a guild: it is global."""
    for number, command in enumerate(arguments.get("commands", [arguments])):
        if command.get("type") == ENTRY_POINT:
            path = f"commands[{number}].type" if "commands" in arguments else "type"
            yield _issue(path, "4 is for global commands", "invalid_enum")


def _command(command: Mapping[str, Json], path: str) -> Iterator[Issue]:
    kind = command.get("type", SLASH)
    if kind == SLASH:
        yield from _names(command, path)
        if not command.get("description"):
            yield _issue(f"{path}description", "is required for a slash command", "required")
    elif "options" in command:
        yield _issue(f"{path}options", "are for slash commands (type 1)", "conflict")
    if command.get("description") and kind not in {SLASH, ENTRY_POINT}:
        yield _issue(f"{path}description", "is not for commands of menus (types 2 and 3)", "conflict")
    if "handler" in command and kind != ENTRY_POINT:
        yield _issue(f"{path}handler", "is for an entry point (type 4)", "conflict")
    yield from _repeats(command, path, "contexts", "integration_types")
    yield from _options(command.get("options", ()), f"{path}options", PARAMETERS | WITHIN.keys())
    yield from _size(command, path)


def _options(options: Sequence[Option], path: str, kinds: frozenset[int]) -> Iterator[Issue]:
    yield from _beside_each_other(options, path)
    for number, option in enumerate(options):
        place = f"{path}[{number}]"
        if option["type"] not in kinds:
            yield _issue(f"{place}.type", f"must be one of {_listed(kinds)} here", "invalid_enum")
        yield from _names(option, f"{place}.")
        yield from _fields(option, place)
        yield from _options(option.get("options", ()), f"{place}.options", WITHIN.get(option["type"], PARAMETERS))


def _beside_each_other(options: Sequence[Option], path: str) -> Iterator[Issue]:
    names, optional = set(), False
    for number, option in enumerate(options):
        if option["name"] in names:
            yield _issue(f"{path}[{number}].name", "is the name of another option beside it", "conflict")
        if option.get("required") and optional:
            yield _issue(f"{path}[{number}].required", "must stand before the options that are not", "invalid_order")
        names.add(option["name"])
        optional = optional or not option.get("required")
    if len({option["type"] in PARAMETERS for option in options}) > 1:
        yield _issue(path, "are sub-commands and groups, or parameters, not both", "conflict")


def _fields(option: Option, path: str) -> Iterator[Issue]:
    strange = [name for name, kinds in TAKEN_BY.items() if name in option and option["type"] not in kinds]
    for name in strange:
        yield _issue(f"{path}.{name}", f"is for options of type {_listed(TAKEN_BY[name])}", "conflict")
    if not strange:
        yield from _limits(option, path)
        yield from _repeats(option, f"{path}.", "channel_types")


def _limits(option: Option, path: str) -> Iterator[Issue]:
    if option.get("autocomplete") and option.get("choices"):
        yield _issue(f"{path}.autocomplete", "conflicts with choices; give one", "conflict")
    for least, most in (("min_value", "max_value"), ("min_length", "max_length")):
        if option.get(least, -LARGEST) > option.get(most, LARGEST):
            yield _issue(f"{path}.{least}", f"is more than {most}", "too_big")
    for name, value in _values(option):
        if wrong := _wrong_with(value, option["type"]):
            yield _issue(f"{path}.{name}", wrong, "invalid_type")


def _values(option: Option) -> Iterator[tuple[str, Json]]:
    yield from ((name, option[name]) for name in ("min_value", "max_value") if name in option)
    yield from ((f"choices[{number}].value", one["value"]) for number, one in enumerate(option.get("choices", ())))


def _wrong_with(value: Json, kind: int) -> str | None:
    """Say what is wrong with a value of an option of this type, if something is."""
    if kind == TEXT:
        return None if isinstance(value, str) else "must be a string"
    if isinstance(value, str) or abs(value) > LARGEST or (kind == WHOLE and value != int(value)):
        return "must be an integer of at most 53 bits" if kind == WHOLE else "must be a number of at most 53 bits"
    return None


def _names(named: Mapping[str, Json], path: str) -> Iterator[Issue]:
    names = {"name": named["name"]}
    names |= {f"name_localizations.{locale}": name for locale, name in named.get("name_localizations", {}).items()}
    for place, name in names.items():
        if name != name.lower() or not all(map(_is_for_names, name)):
            yield _issue(f"{path}{place}", "must be lower-case letters, digits, -, _ and '", "invalid_string")


def _is_for_names(char: str) -> bool:
    return (
        char in "-_'"
        or unicodedata.category(char)[0] in "LN"
        or unicodedata.name(char, "").startswith(UNCASED_SCRIPTS)
    )  # fmt: skip


def _repeats(record: Mapping[str, Json], path: str, *names: str) -> Iterator[Issue]:
    for name in names:
        values = record.get(name, ())
        if len(set(values)) < len(values):
            yield _issue(f"{path}{name}", "says something twice", "duplicate")


def _size(command: Mapping[str, Json], path: str) -> Iterator[Issue]:
    """Names, descriptions and values count, of localised ones the longest."""
    if (size := _characters(command)) > MOST_CHARACTERS:
        words = f"names, descriptions and values have {size} characters together; at most {MOST_CHARACTERS}"
        yield _issue(path.rstrip("."), words, "too_big")


def _characters(part: Mapping[str, Json]) -> int:
    own = sum(_longest(part, name) for name in ("name", "description")) + len(str(part.get("value", "")))
    return own + sum(map(_characters, (*part.get("options", ()), *part.get("choices", ()))))


def _longest(part: Mapping[str, Json], name: str) -> int:
    return max(map(len, (part.get(name, ""), *part.get(f"{name}_localizations", {}).values())))


def _listed(kinds: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(kinds)))


def _issue(path: str, message: str, code: str) -> Issue:
    return Issue(path=path, message=message, code=code)
