"""`deside-mcp serve` and `deside-mcp migrate`: what the owner of a server runs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from accord.deside.app import build
from accord.deside.config import Config, ConfigError, load_config
from accord.deside.store import SCHEMA_VERSION, open_store
from accord.engine import configure_logs, open_state
from accord.terminal.exits import Exit
from accord.terminal.listening import Address, CannotListenError, listening, serve_until_stopped
from accord.terminal.printing import print_json, put

__all__ = ["migrate", "serve"]


def serve(address: Address, *, sandbox: bool = False) -> Exit:
    """Serve HTTP until the process is asked to stop."""
    return _told(lambda: asyncio.run(_serve(load_config(os.environ), address, sandbox=sandbox)))


def migrate(*, as_json: bool) -> Exit:
    """Bring the database's tables up to this version, as `serve` does at its start."""
    return _told(lambda: asyncio.run(_migrate(load_config(os.environ), as_json=as_json)))


def _told(run: Callable[[], None]) -> Exit:
    """Run it; what keeps it from beginning is told on stderr."""
    try:
        run()
    except (ConfigError, CannotListenError) as error:
        sys.stderr.write(f"{error}\n")
        return Exit.REFUSED
    return Exit.DONE


async def _serve(config: Config, address: Address, *, sandbox: bool) -> None:
    address = address.allowing((*(config.DESIDE_ALLOWED_HOSTS or ()), *_own(config)), config.DESIDE_ALLOWED_ORIGINS)
    address = replace(address, trusted_proxies=config.DESIDE_TRUSTED_PROXIES or ())
    if address.faults:
        raise ConfigError(address.faults)
    chain = None
    if sandbox:
        # Only a sandbox loads what it takes.
        from accord.deside.cli.sandbox import sandboxed  # noqa: PLC0415

        config, chain = sandboxed(config, address)
    configure_logs(config.LOG_LEVEL)
    with listening(address) as listener:
        async with build(config, sandbox=chain) as app:
            await serve_until_stopped(app.http(address.hosts), address, listener)


def _own(config: Config) -> tuple[str, ...]:
    """Return the host of the public URL: who calls it by that name means this server."""
    url = config.DESIDE_PUBLIC_URL
    name = urlsplit(url).hostname if url else None
    return (name,) if name else ()


async def _migrate(config: Config, *, as_json: bool) -> None:
    url = config.database_url
    try:
        await open_store(url).close()
        await open_state(url).close()
    except ValueError as error:
        raise ConfigError({"DESIDE_DATABASE_URL": str(error)}) from None
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION})
    else:
        put(f"The tables are those of version {SCHEMA_VERSION}.\n".encode())
