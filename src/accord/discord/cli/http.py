"""`discord-mcp serve --http`: the server on a port."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import uvicorn

from accord.discord.app import BuildServerResult, build_http
from accord.discord.cli.serving import configured, opened, refused
from accord.discord.config import Config, ConfigError
from accord.discord.rest.errors import BotScopeUnresolvedError
from accord.discord.state_folder import kept_state
from accord.discord.tokens import AccessToken, Tokens
from accord.engine import HOST, ORIGIN, Hosts, HttpApp, ToolError, configure_logs, logger
from accord.terminal.exits import Exit

__all__ = ["Address", "serve_http"]

DRAIN_SECONDS = 10
"""How long requests under way may finish after the process was asked to stop."""

KEEP_ALIVE_SECONDS = 75
"""How long a silent connection stays open: longer than the 60 of common proxies, which would write into its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where to listen, under which names and from which web pages it may be called, and how patiently it stops."""

    host: str = "127.0.0.1"
    port: int = 3000
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    drain_seconds: int = DRAIN_SECONDS

    @property
    def hosts(self) -> Hosts:
        """What is allowed here."""
        return Hosts.of(self.host, self.allowed_hosts, self.allowed_origins)


def serve_http(address: Address, *, sandbox: bool) -> Exit:
    """Serve HTTP until the process is asked to stop."""
    try:
        asyncio.run(_serve(address, sandbox=sandbox))
    except ConfigError as error:
        return refused(error)
    except _CannotListenError as error:
        sys.stderr.write(f"{error}\n")
        return Exit.REFUSED
    return Exit.DONE


async def _serve(address: Address, *, sandbox: bool) -> None:
    async with configured(sandbox=sandbox) as config, kept_state(config, os.environ) as state:
        address = _allowing(address, config)
        _check(config, address, named=await Tokens(state).living())
        configure_logs(config.LOG_LEVEL)
        with _listening(address) as listener:
            async with opened(config, transport="http", notifies=False, state=state) as built:
                await _check_bot(built)
                await _run(build_http(built, config, address.hosts), address, listener)


def _allowing(address: Address, config: Config) -> Address:
    """Return the address with what the environment allows beside the command line."""
    return replace(
        address,
        allowed_hosts=(*address.allowed_hosts, *(config.MCP_HTTP_ALLOWED_HOSTS or ())),
        allowed_origins=(*address.allowed_origins, *(config.MCP_HTTP_ALLOWED_ORIGINS or ())),
    )


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
        (
            "--allowed-host",
            not address.hosts.names,
            f"is required when listening on {address.host}: the names under which it is called",
        ),
        (
            "--allowed-host",
            not all(re.fullmatch(HOST, host) for host in address.allowed_hosts),
            "must be a name or an address, without scheme, path or wildcard",
        ),
        (
            "--allowed-origin",
            not all(re.fullmatch(ORIGIN, origin) for origin in address.allowed_origins),
            "must be scheme://host or scheme://host:port, without path or wildcard",
        ),
    )
    issues = {name: message for name, is_wrong, message in faults if is_wrong}
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


class _CannotListenError(Exception):
    """The address is taken, or is none of this machine's."""


@contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise _CannotListenError(f"cannot listen on {address.host}:{address.port}: {error.strerror}") from None
    with listener:
        # Connections inherit it. Without it the second half of an answer waits for the first to be acknowledged: 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listener


class _Server(uvicorn.Server):
    """uvicorn's server, stopped by us: its own way is to send the signal again when it has ended."""

    def __init__(self, config: uvicorn.Config, app: HttpApp) -> None:
        super().__init__(config)
        self._app = app

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the one who runs it."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests under way finish, and keep nobody waiting for streams that never end."""
        self._app.end_streams()
        await super().shutdown(sockets)


async def _run(app: HttpApp, address: Address, listener: socket.socket) -> None:
    """Serve until a signal; a second one cuts off what is under way."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=address.drain_seconds,
    )
    server = _Server(config, app)

    def stop() -> None:
        if server.should_exit:
            for request in list(server.server_state.tasks):
                request.cancel()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows' loop has no signal handlers
            loop.add_signal_handler(number, stop)
    log = logger("accord.serve")
    log.info("ready", host=address.host, port=listener.getsockname()[1])
    gc.collect()
    gc.freeze()  # what is loaded by now stays: there is no use in looking through it again and again
    await server.serve(sockets=[listener])
    log.info("stopped")
