"""A valid call of every tool on the sandbox's own world, and one that fails."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Final

import tests.discord.tools.usual as files
from tests.discord.tools.usual.calling import MISSING, Arguments, Refusal

from accord.discord.app import own_tools
from accord.discord.gates import takes_default_guild
from accord.discord.sandbox import Sandbox

__all__ = ["DEPARTURES", "GUILD_TOOLS", "MISSING", "MORE", "READS", "REFUSED", "TOOLS", "WRITES", "Refusal", "example"]

TOOLS: Final = tuple(own_tools())
WRITES: Final = tuple(name for name, tool in own_tools().items() if tool.effect.writes)
READS: Final = tuple(name for name in TOOLS if name not in WRITES)
GUILD_TOOLS: Final = tuple(name for name, tool in own_tools().items() if takes_default_guild(tool))

_FILES: Final = [
    import_module(f"{files.__name__}.{one.name}")
    for one in pkgutil.iter_modules(files.__path__)
    if one.name != "calling"
]
_EXAMPLES: Final = {name: make for file in _FILES for name, make in file.EXAMPLES.items()}

REFUSED: Final[dict[str, Refusal]] = {name: refusal for file in _FILES for name, refusal in file.REFUSED.items()}
"""By tool: arguments with which it fails on every sandbox, and with which code."""

DEPARTURES: Final[dict[str, str]] = {
    place: reason for file in _FILES for place, reason in getattr(file, "DEPARTURES", {}).items()
}
"""By `tool.argument` or `tool.field`: why it is not what the contract says."""

MORE: Final[dict[str, list[Callable[[Sandbox], Arguments]]]] = {
    name: makes for file in _FILES for name, makes in getattr(file, "MORE", {}).items()
}
"""By tool: further calls that succeed, where one does not reach all the operations that the tool asks for."""


def example(sandbox: Sandbox, tool: str) -> Arguments:
    """Arguments with which the tool succeeds, confirmed where it has to be. It arranges the sandbox for that."""
    arguments: Arguments = _EXAMPLES[tool](sandbox)
    return arguments
