"""The server: all tools of discord-mcp and the greetings, on stdin and stdout."""

from __future__ import annotations

import asyncio
import sys

from accord.discord import TOOLSETS, Config, ConfigError, build_rest, build_server, load_config
from accord.engine import configure_logs, run_stdio

from .greetings import greetings, greetings_describe


def main() -> None:
    """Serve until the client closes its end; a variable that is not valid refuses to start."""
    try:
        config = load_config()
    except ConfigError as error:
        sys.exit(str(error))
    configure_logs(config.LOG_LEVEL)
    asyncio.run(_serve(config))


async def _serve(config: Config) -> None:
    rest = build_rest(config)
    built = build_server(rest=rest, config=config, toolsets=[*TOOLSETS, greetings, [greetings_describe]])
    try:
        await run_stdio(built.server)
    finally:
        await built.audit_sink.close()
        await built.state.close()
        await rest.aclose()
