"""What usual calls are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Message

__all__ = [
    "MISSING",
    "Arguments",
    "Examples",
    "Refusal",
    "Refusals",
    "not_found",
    "not_own",
    "own_message",
    "somebodys_message",
]

Arguments: TypeAlias = dict[str, Any]

Examples: TypeAlias = Mapping[str, Callable[[Sandbox], Arguments]]
"""By tool: what arranges the sandbox where it has to be, and returns arguments with which the tool succeeds."""

MISSING: Final = "1199999999999999999"
"""An id that nothing has."""


class Refusal(NamedTuple):
    """Arguments with which a tool fails on every sandbox, and the code of that failure."""

    arguments: Arguments
    code: str


Refusals: TypeAlias = Mapping[str, Refusal]


def not_found(arguments: Arguments) -> Refusal:
    """A call that is well formed and names what is not there."""
    return Refusal(arguments, "DISCORD_NOT_FOUND")


def not_own(arguments: Arguments) -> Refusal:
    """A call that names another application than the bot's own."""
    return Refusal(arguments, "BOT_SCOPE_UNRESOLVED")


def somebodys_message(sandbox: Sandbox) -> Arguments:
    """Where the newest message of #general is, which a person wrote."""
    newest = [one for one in sandbox.world.channels[demo.GENERAL].messages.values() if one.author_id != demo.BOT][-1]
    return {"channel_id": demo.GENERAL, "message_id": newest.id}


def own_message(sandbox: Sandbox, channel_id: str = demo.GENERAL, **more: Any) -> Arguments:
    """Where a new message by the bot is; `more` are fields of it."""
    made = Message(sandbox.world.new_id(), channel_id, demo.BOT, "before")
    for name, value in more.items():
        setattr(made, name, value)
    sandbox.world.channels[channel_id].add(made)
    return {"channel_id": channel_id, "message_id": made.id}
