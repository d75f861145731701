"""What a slash command asks of its user: options, sub-commands and groups of these.

https://discord.com/developers/docs/interactions/application-commands#application-command-object
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.locales import Locale
from accord.engine import Field, Untrusted

__all__ = [
    "Choice",
    "CommandDescription",
    "CommandName",
    "CommandOption",
    "Descriptions",
    "GroupShown",
    "Localized",
    "Names",
]

Json: TypeAlias = Any

CommandName = Annotated[str, Field(min_length=1, max_length=32)]
CommandDescription = Annotated[str, Field(max_length=100)]
OptionDescription = Annotated[str, Field(min_length=1, max_length=100)]
ChoiceName = Annotated[str, Field(min_length=1, max_length=100)]

Names = dict[Locale, CommandName]
Descriptions = dict[Locale, OptionDescription]
Localized = Annotated[dict[str, str], Field(untrusted=True)]
"""A text by its locale."""

ChannelType: TypeAlias = Literal[0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]


class Choice(TypedDict):
    """One of the only values of an option: text, a whole number or a number, as the option's type says.

    The documentation has texts of up to 100 characters, Discord's API takes 6000.
    """

    name: ChoiceName
    value: Annotated[str, Field(max_length=6000)] | float
    name_localizations: NotRequired[dict[Locale, ChoiceName]]


class OptionFields(TypedDict):
    """What options have in common; which types take which of the rest is a rule of `command_rules`."""

    name: CommandName
    description: OptionDescription
    name_localizations: NotRequired[Names]
    description_localizations: NotRequired[Descriptions]
    required: NotRequired[bool]
    choices: NotRequired[Annotated[list[Choice], Field(max_items=25)]]
    autocomplete: NotRequired[bool]
    min_value: NotRequired[float]
    max_value: NotRequired[float]
    min_length: NotRequired[Annotated[int, Field(minimum=0, maximum=6000)]]
    max_length: NotRequired[Annotated[int, Field(minimum=1, maximum=6000)]]
    channel_types: NotRequired[list[ChannelType]]


class Parameter(OptionFields):
    """An option that has a value."""

    type: Literal[3, 4, 5, 6, 7, 8, 9, 10, 11]


class SubOption(OptionFields):
    """An option of a sub-command, or a sub-command of a group."""

    type: Literal[1, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    options: NotRequired[Annotated[list[Parameter], Field(max_items=25)]]


class CommandOption(OptionFields):
    """An option of a command, a sub-command (1), or a group of sub-commands (2)."""

    type: Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    options: NotRequired[Annotated[list[SubOption], Field(max_items=25)]]


class ChoiceShown(TypedDict):
    """A choice as Discord has it."""

    name: Untrusted
    value: str | float
    name_localizations: NotRequired[Localized | None]


class ParameterShown(TypedDict):
    """An option as Discord has it, with all that can be set and nothing else, so that it can be written again."""

    type: int
    name: Untrusted
    description: Untrusted
    name_localizations: NotRequired[Localized | None]
    description_localizations: NotRequired[Localized | None]
    required: NotRequired[bool]
    choices: NotRequired[list[ChoiceShown]]
    autocomplete: NotRequired[bool]
    min_value: NotRequired[float]
    max_value: NotRequired[float]
    min_length: NotRequired[int]
    max_length: NotRequired[int]
    channel_types: NotRequired[list[int]]


class SubCommandShown(ParameterShown):
    """The same with options of its own."""

    options: NotRequired[list[ParameterShown]]


class GroupShown(ParameterShown):
    """The same with sub-commands, or a sub-command with options."""

    options: NotRequired[list[SubCommandShown]]
