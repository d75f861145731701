"""Where a person's wallet, and what it was granted, lie on this machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from accord.engine import state_folder

__all__ = ["Home"]

PROGRAM = "deside-mcp"

LOCAL_URL = "http://127.0.0.1:3100"
"""Where `deside-mcp serve` listens unless told otherwise."""

CONFIG = {
    "darwin": ("XDG_CONFIG_HOME", "Library/Application Support"),
    "win32": ("APPDATA", "AppData/Roaming"),
}
"""By `sys.platform`: the variable that names the folder, and the usual place below the home."""


@dataclass(frozen=True, slots=True)
class Home:
    """The folders of this program: what a person made, and what can be had anew."""

    config: Path
    state: Path

    @classmethod
    def of(cls, env: Mapping[str, str], platform: str = sys.platform) -> Home:
        """Return the folders of an environment; they need not exist."""
        return cls(
            config=_folder(env, *CONFIG.get(platform, ("XDG_CONFIG_HOME", ".config"))),
            state=state_folder(PROGRAM, env, platform),
        )

    @property
    def wallet(self) -> Path:
        """The wallet's file."""
        return self.config / "wallet.json"

    @property
    def grants(self) -> Path:
        """The folder of what services granted."""
        return self.state / "grants"

    @property
    def url(self) -> str:
        """The service that was signed in to last, else the one on this machine."""
        with suppress(OSError):
            return self._last_url.read_text().strip() or LOCAL_URL
        return LOCAL_URL

    def remember(self, url: str) -> None:
        """Take this service from now on, where none is named."""
        self._last_url.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._last_url.write_text(f"{url}\n")

    def cursor(self, grant: Path) -> Path:
        """Where `watch` keeps how far it came, beside a grant."""
        return grant.with_suffix(".cursor")

    @property
    def _last_url(self) -> Path:
        return self.state / "service"


def _folder(env: Mapping[str, str], variable: str, below_home: str) -> Path:
    """Return this program's folder; a relative path is ignored (https://specifications.freedesktop.org/basedir)."""
    named = Path(env.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / below_home) / PROGRAM
