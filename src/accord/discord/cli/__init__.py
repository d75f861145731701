"""The command `discord-mcp`. Plain `serve` starts at once; everything else loads the CLI toolkit first."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]

_SERVING = {
    (): False,
    ("serve",): False,
    ("serve", "--sandbox"): True,
}
"""The ways to start a server that hosts use; each flag that needs reading goes through the toolkit."""

_ENDED_BY_A_SIGNAL = {(), ("serve",), ("sandbox",)}
"""The first word of the commands that run until they are asked to stop: to them a signal is no failure."""


def main() -> None:
    """Run the command line; exits with 0, 2 (usage), 3 (the call or check failed) or 4 (refused to start)."""
    arguments = tuple(sys.argv[1:])
    if arguments[:1] in _ENDED_BY_A_SIGNAL:
        _stop_at_once()
    if arguments in _SERVING:
        sys.exit(_serve(sandbox=_SERVING[arguments]))
    from accord.discord.cli.commands import app  # noqa: PLC0415 - only what this command needs

    app()


def _stop_at_once() -> None:
    """End with 0 on SIGTERM and SIGINT, until the event loop takes them over."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))


def _serve(*, sandbox: bool) -> int:
    # structlog loads it if it can, for tracebacks in colours that no log of ours has; that is a tenth of the start.
    sys.modules["rich"] = None  # type: ignore[assignment] # how the import system says "not to be had"
    from accord.discord.cli.serving import serve  # noqa: PLC0415 - only what this command needs

    return serve(sandbox=sandbox)
