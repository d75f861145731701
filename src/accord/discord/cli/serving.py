"""`discord-mcp serve`: the server on stdin and stdout. Nothing is imported here that serving does not need."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from accord.discord.app import BuildServerResult, Transport, build_rest, build_server
from accord.discord.config import Config, ConfigError, load_config
from accord.engine import State, configure_logs, logger, run_stdio
from accord.terminal.exits import Exit
from accord.terminal.stopping import until_stopped

__all__ = ["configured", "opened", "refused", "serve"]

TO_A_PERSON = """\
This is an MCP server: an MCP host starts it and talks to it on stdin and stdout.
Ctrl-C ends it; `discord-mcp --help` shows what else there is.
"""


def serve(*, sandbox: bool) -> Exit:
    """Serve stdio until the client closes its end or the process is asked to stop."""
    if sys.stdin is None or sys.stdout is None:
        sys.stderr.write("cannot serve: stdin or stdout is closed\n")
        return Exit.REFUSED
    try:
        asyncio.run(_serve(sandbox=sandbox))
    except ConfigError as error:
        return refused(error)
    return Exit.DONE


def refused(error: ConfigError) -> Exit:
    """Tell on stderr why nothing was started."""
    sys.stderr.write(f"{error}\n")
    return Exit.REFUSED


async def _serve(*, sandbox: bool) -> None:
    log = logger("accord.serve")
    async with configured(sandbox=sandbox) as config:
        configure_logs(config.LOG_LEVEL)
        async with opened(config, notifies=False) as built:
            if sys.stdin.isatty():
                sys.stderr.write(TO_A_PERSON)
            if config.DISCORD_TOKEN is None:
                log.warning("DISCORD_TOKEN is not set: tools are listed, and every call answers DISCORD_AUTH_INVALID")
            log.info("ready", tools=len(built.registered_tools), sandbox=sandbox)
            gc.freeze()  # what is loaded by now stays: there is no use in looking through it again and again
            await until_stopped(run_stdio(built.server))
            log.info("stopped")


@asynccontextmanager
async def configured(*, sandbox: bool) -> AsyncIterator[Config]:
    """Return the configuration of the environment; with a sandbox, of one that runs as long as the context.

    Raises:
        ConfigError: A variable is not valid.
    """
    async with AsyncExitStack() as stack:
        env = dict(os.environ)
        if sandbox:
            from accord.discord.sandbox import Sandbox, demo  # noqa: PLC0415 - only where it is asked for

            running = await stack.enter_async_context(Sandbox.start())
            env |= {"DISCORD_TOKEN": running.token, "DISCORD_API_BASE_URL": running.base_url}
            env |= {"DISCORD_EXPECTED_BOT_ID": demo.BOT}
        yield load_config(env)


@asynccontextmanager
async def opened(
    config: Config, *, notifies: bool = True, transport: Transport = "stdio", state: State | None = None
) -> AsyncIterator[BuildServerResult]:
    """Return the built server; what it holds open is closed with the context."""
    rest = build_rest(config)
    built = build_server(rest=rest, config=config, notifies=notifies, transport=transport, state=state)
    try:
        yield built
    finally:
        await built.audit_sink.close()
        await built.approvals.close()
        await built.state.close()
        await rest.aclose()
