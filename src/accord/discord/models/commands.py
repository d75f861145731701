"""Application commands: slash commands, and those of the menus of users and messages.

https://discord.com/developers/docs/interactions/application-commands
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.command_options import (
    CommandDescription,
    CommandName,
    CommandOption,
    Descriptions,
    Localized,
    Names,
)
from accord.discord.models.ids import ApplicationCommandId, EntityId
from accord.discord.models.permissions import PermissionSet
from accord.discord.models.values import Page
from accord.engine import Field, Untrusted

__all__ = [
    "Command",
    "CommandChanges",
    "CommandDeleted",
    "CommandPermission",
    "CommandPermissions",
    "Commands",
    "GuildCommandDeleted",
    "GuildCommandPermissions",
    "KeptCommand",
    "NewCommand",
    "ShownCommand",
]

Json: TypeAlias = Any

Options = Annotated[
    list[CommandOption],
    Field(
        max_items=25,
        description="types: 1 sub-command, 2 group, 3 text, 4 integer, 5 boolean, 6 user, 7 channel, 8 role, "
        "9 mentionable, 10 number, 11 file",
    ),
]


class CommandFields(TypedDict, total=False):
    """What a command is made of, apart from its name."""

    name_localizations: Annotated[Names, Field(description="by locale")]
    description: CommandDescription
    description_localizations: Descriptions
    options: Options
    default_member_permissions: Annotated[
        PermissionSet, Field(description="who sees it: names, or a bit set; 0 admins alone")
    ]
    dm_permission: Annotated[bool, Field(description="old; use contexts")]
    default_permission: Annotated[bool, Field(description="old; use default_member_permissions")]
    nsfw: bool
    integration_types: Annotated[list[Literal[0, 1]], Field(min_items=1, description="0 guild, 1 user")]
    contexts: Annotated[list[Literal[0, 1, 2]], Field(min_items=1, description="0 guilds, 1 bot's DMs, 2 other DMs")]
    handler: Annotated[Literal[1, 2], Field(description="type 4: 1 app, 2 Discord")]


class Named(TypedDict):
    """What must have a name."""

    name: CommandName


class NewCommand(Named, CommandFields, total=False):
    """A command to make; a slash command needs a description, those of menus have none."""

    type: Annotated[Literal[1, 2, 3, 4], Field(description="1 slash (default), 2 user, 3 message, 4 entry point")]


class KeptCommand(NewCommand, total=False):
    """One of all commands that there are to be; with its `id` an existing one stays the same command."""

    id: ApplicationCommandId


class CommandChanges(CommandFields, total=False):
    """What of a command changes."""

    name: CommandName
    clear: Annotated[
        list[
            Literal[
                "name_localizations", "description_localizations", "options", "default_member_permissions",
                "dm_permission", "integration_types", "contexts", "handler",
            ]
        ],
        Field(min_items=1, description="what to put back to nothing"),
    ]  # fmt: skip


class ShownCommand(TypedDict):
    """A command, with all that can be set, so that it can be written again as it was read."""

    id: str
    type: int
    name: Untrusted
    description: Untrusted
    name_localizations: NotRequired[Localized | None]
    description_localizations: NotRequired[Localized | None]
    options: NotRequired[list[Annotated[dict[str, Json], Field(untrusted=True)]]]
    default_member_permissions: NotRequired[str | None]
    dm_permission: NotRequired[bool | None]
    default_permission: NotRequired[bool | None]
    nsfw: NotRequired[bool]
    integration_types: NotRequired[list[int] | None]
    contexts: NotRequired[list[int] | None]
    handler: NotRequired[int | None]


class Command(ShownCommand):
    """One command; a guild's own has its guild."""

    application_id: str
    guild_id: NotRequired[str | None]
    version: NotRequired[str]
    untrusted_text: Untrusted


class Commands(Page):
    """All commands of one scope."""

    commands: list[ShownCommand]
    count: int
    untrusted_text: Untrusted


class CommandDeleted(TypedDict):
    """A command that is gone."""

    deleted: bool
    command_id: str


class GuildCommandDeleted(CommandDeleted):
    """A guild's command that is gone."""

    guild_id: str


class CommandPermission(TypedDict):
    """Whether a role (1), a user (2) or a channel (3) may use a command."""

    id: EntityId
    type: Literal[1, 2, 3]
    permission: bool


class PermissionShown(TypedDict):
    """The same as Discord has it."""

    id: str
    type: int
    permission: bool


class CommandPermissions(TypedDict):
    """Who may use a command in a guild; with the application's id, who may use all that say nothing themselves."""

    id: str
    application_id: str
    guild_id: str
    permissions: list[PermissionShown]


class GuildCommandPermissions(Page):
    """The permissions of all commands that have some in a guild."""

    permissions: list[CommandPermissions]
    count: int
