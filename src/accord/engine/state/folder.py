"""Where programs keep their state on this system."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["state_folder"]

XDG = ("XDG_STATE_HOME", ".local/state")
PLACES = {
    "darwin": ("XDG_STATE_HOME", "Library/Application Support"),
    "win32": ("LOCALAPPDATA", "AppData/Local"),
}
"""By `sys.platform`: the variable that names where programs keep their state, and the usual place below the home."""


def state_folder(program: str, env: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the folder for a program's state; it need not exist.

    A relative path in the variable is ignored (https://specifications.freedesktop.org/basedir, Basics).

    Raises:
        RuntimeError: The user has no home.
    """
    variable, below_home = PLACES.get(platform, XDG)
    named = Path(env.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / below_home) / program
