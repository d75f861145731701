"""The command `discord-mcp`. Plain `serve` starts at once; everything else loads the CLI toolkit first."""

from __future__ import annotations

import sys

__all__ = ["main"]

_SERVING = {
    (): False,
    ("serve",): False,
    ("serve", "--sandbox"): True,
}
"""The ways to start a server that hosts use; each flag that needs reading goes through the toolkit."""


def main() -> None:
    """Run the command line; exits with 0, 2 (usage), 3 (the call or check failed) or 4 (refused to start)."""
    arguments = tuple(sys.argv[1:])
    if arguments in _SERVING:
        from accord.discord.cli.serving import serve  # noqa: PLC0415 - only what this command needs

        sys.exit(serve(sandbox=_SERVING[arguments]))
    from accord.discord.cli.commands import app  # noqa: PLC0415 - as above

    app()
