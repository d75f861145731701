"""State that outlives the process: in the database of MCP_STATE_URL, else in the user's own state folder."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from accord.discord.config import Config, ConfigError
from accord.engine import State, open_state

__all__ = ["kept_state", "state_folder"]

XDG = ("XDG_STATE_HOME", ".local/state")
PLACES = {
    "darwin": ("XDG_STATE_HOME", "Library/Application Support"),
    "win32": ("LOCALAPPDATA", "AppData/Local"),
}
"""By `sys.platform`: the variable that names where programs keep their state, and the usual place below the home."""


def state_folder(env: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the folder for this program's state; it need not exist.

    A relative path in the variable is ignored (https://specifications.freedesktop.org/basedir, Basics).

    Raises:
        RuntimeError: The user has no home.
    """
    variable, below_home = PLACES.get(platform, XDG)
    named = Path(env.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / below_home) / "discord-mcp"


@asynccontextmanager
async def kept_state(config: Config, env: Mapping[str, str]) -> AsyncIterator[State]:
    """Lend the state, which is closed with the context.

    Raises:
        ConfigError: It cannot be opened.
    """
    state = _open(config, env)
    try:
        yield state
    finally:
        await state.close()


def _open(config: Config, env: Mapping[str, str]) -> State:
    try:
        url = config.MCP_STATE_URL.reveal() if config.MCP_STATE_URL else f"sqlite:///{state_folder(env) / 'state.db'}"
        return open_state(url)
    except (ValueError, RuntimeError) as error:
        reason = error.__cause__ or error
        raise ConfigError({"MCP_STATE_URL": f"names no place for state ({reason}); use sqlite:///path"}) from None
