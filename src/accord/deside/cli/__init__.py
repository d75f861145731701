"""The command `deside-mcp`. Each command loads what it needs when it is given."""

from __future__ import annotations

import sys

__all__ = ["main"]

BARE = ("serve",)
"""What a line without a command means."""

REFUSED = 4
"""`accord.terminal.exits` has them all; this one is needed where nothing could be loaded."""


def main() -> None:
    """Run the command line; exits with 0, 2 (usage), 3 (the call or check failed) or 4 (refused to start)."""
    try:
        from accord.deside.cli.commands import app  # noqa: PLC0415 - only what this command needs

        app(sys.argv[1:] or BARE)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "solders":
            raise
        sys.stderr.write("deside-mcp needs an extra: pip install 'accord-mcp[deside]'\n")
        sys.exit(REFUSED)
