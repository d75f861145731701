"""`discord-mcp serve --http`: the server on a port."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from accord.discord.app import BuildServerResult, build_http
from accord.discord.cli.serving import configured, opened, refused
from accord.discord.config import Config, ConfigError
from accord.discord.rest.errors import BotScopeUnresolvedError
from accord.discord.state_folder import kept_state
from accord.discord.tokens import AccessToken, Tokens
from accord.engine import ToolError, configure_logs, logger
from accord.terminal.exits import Exit
from accord.terminal.listening import Address, CannotListenError, listening, serve_until_stopped

__all__ = ["PORT", "Address", "serve_http"]

PORT = 3000
"""Where it listens unless another port is given."""


def serve_http(address: Address, *, sandbox: bool) -> Exit:
    """Serve HTTP until the process is asked to stop."""
    try:
        asyncio.run(_serve(address, sandbox=sandbox))
    except ConfigError as error:
        return refused(error)
    except CannotListenError as error:
        sys.stderr.write(f"{error}\n")
        return Exit.REFUSED
    return Exit.DONE


async def _serve(address: Address, *, sandbox: bool) -> None:
    async with configured(sandbox=sandbox) as config, kept_state(config, os.environ) as state:
        address = address.allowing(config.MCP_HTTP_ALLOWED_HOSTS, config.MCP_HTTP_ALLOWED_ORIGINS)
        _check(config, address, named=await Tokens(state).living())
        configure_logs(config.LOG_LEVEL)
        with listening(address) as listener:
            async with opened(config, transport="http", notifies=False, state=state) as built:
                await _check_bot(built)
                await serve_until_stopped(build_http(built, config, address.hosts), address, listener)


def _check(config: Config, address: Address, named: Sequence[AccessToken]) -> None:
    """Refuse what would be unsafe, or would never let anybody in.

    Raises:
        ConfigError: It names every reason.
    """
    faults = (
        ("DISCORD_TOKEN", config.DISCORD_TOKEN is None, "is required over HTTP"),
        (
            "DISCORD_MCP_ACCESS_TOKEN",
            config.DISCORD_MCP_ACCESS_TOKEN is None and not named,
            "is required where no named token is; `openssl rand -hex 32` or `discord-mcp tokens add NAME` make one",
        ),
    )
    issues = {name: message for name, is_wrong, message in faults if is_wrong} | address.faults
    if issues:
        raise ConfigError(issues)


async def _check_bot(built: BuildServerResult) -> None:
    """Refuse another bot than the expected one. While Discord does not tell, every call asks it first.

    Raises:
        ConfigError: It is another one.
    """
    try:
        await built.check_bot()
    except BotScopeUnresolvedError as error:
        raise ConfigError({"DISCORD_EXPECTED_BOT_ID": f"is not the bot of DISCORD_TOKEN, {error.resource}"}) from None
    except ToolError as error:
        logger("accord.serve").warning("the bot's identity is not proven yet", code=error.code)
