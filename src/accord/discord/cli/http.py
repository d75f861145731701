"""`discord-mcp serve --http`: the server on a port."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import uvicorn

from accord.discord.app import build_http
from accord.discord.cli.exits import Exit
from accord.discord.cli.serving import configured, opened, refused
from accord.discord.config import Config, ConfigError
from accord.discord.state_folder import kept_state
from accord.discord.tokens import AccessToken, Tokens
from accord.engine import Hosts, configure_logs, logger

__all__ = ["Address", "serve_http"]

DRAIN_SECONDS = 10
"""How long requests under way may finish after the process was asked to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where to listen, and under which names and from which web pages the server may be called."""

    host: str = "127.0.0.1"
    port: int = 3000
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()


def serve_http(address: Address, *, sandbox: bool) -> Exit:
    """Serve HTTP until the process is asked to stop."""
    try:
        return asyncio.run(_serve(address, sandbox=sandbox))
    except ConfigError as error:
        return refused(error)


async def _serve(address: Address, *, sandbox: bool) -> Exit:
    async with configured(sandbox=sandbox) as config, kept_state(config, os.environ) as state:
        _check(config, address, named=await Tokens(state).living())
        configure_logs(config.LOG_LEVEL)
        async with opened(config, transport="http", notifies=False, state=state) as built:
            hosts = Hosts.of(address.host, address.allowed_hosts, address.allowed_origins)
            return await _listen(build_http(built, config, hosts), address)


def _check(config: Config, address: Address, named: Sequence[AccessToken]) -> None:
    """Refuse what would be unsafe.

    Raises:
        ConfigError: It names every reason.
    """
    issues = {}
    if config.DISCORD_MCP_ACCESS_TOKEN is None and not named:
        issues["DISCORD_MCP_ACCESS_TOKEN"] = (
            "is required over HTTP where there is no named token; make one with `openssl rand -hex 32`, "
            "or a named one with `discord-mcp tokens add NAME`"
        )
    if config.DISCORD_TOKEN is None:
        issues["DISCORD_TOKEN"] = "is required over HTTP"
    if not Hosts.of(address.host, address.allowed_hosts).names:
        issues["--allowed-host"] = f"is required when listening on {address.host}: the names under which it is called"
    if issues:
        raise ConfigError(issues)


class _Server(uvicorn.Server):
    """uvicorn's server, stopped by us: its own way is to send the signal again when it has ended."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the one who runs it."""
        yield


async def _listen(app: Any, address: Address) -> Exit:
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listener = socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        sys.stderr.write(f"cannot listen on {address.host}:{address.port}: {error.strerror}\n")
        return Exit.REFUSED
    server = _Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows' loop has no signal handlers
            loop.add_signal_handler(number, setattr, server, "should_exit", True)
    logger("accord.serve").info("ready", host=address.host, port=listener.getsockname()[1])
    await server.serve(sockets=[listener])
    logger("accord.serve").info("stopped")
    return Exit.DONE
