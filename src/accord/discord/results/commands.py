"""Commands as our tools show them: what can be set, and nothing else of an option."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.models.command_options import GroupShown
from accord.discord.models.commands import Command, Commands, ShownCommand
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked, picked

__all__ = ["command", "commands"]


def command(sent: Wire) -> Command:
    """Return one command."""
    return picked(Command, _trimmed(sent), untrusted_text=_line(sent))


def commands(sent: Sequence[Wire]) -> Commands:
    """Return all commands of one scope; what they have in common is left out, so that they can be written again."""
    shown = each_picked(ShownCommand, map(_trimmed, sent))
    text = "\n".join(map(_line, sent))
    return {"commands": shown, "count": len(shown), "untrusted_text": text, **WHOLE}


def _trimmed(sent: Wire) -> Wire:
    return sent if sent.get("options") is None else {**sent, "options": each_picked(GroupShown, sent["options"])}


def _line(sent: Wire) -> str:
    return f"{sent['name']}: {sent['description']}" if sent["description"] else str(sent["name"])
