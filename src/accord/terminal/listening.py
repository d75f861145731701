"""A server on a port: where it listens and under which names, and that it stops gently when it is asked to."""

from __future__ import annotations

import asyncio
import gc
import re
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import uvicorn

from accord.engine import HOST, ORIGIN, Hosts, HttpApp, logger

__all__ = ["Address", "CannotListenError", "listening", "serve_until_stopped"]

DRAIN_SECONDS = 10
"""How long requests under way may finish after the process was asked to stop."""

KEEP_ALIVE_SECONDS = 75
"""How long a silent connection stays open: longer than the 60 of common proxies, which would write into its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where to listen, under which names and from which web pages it may be called, and how patiently it stops.

    Port 0 takes a free one. `trusted_proxies` are addresses and networks whose X-Forwarded-For and -Proto are believed.
    """

    host: str = "127.0.0.1"
    port: int = 0
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    trusted_proxies: Sequence[str] = ()
    drain_seconds: int = DRAIN_SECONDS

    @property
    def hosts(self) -> Hosts:
        """What is allowed here."""
        return Hosts.of(self.host, self.allowed_hosts, self.allowed_origins)

    def allowing(self, hosts: Sequence[str] | None, origins: Sequence[str] | None) -> Address:
        """Return the same with more hosts and origins: those of the environment, beside the command line's."""
        return replace(
            self,
            allowed_hosts=(*self.allowed_hosts, *(hosts or ())),
            allowed_origins=(*self.allowed_origins, *(origins or ())),
        )

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong with the options, by their names."""
        found = (
            (
                "--allowed-host",
                not self.hosts.names,
                f"is required when listening on {self.host}: the names under which it is called",
            ),
            (
                "--allowed-host",
                not all(re.fullmatch(HOST, host) for host in self.allowed_hosts),
                "must be a name or an address, without scheme, path or wildcard",
            ),
            (
                "--allowed-origin",
                not all(re.fullmatch(ORIGIN, origin) for origin in self.allowed_origins),
                "must be scheme://host or scheme://host:port, without path or wildcard",
            ),
        )
        return {name: message for name, is_wrong, message in found if is_wrong}


class CannotListenError(Exception):
    """The address is taken, or is none of this machine's."""


@contextmanager
def listening(address: Address) -> Iterator[socket.socket]:
    """Listen there.

    Raises:
        CannotListenError: That cannot be.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise CannotListenError(f"cannot listen on {address.host}:{address.port}: {error.strerror}") from None
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


async def serve_until_stopped(app: HttpApp, address: Address, listener: socket.socket) -> None:
    """Serve until a signal; a second one cuts off what is under way."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(address.trusted_proxies),
        forwarded_allow_ips=list(address.trusted_proxies),
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
